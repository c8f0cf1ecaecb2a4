#include "results/store/wrong_points.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "shared/base/try.hpp"

namespace kernsweep {

PointOnHost point_on_host(std::int64_t point, std::int64_t job_host) {
  return {point, std::max<std::int64_t>(job_host, 0)};
}

Result<WrongPoints> wrong_points(sqlite::Connection& database, SweepId sweep) {
  WrongPoints points;
  const auto take = [&](const sqlite::Row& row) {
    WrongPoint& point = points[point_on_host(row.integer(0), row.integer(1))];
    const auto result = static_cast<std::uint64_t>(row.integer(2));
    if (point.jobs.empty() || result < point.result) point.result = result;
    point.jobs.emplace(row.integer(3), row.integer(1));
  };
  const std::string wrong = "status = 'wrong_result'";
  // The jobs that were retried have an index of their own (`final = 0`).
  for (const std::string& rows :
       {fmt::format("from outcome o where o.sweep_id = {} and o.{}", sweep.value, wrong),
        fmt::format(
            "from attempt_row a join outcome o using (sweep_id, job, job_host) where a.final = 0 and "
            "a.sweep_id = {} and a.{}",
            sweep.value, wrong)}) {
    const bool of_attempts = rows.starts_with("from attempt_row");
    KS_RETURN_IF_ERROR(database.each_row(
        {"o.point", "o.job_host", of_attempts ? "a.result" : "o.result", "o.job"}, rows, take));
  }
  return points;
}

}  // namespace kernsweep
