#include "results/stored_job.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

namespace kernsweep {

using sqlite::Step;

namespace {

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || number >> 63 != 0)
    return std::nullopt;
  return number;
}

// The values of the point, which the caller's statement is at.
Status read_values(Reader& reader, StoredJob& job, const std::string& place) {
  const auto columns = reader.columns(job.sweep.id);
  if (!columns) return tl::unexpected<Error>(columns.error());
  if (columns->empty()) return Done{};
  std::string names;
  for (const SweepColumn& column : *columns) names += (names.empty() ? "" : ", ") + column.stored;
  auto row = reader.connection().prepare("select " + names + " from outcome where " + place);
  if (!row) return tl::unexpected<Error>(row.error());
  if (row->step() != Step::row) return failure(row->why());
  for (std::size_t i = 0; i < columns->size(); ++i)
    job.values.emplace_back((*columns)[i].name, row->value(static_cast<int>(i)));
  return Done{};
}

}  // namespace

Result<std::uint64_t> result_number(Reader& reader, const std::string& which) {
  const std::size_t slash = which.rfind('/');
  if (slash == std::string::npos) {
    if (const auto number = whole_number(which)) return *number;
    return failure(
        fmt::format("'{}' names no result; give the number from the column `result`, or SWEEP/JOB", which));
  }
  const auto job = whole_number(std::string_view(which).substr(slash + 1));
  if (!job) return failure(fmt::format("'{}' names no job; write SWEEP/JOB, for example 1/42", which));
  const auto sweep = reader.find_sweep(which.substr(0, slash));
  if (!sweep) return tl::unexpected<Error>(sweep.error());
  auto row =
      reader.connection().prepare("select result from outcome where sweep_id = ? and job = ? limit 1");
  if (!row) return tl::unexpected<Error>(row.error());
  row->bind(1, sweep->id.value);
  row->bind(2, *job);
  const Step step = row->step();
  if (step == Step::failed) return failure(row->why());
  if (step != Step::row)
    return failure(fmt::format("job {} of sweep '{}' has no outcome (yet)", *job, sweep->record.name));
  return static_cast<std::uint64_t>(row->integer(0));
}

Result<StoredJob> stored_job(Reader& reader, const std::string& which) {
  const auto number = result_number(reader, which);
  if (!number) return tl::unexpected<Error>(number.error());
  auto row = reader.connection().prepare(
      "select o.sweep_id, o.job, o.job_host, o.point, o.cache, o.process, a.status, lower(hex(o.key)), "
      "iif(o.result = a.result, o.output_hash, ''), a.median_s, "
      "(select content from text where id = a.affinity), a.finished_unix_s, h.name, h.cpu, "
      "lower(hex(h.fingerprint)) from attempt_row a join outcome o using (sweep_id, job, job_host) "
      "left join host h on h.id = a.host_id where a.result = ?");
  if (!row) return tl::unexpected<Error>(row.error());
  row->bind(1, *number);
  const Step step = row->step();
  if (step == Step::failed) return failure(row->why());
  if (step != Step::row)
    return failure(fmt::format("{}: there is no result {}", reader.connection().path(), *number));
  const std::string sweep = std::to_string(row->integer(0));
  const std::string place =
      fmt::format("sweep_id = {} and job = {} and job_host = {}", sweep, row->integer(1), row->integer(2));
  StoredJob job;
  job.result = *number;
  job.job = static_cast<std::uint64_t>(row->integer(1));
  job.point = static_cast<std::uint64_t>(row->integer(3));
  job.cache = row->text(4);
  job.process = static_cast<std::uint32_t>(row->integer(5));
  job.status = row->text(6);
  job.key = row->text(7);
  job.output_hash = row->text(8);
  job.median_s = row->real(9);
  job.affinity = row->text(10);
  job.finished_unix_s = row->real(11);
  job.host = row->text(12);
  job.cpu = row->text(13);
  job.fingerprint = row->text(14);
  row->reset();
  auto found = reader.find_sweep(sweep);
  if (!found) return tl::unexpected<Error>(found.error());
  job.sweep = std::move(*found);
  if (auto read = read_values(reader, job, place); !read) return tl::unexpected<Error>(read.error());
  return job;
}

}  // namespace kernsweep
