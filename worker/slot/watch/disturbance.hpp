// Whether a window of the timed section was disturbed, and by what. Sees only numbers, never a clock.
//
// A window is a stretch of samples of at least a millisecond between two readings of the gauges. What can
// be seen of a disturbance is that the core ran slower than it did for this job before, that the system
// took the core away (steal, involuntary switches), that the thread came to another core, or that a page
// had to be read from a disk. The first cause in this order is the window's.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "shared/base/doubt_cause.hpp"

namespace kernsweep {

enum class Cause : std::uint8_t { none, clock, steal, migrated, switched, major_fault };
constexpr std::size_t kCauses = 6;  // with `none`
using CauseCounts = std::array<std::uint64_t, kCauses>;

inline DoubtCause doubt_cause_of(Cause cause) {
  return static_cast<DoubtCause>(cause);
}
static_assert(static_cast<std::size_t>(DoubtCause::major_fault) + 1 == kCauses);
// "clock", "steal", ...
std::string_view name_of(Cause cause);
// "clock 12, switched 40"; "" when nothing was disturbed.
std::string listed(const CauseCounts& counts);

// What the gauges say at the edge of a window. Counts are of this process since it started.
struct EdgeReading {
  double clock_ghz = 0;  // 0: not known
  int cpu = -1;          // of the measuring thread; -1: not known
  std::uint64_t involuntary_switches = 0;
  std::uint64_t major_faults = 0;
};

class DisturbanceRule {
 public:
  // `clock_share`: of the reference, below which a window's clock disturbs it; 0: it never does. `threads`
  // of the job: several yield to each other on a core, and the counter does not tell whom a core was given
  // to, so switches say something of a single thread only.
  DisturbanceRule(double clock_share, std::uint32_t threads)
      : clock_share_(clock_share), switches_count_(threads == 1) {}

  // The window's clock is the lower of both edges. A clock or a reference of 0 is not known and says
  // nothing; neither does a count that has gone backwards.
  Cause judge(const EdgeReading& before, const EdgeReading& after, double reference_ghz) const;

 private:
  double clock_share_;
  bool switches_count_;
};

}  // namespace kernsweep
