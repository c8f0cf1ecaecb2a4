#include "results/read/stored_job.hpp"

#include <fmt/format.h>

#include <optional>

#include "shared/base/try.hpp"
#include "shared/text/number_text.hpp"

namespace kernsweep {

using sqlite::Step;

namespace {

std::optional<std::uint64_t> whole_number(std::string_view text) {
  const auto number = number_of<std::uint64_t>(text);
  return number && *number >> 63 == 0 ? number : std::nullopt;
}

// Reads the values of the point. `place`: the SQL condition that selects the row of `outcome`.
Status read_values(Reader& reader, StoredJob& job, const std::string& place) {
  KS_ASSIGN_OR_RETURN(const auto columns, reader.columns(job.sweep.id));
  if (columns.empty()) return Done{};
  std::string names;
  for (const SweepColumn& column : columns) names += (names.empty() ? "" : ", ") + column.stored;
  KS_ASSIGN_OR_RETURN(auto row,
                      reader.connection().prepare("select " + names + " from outcome where " + place));
  if (row.step() != Step::row) return failure(row.why());
  for (std::size_t i = 0; i < columns.size(); ++i)
    job.values.emplace_back(columns[i].name, row.value(static_cast<int>(i)));
  return Done{};
}

}  // namespace

namespace {

// The numbers that identify a job of a sweep, and one of its results.
struct Location {
  std::uint64_t result = 0, sweep = 0, job = 0;
  std::int64_t job_host = 0;
};

Result<std::optional<Location>> location(Reader& reader, const std::string& sql,
                                         std::initializer_list<std::uint64_t> values) {
  KS_ASSIGN_OR_RETURN(auto row, reader.connection().prepare(sql));
  int at = 0;
  for (const std::uint64_t value : values) row.bind(++at, value);
  const Step step = row.step();
  if (step == Step::failed) return failure(row.why());
  if (step != Step::row) return std::nullopt;
  const auto number = [&](int column) { return static_cast<std::uint64_t>(row.integer(column)); };
  return Location{number(0), number(1), number(2), row.integer(3)};
}

Result<Location> locate(Reader& reader, const std::string& which) {
  const std::size_t slash = which.rfind('/');
  if (slash == std::string::npos) {
    const auto number = whole_number(which);
    if (!number)
      return failure(fmt::format(
          "'{}' names no result; give the number from the column `result`, or SWEEP/JOB", which));
    // A reused result is the outcome of jobs in several sweeps: the newest sweep is used. An attempt that
    // was followed by another one is the outcome of no job: then its own job is used.
    for (const char* const sql : {"select result, sweep_id, job, job_host from outcome where result = ? "
                                  "order by sweep_id desc limit 1",
                                  "select a.result, o.sweep_id, o.job, o.job_host from attempt_row a join "
                                  "outcome o using (sweep_id, job, job_host) where a.result = ?"}) {
      KS_ASSIGN_OR_RETURN(const auto found, location(reader, sql, {*number}));
      if (found) return *found;
    }
    return failure(no_such_result(reader, *number));
  }
  const auto job = whole_number(std::string_view(which).substr(slash + 1));
  if (!job) return failure(fmt::format("'{}' names no job; write SWEEP/JOB, for example 1/42", which));
  KS_ASSIGN_OR_RETURN(const auto sweep, reader.find_sweep(which.substr(0, slash)));
  KS_ASSIGN_OR_RETURN(
      const auto found,
      location(reader,
               "select result, sweep_id, job, job_host from outcome where sweep_id = ? and job = ? limit 1",
               {sweep.id.value, *job}));
  if (!found)
    return failure(fmt::format("job {} of sweep '{}' has no outcome (yet)", *job, sweep.record.name));
  return *found;
}

}  // namespace

std::string no_such_result(Reader& reader, std::uint64_t number) {
  const auto last = reader.connection().integer("select coalesce(max(result), 0) from attempt_row");
  return fmt::format("{}: there is no result {}{}", reader.connection().path(), number,
                     !last        ? ""
                     : *last == 0 ? "; it has none yet"
                                  : fmt::format("; the last one is {}", *last));
}

Result<std::uint64_t> result_number(Reader& reader, const std::string& which) {
  // A plain number is not looked up here, because the caller reports a better error if it does not exist.
  if (which.find('/') == std::string::npos)
    if (const auto number = whole_number(which)) return *number;
  KS_ASSIGN_OR_RETURN(const auto found, locate(reader, which));
  return found.result;
}

Result<StoredJob> stored_job(Reader& reader, const std::string& which) {
  KS_ASSIGN_OR_RETURN(const auto at, locate(reader, which));
  KS_ASSIGN_OR_RETURN(
      auto row,
      reader.connection().prepare(
          "select o.point, o.cache, o.process, a.status, lower(hex(o.key)), "
          "iif(o.result = a.result, o.output_hash, ''), a.median_s, "
          "(select content from text where id = a.affinity), a.finished_unix_s, h.name, h.cpu, "
          "lower(hex(h.fingerprint)), (select content from text where id = a.gpus) from outcome o join "
          "attempt_row a on a.result = ? "
          "left join host h on h.id = a.host_id where o.sweep_id = ? and o.job = ? and o.job_host = ?"));
  row.bind(1, at.result);
  row.bind(2, at.sweep);
  row.bind(3, at.job);
  row.bind(4, at.job_host);
  const Step step = row.step();
  if (step == Step::failed) return failure(row.why());
  if (step != Step::row) return failure(no_such_result(reader, at.result));
  const std::string sweep = std::to_string(at.sweep);
  const std::string place =
      fmt::format("sweep_id = {} and job = {} and job_host = {}", at.sweep, at.job, at.job_host);
  StoredJob job;
  job.result = at.result;
  job.job = at.job;
  job.point = static_cast<std::uint64_t>(row.integer(0));
  job.cache = row.text(1);
  job.process = static_cast<std::uint32_t>(row.integer(2));
  job.status = row.text(3);
  job.key = row.text(4);
  job.output_hash = row.text(5);
  job.median_s = row.real(6);
  job.affinity = row.text(7);
  job.finished_unix_s = row.real(8);
  job.host = row.text(9);
  job.cpu = row.text(10);
  job.fingerprint = row.text(11);
  job.gpus = row.text(12);
  row.reset();
  KS_ASSIGN_OR_RETURN(job.sweep, reader.find_sweep(sweep));
  KS_RETURN_IF_ERROR(read_values(reader, job, place));
  return job;
}

}  // namespace kernsweep
