// One coordinator, a few workers, several sweeps, one seed: first a phase with faults, in which nothing may
// be wrong; then one without, in which everything must get done; then a quiet one, after which nothing may
// be left anywhere.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "tests/simulation/faults.hpp"

namespace kernsweep::simulation {

struct Verdict {
  std::string violation;  // empty: every promise was kept
  std::uint64_t hash = 0;
  std::uint64_t jobs = 0;
  std::uint64_t rows = 0;
  std::uint64_t crashes = 0;  // of workers and coordinators
  std::uint64_t faults = 0;
  std::array<std::uint64_t, static_cast<std::size_t>(FaultKind::count)> faults_of{};
  std::uint64_t sweeps = 0;
  std::uint64_t retracted = 0;
  std::uint64_t drained = 0;
  std::uint64_t shut_out = 0;
  std::uint64_t gpus_given_up = 0;
  std::uint64_t cores_given_up = 0;
  std::uint64_t restarted = 0;  // points
  std::uint64_t rounds = 0;     // after which more was asked for, or nothing
  double simulated_s = 0;
};

Verdict run_cluster(std::uint64_t seed);

}  // namespace kernsweep::simulation
