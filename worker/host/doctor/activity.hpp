// Who computes: counters that only grow, read before and after a pause, and their difference.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "worker/host/doctor/conditions.hpp"

namespace kernsweep {

struct Activity {
  struct Ticks {
    std::uint64_t busy = 0, idle = 0, steal = 0;  // waiting for a disk counts as idle
  };
  struct Process {
    std::string name;
    std::uint64_t started = 0;  // tells two processes with one number apart
    std::uint64_t ticks = 0;
  };
  Ticks all;  // of the whole machine
  std::map<std::uint32_t, Ticks> cpus;
  std::map<std::int64_t, Process> processes;
  std::uint64_t swapped_pages = 0;  // in and out, since boot
};

// Below a root folder, as conditions_under().
Activity activity_under(const std::string& root);
// The processors' part of it, `all` and `cpus`: one file, however many processes there are.
Activity processors_under(const std::string& root);

// What happened in between on `cpus` (all processors where it is empty). Shares are of the ticks that
// passed, so the window's own length needs not be exact; counters that went backwards count as 0. The
// process `self` is left out of the list of the busiest. `window_s` is only noted.
Disturbance disturbance_between(const Activity& before, const Activity& after,
                                const std::vector<std::uint32_t>& cpus, double window_s, std::int64_t self);

// Sleeps for `window_s` between two looks at this host.
Disturbance watch_disturbance(const std::vector<std::uint32_t>& cpus, double window_s);

}  // namespace kernsweep
