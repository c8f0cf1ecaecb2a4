// Which of several ways to compute the same result is the fastest, and how sure that is. Pure.
//
// The unit of evidence is the process: the logarithm of the median of its samples. The centre of a way is
// the mean of its processes' logarithms, trimmed by one fifth on either side from five processes on (Yuen
// 1974). Its variance is that of its processes, winsorised, or the one expected from its sweep
// (shared/stats/process_spread.hpp), whichever is larger; degrees of freedom add up (Smyth 2004), and
// differences have those of Welch and Satterthwaite (1947).
//
// A is shown faster than B if either
//   - both have kBlocksLeast blocks in common or more (shared/stats/block_test.hpp), and the signed ranks
//     of the differences in them have p <= block_alpha(), with A made slower by the margin; or
//   - both have two processes or more, and the lower bound of B / A (one-sided, alpha / 2) lies beyond the
//     gap by which processes of one point differ on this host, beyond the margin, and beyond kHiddenRatio
//     while groups of processes that nothing has shown could be the reason (hidden_groups_risk), or where a
//     process lies off without reason (Centre::steady).
// A disturbance only adds time. So A counts as it was measured, and B with the least time that each of its
// processes may have taken (WayTimes::lows).
//
// A `wins` if it is shown faster than each other way. No correction for their number is needed: a way that
// is as fast as A would have to lose to A, too. A way whose processes fall into two groups (split_of) wins
// with kBlocksLeast blocks, or if its slowest process is kHiddenRatio below the fastest of each rival. A
// way is excluded from the set that holds the best if another one is shown faster at alpha / (candidates -
// 1) (Gupta 1965; Bonferroni). Ways are `tied` if each way in the set is shown to be as fast as the leader
// within the margin, and `equal` if within kEqualMost: by the interval of the blocks, or with fewer blocks
// by two one-sided tests (Schuirmann 1987), if the processes lie together (lie_together) and groups that
// neither has shown are unlikely (unseen_groups_risk). How often this is wrong: docs/internals/evidence.md.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "shared/stats/block_test.hpp"
#include "shared/stats/intervals.hpp"
#include "shared/stats/process_spread.hpp"
#include "shared/stats/split.hpp"

namespace kernsweep {

// Below this ratio processes may fall into two groups (pages, sibling threads, clocks) that few processes
// do not show.
inline constexpr double kHiddenRatio = 2;
inline constexpr double kHiddenRiskMost = 0.008;  // the risk that hidden groups are why two points differ
inline constexpr double kBlockAlpha = 0.008;      // with 8 blocks the smallest p is 2 / 2^8
inline constexpr std::size_t kBlocksLeast = 8;
// The share of alpha for one look at a sweep that is evaluated while it runs and can end early: at most
// 0.25 % for each of six looks add up to 0.5 to 0.7 %, because each look includes the data of the one
// before (docs/internals/evidence.md).
inline constexpr double kLookShare = 0.25;
inline constexpr std::size_t kTrimmedProcessesLeast = 5;  // whose centre is trimmed
inline constexpr double kEqualMost = 0.05;                // the largest bound of ways that are called equal
inline constexpr std::size_t kVerdictProcessesLeast = 2;
inline constexpr std::size_t kMoreProcessesMost = 100;

struct EvidenceRules {
  double margin = 0.01;  // a smaller relative difference is of no interest; 0 <= margin < 1
  double alpha = 0.01;   // two-sided; 0 < alpha < 1
  // The alpha of the test of blocks.
  double block_alpha() const { return alpha < kBlockAlpha ? alpha : kBlockAlpha; }
  // Whether processes may fall into groups that were not seen: their times do, their memory does not.
  bool hidden_groups = true;
  // Both are one point, measured twice: groups of the one are assumed for the other, too.
  bool one_point = false;
};

// The logarithm of the ratio by which two equal points with this many processes (1 or more) may differ: the
// gap, and kHiddenRatio while unseen groups could be the reason.
double gap_of(const ProcessSpread& spread, std::size_t processes, const EvidenceRules& rules);

// Whether it is too likely that the processes of two points have not shown their groups, so the two cannot
// be called the same (ProcessSpread::unseen_groups_risk). Requires two processes or more of each.
bool groups_may_be_unseen(const ProcessSpread& spread, std::size_t first, std::size_t second,
                          const EvidenceRules& rules);

// The measurements of one way. `lows` and `blocks` are as long as `logs`, or empty; the spans must outlive
// it.
struct WayTimes {
  std::span<const double> logs;  // natural logarithms of the processes' medians in seconds; one at least
  ExpectedVariance expected;     // of ProcessSpread
  // The logarithm of the least time that each process may have taken, because a disturbance only adds time.
  // Minus infinity: not known. Empty: equal to the logs.
  std::span<const double> lows = {};
  // The block of each process: processes of other ways in the same block ran close in time. Empty: the
  // index in `logs`.
  std::span<const std::uint32_t> blocks = {};
  // The leader is the way of smallest rank; not a number: the median of `logs` is used.
  double rank = std::numeric_limits<double>::quiet_NaN();

