// Points for which a job of the sweep gave a wrong output, in any of its attempts.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "results/sqlite/sqlite.hpp"
#include "shared/base/ids.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

struct WrongPoint {
  std::set<std::pair<std::int64_t, std::int64_t>> jobs;  // the wrong ones: number and host, as in `outcome`
  std::uint64_t result = 0;                              // the first wrong one
};

// With `hosts: each` the points of different hosts are different.
struct PointOnHost {
  std::int64_t point = 0, host = 0;  // host: 0 unless `hosts: each`
  friend auto operator<=>(const PointOnHost&, const PointOnHost&) = default;
};
PointOnHost point_on_host(std::int64_t point, std::int64_t job_host);

using WrongPoints = std::map<PointOnHost, WrongPoint>;
// Reads the status of each job of the sweep. Error: the database cannot be read.
Result<WrongPoints> wrong_points(sqlite::Connection& database, SweepId sweep);

}  // namespace kernsweep
