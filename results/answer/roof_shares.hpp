// The best points of a sweep, compared with the roofs of their hosts.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/answer/best/best.hpp"
#include "results/roofs/roof_rows.hpp"

namespace kernsweep {

// Refers to the roofs that it was made from.
struct SweepShares {
  BestAnswer best;
  std::vector<Result<CallOfResult>> calls;  // of each row; error: why it has no share
};

// The best point of each problem of a sweep, with its call. `dtype`: as for share_of_result. Error: as for
// best().
Result<SweepShares> shares_of_sweep(Reader& reader, const std::string& sweep,
                                    const std::vector<HostRoofs>& roofs, const std::string& dtype,
                                    char worst_grade = 'B');

// Fills in BestAnswer::above_roofs for the results of its rows.
void note_above_roofs(BestAnswer& answer, Reader& reader, const std::vector<HostRoofs>& roofs);

struct RooflinePoint {
  std::string variant, dtype;
  double intensity = 0;    // operations per byte of compulsory traffic
  double rate = 0;         // 1e9 operations per second
  bool disturbed = false;  // measured only under disturbance
};

// The points of one host with one number of threads, or of one GPU.
struct RooflineOfHost {
  const HostRoofs* roofs = nullptr;
  std::vector<RooflinePoint> points;  // in the order of the answer
};

struct RooflinePoints {
  std::vector<RooflineOfHost> hosts;  // in the order of the roofs; only those with points
  std::size_t without_work = 0;       // results without operations or bytes
  std::size_t without_roofs = 0;      // whose host has no roofs for that number of threads
};

// `roofs`: those that `shares` was made from; the points refer to them.
RooflinePoints roofline_points(const SweepShares& shares, const std::vector<HostRoofs>& roofs);

}  // namespace kernsweep
