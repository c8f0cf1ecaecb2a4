// The faults of one life, and their times: drawn from the seed before anything happens, so that the list
// describes a life.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/simulation/world.hpp"

namespace kernsweep::simulation {

enum class FaultKind : std::uint8_t {
  coordinator_crash,
  coordinator_frozen,
  coordinator_clock,  // leaps ahead or steps back
  worker_crash,
  worker_frozen,
  worker_clock,
  connection_broken,
  cut_both,
  cut_to_worker,
  cut_to_coordinator,
  drained_by_coordinator,
  drained_by_itself,
  host_broken,  // every job fails there for a while
  gpu_dies,     // and comes back with the next life of its worker
  slots_hang,   // some that are killed next do not go; their cores come back with the worker's next life
  count,
};

constexpr const char* kFaultNames[] = {
    "coordinator crashes", "coordinator freezes",     "coordinator's clock leaps",  "worker crashes",
    "worker freezes",      "worker's clock leaps",    "broken connections",         "cuts both ways",
    "cuts to the worker",  "cuts to the coordinator", "drains asked for",           "drains by workers",
    "hosts that fail all", "GPUs that die",           "slots that cannot be killed"};
static_assert(std::size(kFaultNames) == static_cast<std::size_t>(FaultKind::count));

struct Fault {
  Duration at{};
  FaultKind kind = FaultKind::worker_crash;
  std::uint64_t who = 0;
  Duration length{};
  bool noticed = false;  // at once, or by silence
};

inline std::vector<Fault> draw_faults(Random& random, Duration from, Duration until) {
  // How likely each is, of 100: one in twenty-five takes the coordinator down.
  constexpr int kShares[] = {4, 4, 4, 13, 10, 4, 12, 9, 6, 6, 8, 8, 4, 5, 3};
  static_assert(std::size(kShares) == static_cast<std::size_t>(FaultKind::count));
  std::vector<Fault> faults;
  for (Duration at = from; at < until; at += random.between(20ms, 900ms)) {
    Fault fault;
    fault.at = at;
    auto roll = static_cast<int>(random.below(100));
    std::size_t kind = 0;
    while (roll >= kShares[kind]) roll -= kShares[kind++];
    fault.kind = static_cast<FaultKind>(kind);
    fault.who = random.next();
    fault.length = random.chance(0.5) ? random.between(20ms, 900ms) : random.between(900ms, 5s);
    fault.noticed = random.chance(0.5);
    faults.push_back(fault);
  }
  return faults;
}

}  // namespace kernsweep::simulation
