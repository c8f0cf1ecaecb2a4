#include "results/read/file_order.hpp"

#include <fmt/format.h>

#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

// The number of first rows that are checked. In a random order that many rows are practically never sorted.
constexpr int kRowsLookedAt = 1000;

}  // namespace

Result<std::string> file_order(sqlite::Connection& database, SweepId sweep) {
  KS_ASSIGN_OR_RETURN(
      const auto points,
      database.integer(fmt::format("select max(raw_points, 1) from sweep where id = {}", sweep.value)));
  KS_ASSIGN_OR_RETURN(
      const auto unsorted,
      database.integer(fmt::format(
          "select count(*) from (select point, block, lag(point) over (partition by block order by job) as "
          "before from (select job, point, job / {} as block from outcome where sweep_id = {} order by job "
          "limit {})) where point < before",
          points, sweep.value, kRowsLookedAt)));
  return unsorted == 0 ? std::string() : fmt::format("o.job / {0} * {0} + o.point, o.job_host", points);
}

}  // namespace kernsweep
