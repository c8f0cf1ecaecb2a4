// How busy the host is: counters that only grow, read before and after a pause, and their difference.
#pragma once

#include <cstdint>
#include <map>
#include <set>
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
    std::uint64_t started = 0;  // in clock ticks after boot; distinguishes processes with the same number
    std::uint64_t ticks = 0;
    std::int64_t group = 0;         // its process group
    std::uint64_t of_children = 0;  // ticks of its children that have ended and were waited for
    std::int64_t parent = 0;
  };
  Ticks all;  // of the whole machine
  std::map<std::uint32_t, Ticks> cpus;
  std::map<std::int64_t, Process> processes;
  std::uint64_t swapped_pages = 0;  // in and out, since boot
};

// Reads the files below `root`, as conditions_under() does.
Activity activity_under(const std::string& root);
// Only `all` and `cpus`: reads one file, however many processes there are.
Activity processors_under(const std::string& root);

// The processes that do not count as a disturbance because they are ours: these, all of these process
// groups, and what any of them has started.
struct OurProcesses {
  std::set<std::int64_t> processes;
  std::set<std::int64_t> groups = {};
};

// The load of other programs between the two readings on `cpus` (empty: on all processors). Shares are of
// the ticks that passed, so `window_s` need not be exact: it is only stored. Counters that decreased count
// as 0. Our processes are left out of `busiest`. On all processors their ticks are left out of `busy_cpus`,
// and those of their children after these have ended; it is not known which of several processors they ran
// on.
Disturbance disturbance_between(const Activity& before, const Activity& after,
                                const std::vector<std::uint32_t>& cpus, double window_s,
                                const OurProcesses& ours);

// Reads this host twice, with a sleep of `window_s` between.
Disturbance watch_disturbance(const std::vector<std::uint32_t>& cpus, double window_s);

}  // namespace kernsweep
