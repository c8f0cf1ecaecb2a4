#include "results/read/wrong_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "results/store/wrong_points.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

using sqlite::Row;

namespace {

// The names of points: "algorithm=fast n=8", without values that are not set.
class PointNames {
 public:
  static Result<PointNames> of(Reader& reader, SweepId sweep) {
    KS_ASSIGN_OR_RETURN(auto columns, reader.axis_columns(sweep));
    std::string stored = "1";
    for (const SweepColumn& column : columns) stored += ", " + column.stored;
    KS_ASSIGN_OR_RETURN(
        auto values, reader.connection().prepare(fmt::format(
                         "select {} from outcome where sweep_id = {} and job = ? and job_host = ?", stored,
                         sweep.value)));
    return PointNames(std::move(columns), std::move(values));
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

Result<std::vector<Implausible>> beside_wrong_results(Reader& reader, SweepId sweep) {
  KS_ASSIGN_OR_RETURN(const auto points, wrong_points(reader.connection(), sweep));
  std::vector<Implausible> all;
  if (points.empty()) return all;
  struct Jobs {
    std::uint64_t all = 0;
    std::vector<std::uint64_t> good;  // results
  };
  std::map<PointOnHost, Jobs> jobs;
  KS_RETURN_IF_ERROR(reader.connection().each_row(
      {"point", "job_host", "result", "status = 'ok'"},
      fmt::format("from outcome where sweep_id = {}", sweep.value), [&](const Row& row) {
        const PointOnHost point = point_on_host(row.integer(0), row.integer(1));
        if (!points.contains(point)) return;
        Jobs& of_point = jobs[point];
        ++of_point.all;
        if (row.integer(3) != 0) of_point.good.push_back(static_cast<std::uint64_t>(row.integer(2)));
      }));
  KS_ASSIGN_OR_RETURN(auto names, PointNames::of(reader, sweep));
  for (const auto& [at, of_point] : jobs) {
    if (of_point.good.empty()) continue;
    const WrongPoint& point = points.at(at);
    KS_ASSIGN_OR_RETURN(const auto name, names.at(point.jobs.begin()->first, point.jobs.begin()->second));
    const std::string reason = fmt::format("{} is wrong in {} of {} jobs, such as result {}", name,
                                           point.jobs.size(), of_point.all, point.result);
    for (const std::uint64_t result : of_point.good) all.push_back({result, reason, true});
  }
  return all;
}

Status grade_beside_wrong(Shown& shown, Reader& reader) {
  KS_ASSIGN_OR_RETURN(const auto sweep, newest_sweep_of(shown, reader));
  if (!sweep) return Done{};
  KS_ASSIGN_OR_RETURN(const auto all, beside_wrong_results(reader, sweep->id));
  const auto found = std::ranges::find(all, result_of(shown), &Implausible::result);
  if (found != all.end()) lower_grade(shown, 'X', found->reason);
  return Done{};
}

}  // namespace kernsweep