  double low(std::size_t process) const { return lows.empty() ? logs[process] : lows[process]; }
  bool disturbed() const;  // a process may have taken less time than its log
};

struct Centre {
  double log = 0;       // of the time in seconds
  double variance = 0;  // of it; infinity: not known
  double degrees = 0;
  std::size_t processes = 0;
  // If trimmed: no process lies far off that may belong to a second group, because they lie together or
  // differ as those of other points do. If not steady, the variance is that of all processes, with the
  // degrees of freedom of this point alone.
  bool steady = true;
  bool together = true;  // its processes lie together (lie_together)
  bool split = false;    // they fall into two groups (split_of)
};
Centre centre_of(const WayTimes& way);
// The centre of the least times that the processes may have taken.
Centre least_centre_of(const WayTimes& way);
// The interval of the median of the way, with confidence 1 - alpha: by order statistics from kBlocksLeast
// processes on, else by the centre. {0, infinity} where that is not known, or the bounds are more than a
// factor of ten apart.
Interval bounds_of(const WayTimes& way, double alpha);

// same: within the margin.
enum class PairVerdict : std::uint8_t { undecided = 0, first_faster, second_faster, same };

struct PairEvidence {
  Interval ratio{0, HUGE_VAL};  // second over first, above 1: the second takes longer; confidence 1 - alpha
  PairVerdict verdict = PairVerdict::undecided;
  // The smallest two-sided probability of error at which one is shown faster; 1: at none. A caller that
  // tests many pairs adjusts it for their number.
  double p = 1;
  // Neither is shown faster: the bound within which both are equal, 0.024 for 2.4 %; with `same` it is at
  // most the margin. Infinity: not known.
  double equal_within = HUGE_VAL;
  // Undecided: how many processes each would need if the next ones are like the present ones; 0: more than
  // kMoreProcessesMost. At least one more than the smaller number of both.
  std::size_t processes_needed = 0;
};
PairEvidence weigh(const WayTimes& first, const WayTimes& second, const ProcessSpread& spread,
                   const EvidenceRules& rules);
// The same for a second time that is known exactly, as the logarithm of seconds; without kHiddenRatio.
// Never `same`.
PairEvidence weigh(const WayTimes& first, double second_log, const ProcessSpread& spread,
                   const EvidenceRules& rules);

// How many processes each of two ways would need to be shown different or, where they lie together, to be
// shown the same, if the next processes are like the present ones; at least one more than the smaller
// number of both. 0: more than kMoreProcessesMost. A smaller rules.alpha returns the number for that alpha.
std::size_t processes_needed(const WayTimes& first, const WayTimes& second, const ProcessSpread& spread,
                             const EvidenceRules& rules);

enum class ContestVerdict : std::uint8_t {
  alone = 0,  // there is no other
  wins,
  tied,   // within the margin
  equal,  // within ContestResult::equal_within
  leads,  // not decided
};
std::string_view name_of(ContestVerdict verdict);

struct ContestResult {
  ContestVerdict verdict = ContestVerdict::alone;
  std::size_t leader = 0;
  Split split;                    // of the leader
  std::vector<std::size_t> set;   // contains the best; the leader first, then by time
  std::vector<std::size_t> open;  // leads: the rivals that the leader is not shown to be faster than
  double equal_within = 0;        // tied, equal: the bound, 0.024 for 2.4 %
  // leads: as in PairEvidence, the largest number for any rival that the leader does not beat.
  std::size_t processes_needed = 0;
};
// Requires at least one way. Time: linear in the number of ways.
ContestResult decide(std::span<const WayTimes> ways, const ProcessSpread& spread,
                     const EvidenceRules& rules);

}  // namespace kernsweep
