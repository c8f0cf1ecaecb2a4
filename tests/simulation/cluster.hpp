// One coordinator, three agents, one seed: first a phase with faults, in which nothing may be wrong; then
// one without, in which everything must get done.
#pragma once

#include <cstdint>
#include <string>

namespace kernsweep::simulation {

struct Verdict {
  std::string violation;  // empty: every promise was kept
  std::uint64_t hash = 0;
  std::uint64_t jobs = 0;
  std::uint64_t rows = 0;
  std::uint64_t crashes = 0;
  double simulated_s = 0;
};

Verdict run_cluster(std::uint64_t seed);

}  // namespace kernsweep::simulation
