// Processes of one point that fall into two groups. Pure.
#pragma once

#include <cstddef>
#include <span>

namespace kernsweep {

// Two groups of processes: the times of the first are at least kSplitRatio below those of the second, and
// that gap is at least twice as wide as both groups together. With four processes or more, a single one is
// not a group.
struct Split {
  std::size_t fast = 0, slow = 0;     // processes in each; slow 0: there is one group
  double fast_log = 0, slow_log = 0;  // median of each group
  explicit operator bool() const { return slow > 0; }
};
inline constexpr double kSplitRatio = 1.1;
Split split_of(std::span<const double> logs);

// Whether all processes lie within kSplitRatio of each other; with twenty or more, all but the farthest
// one. A process outside may be the only one that was seen of a second group.
bool lie_together(std::span<const double> logs);

}  // namespace kernsweep
