// Where results lie under the roofs of their host.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/roofs/roof_rows.hpp"

namespace kernsweep {

struct RooflinePoint {
  std::string variant, dtype;
  double intensity = 0;    // operations per byte of compulsory traffic
  double rate = 0;         // 1e9 operations per second
  bool disturbed = false;  // measured only under disturbance
};

// Of one host with one number of threads, or one card.
struct RooflineOfHost {
  const HostRoofs* roofs = nullptr;
  std::vector<RooflinePoint> points;  // in the order of the answer
};

struct RooflinePoints {
  std::vector<RooflineOfHost> hosts;  // in the order of the roofs; only those with points
  std::size_t without_work = 0;       // results that tell no operations or no bytes
  std::size_t without_roofs = 0;      // whose host has no roofs for as many threads
};

// Of the results that the rows of `shares` (shares_of_sweep) name. Refers to `roofs`. `dtype`: as there.
RooflinePoints roofline_points(Reader& reader, const BestAnswer& shares,
                               const std::vector<HostRoofs>& roofs, const std::string& dtype);

}  // namespace kernsweep
