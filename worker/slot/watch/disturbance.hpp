// Whether a window of the timed section was disturbed, and by what. Pure: reads no clock.
//
// A window is a sequence of samples of at least a millisecond between two readings of the gauges. It is
// disturbed if the core ran slower than before in this job, if the system took the core away (steal,
// involuntary switches), if the thread moved to another core, or if a page was read from a disk. A loss of
// less than kDisturbingShare of the window does not count: on a quiet host some threads of the system run
// several times a second, so that no call of a second would be free of switches. The cause is the first one
// in the order of Cause. Stolen time is known only later: SampleLedger::mark_disturbed_since.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "shared/base/doubt_cause.hpp"

namespace kernsweep {

enum class Cause : std::uint8_t { none, clock, steal, migrated, switched, major_fault };
constexpr std::size_t kCauses = 6;  // including `none`
using CauseCounts = std::array<std::uint64_t, kCauses>;

inline DoubtCause doubt_cause_of(Cause cause) {
  return static_cast<DoubtCause>(cause);
}
static_assert(static_cast<std::size_t>(DoubtCause::major_fault) + 1 == kCauses);
// "clock", "steal", ...
std::string_view name_of(Cause cause);
// "clock 12, switched 40"; "" if nothing was disturbed.
std::string listed(const CauseCounts& counts);

// A cost of at most this share of a window does not count: half of the margin of `compare`.
constexpr double kDisturbingShare = 0.005;

// Times of the measuring thread since it started: on a core, and ready while another thread had the core;
// the time that all threads of its process were on a core; and when that was read, by a clock that runs
// while no process computes. Seconds; below 0: not known.
struct ThreadSchedule {
  double ran_s = -1;
  double waited_s = -1;
  double all_ran_s = -1;
  double at_s = -1;
  double children_s = 0;  // time of its process's children on a core, if known
};

// The gauges at the begin or end of a window. Counts are of this process since it started.
struct EdgeReading {
  double clock_ghz = 0;  // 0: not known
  int cpu = -1;          // of the measuring thread; -1: not known
  std::uint64_t involuntary_switches = 0;
  std::uint64_t major_faults = 0;
  ThreadSchedule schedule;                 // waited_s: of all copies of the job
  std::uint64_t switches_of_children = 0;  // involuntary ones, of children that were waited for
};

// How long the programs of a window's calls had no core although they were ready (ks_variant::waited).
struct ProgramWait {
  double waited_s = 0;
  bool is_known = true;  // false: not known for some, which had several threads or processes
};

// The cause of a window's disturbance, and the most that it may have cost.
struct WindowDisturbance {
  Cause cause = Cause::none;
  double lost_s = HUGE_VAL;  // while the cause is `none`: nothing was lost
  // Others may have had the core for `lost_s`: the cause is `switched` if they computed on the job's cores
  // in this section, and none otherwise.
  bool is_suspected = false;
};

class DisturbanceRule {
 public:
  // `clock_share`: a window is disturbed if its clock is below this share of the reference; 0: never.
  // `threads` of the job: involuntary switches count only for a single thread, because several threads of a
  // job may switch to each other.
  DisturbanceRule(double clock_share, std::uint32_t threads)
      : clock_share_(clock_share), switches_count_(threads == 1) {}

  // The window's clock is the lower one of both readings. A clock or a reference of 0 is not known and is
  // ignored, as is a count that has decreased. `window_s`: total time of its samples. In a window in which
  // other threads of the process also computed, switches count unless these threads together had the core
  // all the time, and a move to another core does not count. With `programs` these are watched instead of
  // the measuring thread, which waits for them.
  WindowDisturbance judge(const EdgeReading& before, const EdgeReading& after, double reference_ghz,
                          double window_s, const std::optional<ProgramWait>& programs = std::nullopt) const;

 private:
  WindowDisturbance by_switches(const EdgeReading& before, const EdgeReading& after, double window_s) const;

  double clock_share_;
  bool switches_count_;
};

}  // namespace kernsweep
