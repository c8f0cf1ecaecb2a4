#include "results/read/wrong_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace kernsweep {

using sqlite::Row;

namespace {

// The jobs of a point, on one host with `hosts: each`.
struct WrongPoint {
  std::uint64_t wrong = 0, jobs = 0;
  std::uint64_t first_wrong = 0;       // its result
  std::int64_t job = 0, job_host = 0;  // of one that is wrong
  std::vector<std::uint64_t> good;     // results
};

using PointKey = std::pair<std::int64_t, std::int64_t>;  // point; host with `hosts: each`, else 0

// The names of points: "algorithm=fast n=8", without what is not set.
class PointNames {
 public:
  static Result<PointNames> of(Reader& reader, SweepId sweep) {
    auto columns = reader.axis_columns(sweep);
    if (!columns) return tl::unexpected<Error>(columns.error());
    std::string stored = "1";
    for (const SweepColumn& column : *columns) stored += ", " + column.stored;
    auto values = reader.connection().prepare(fmt::format(
        "select {} from outcome where sweep_id = {} and job = ? and job_host = ?", stored, sweep.value));
    if (!values) return tl::unexpected<Error>(values.error());
    return PointNames(std::move(*columns), std::move(*values));
  }

  Result<std::string> at(std::int64_t job, std::int64_t job_host) {
    values_.reset();
    values_.bind(1, job);
    values_.bind(2, job_host);
    if (values_.step() != sqlite::Step::row) return failure(values_.why());
    std::string name;
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (const Value value = values_.value(static_cast<int>(c) + 1); !value.is_null())
        name += fmt::format("{}{}={}", name.empty() ? "" : " ", columns_[c].name, value.to_text());
    return name;
  }

 private:
  PointNames(std::vector<SweepColumn> columns, sqlite::Statement values)
      : columns_(std::move(columns)), values_(std::move(values)) {}
  std::vector<SweepColumn> columns_;
  sqlite::Statement values_;
};

}  // namespace

Result<std::vector<NotBelieved>> beside_wrong_results(Reader& reader, SweepId sweep) {
  std::map<PointKey, WrongPoint> points;
  const auto key_of = [](const Row& row) {
    return PointKey{row.integer(0), std::max<std::int64_t>(row.integer(1), 0)};
  };
  const std::string of_sweep = fmt::format("from outcome where sweep_id = {}", sweep.value);
  const auto found =
      reader.connection().each_row({"point", "job_host", "result", "job"},
                                   of_sweep + " and status = 'wrong_result'", [&](const Row& row) {
                                     WrongPoint& point = points[key_of(row)];
                                     const auto result = static_cast<std::uint64_t>(row.integer(2));
                                     if (point.wrong++ > 0 && result > point.first_wrong) return;
                                     point.first_wrong = result;
                                     point.job = row.integer(3);
                                     point.job_host = row.integer(1);
                                   });
  if (!found) return tl::unexpected<Error>(found.error());
  std::vector<NotBelieved> all;
  if (points.empty()) return all;
  const auto counted = reader.connection().each_row(
      {"point", "job_host", "result", "status = 'ok'"}, of_sweep, [&](const Row& row) {
        const auto at = points.find(key_of(row));
        if (at == points.end()) return;
        ++at->second.jobs;
        if (row.integer(3) != 0) at->second.good.push_back(static_cast<std::uint64_t>(row.integer(2)));
      });
  if (!counted) return tl::unexpected<Error>(counted.error());
  auto names = PointNames::of(reader, sweep);
  if (!names) return tl::unexpected<Error>(names.error());
  for (const auto& [key, point] : points) {
    if (point.good.empty()) continue;
    const auto name = names->at(point.job, point.job_host);
    if (!name) return tl::unexpected<Error>(name.error());
    const std::string reason = fmt::format("{} is wrong in {} of {} jobs, such as result {}", *name,
                                           point.wrong, point.jobs, point.first_wrong);
    for (const std::uint64_t result : point.good) all.push_back({result, reason, true});
  }
  return all;
}

Status grade_beside_wrong(Shown& shown, Reader& reader) {
  const auto sweep = newest_sweep_of(shown, reader);
  if (!sweep) return tl::unexpected<Error>(sweep.error());
  if (!*sweep) return Done{};
  const auto all = beside_wrong_results(reader, (*sweep)->id);
  if (!all) return tl::unexpected<Error>(all.error());
  const auto found = std::ranges::find(*all, result_of(shown), &NotBelieved::result);
  if (found != all->end()) lower_grade(shown, 'X', found->reason);
  return Done{};
}

}  // namespace kernsweep
