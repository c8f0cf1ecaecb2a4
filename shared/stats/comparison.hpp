// Whether one variant is faster than another, from the times of independent processes. Pure.
//
// The unit of evidence is the process: samples of one process share its memory layout and its time of day,
// so a thousand of them count as one observation. The test compares the centres of those observations. The
// reported ratio is median(B) / median(A): above 1, B is slower.
//
// Two methods, because ranks alone cannot answer with few processes: of 3 against 3 the smallest possible p
// is 0.1.
//   ranks    Mann-Whitney, and a bootstrap interval of the ratio of medians. Used if its p can be small
//            enough for all comparisons together even if one process was disturbed: 9 against 9 for one
//            comparison. With 5 against 5 p would be small enough too, but not with one disturbed process.
//   trimmed  Yuen's (1974) test of trimmed means with unequal variances, of logarithms; one fifth of the
//            processes is trimmed on either side. Below five processes that is none: it is Welch's (1947)
//            test. The spread between processes is taken to be at least that within them.
// If a side has one process, the spread between processes is not known: kSpreadOfOne is assumed for the
// interval that is shown, and there is no verdict. An assumption is not evidence: on a busy machine two
// processes of the same code may differ by more than any assumed spread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "shared/stats/intervals.hpp"

namespace kernsweep {

// Relative standard deviation between processes: assumed if there is only one; least value if there are
// several, because a few may agree by chance.
inline constexpr double kSpreadOfOne = 0.03;
inline constexpr double kSpreadLeast = 0.001;

// Processes that a verdict requires on each side.
inline constexpr std::size_t kProcessesLeast = 2;

struct ProcessTime {
  double median_s = 0;
  double mad_s = 0;           // of its samples, not scaled; 0: not known
  std::uint64_t samples = 0;  // 0: not known
};

struct ComparisonRules {
  double threshold = 0.01;  // a smaller difference is of no interest
  double alpha = 0.01;      // share of false differences that is accepted; 1 - confidence of intervals
  // SAME requires an interval within so many thresholds of 1: a difference of that size would have been
  // detected.
  double resolution = 3;
  std::size_t resamples = 1999;
  std::uint64_t seed = 1;
};

enum class TimeVerdict : std::uint8_t { same = 1, faster, slower, ambiguous };
std::string_view name_of(TimeVerdict verdict);  // "SAME", ...

enum class CompareMethod : std::uint8_t { ranks = 1, trimmed, identical };
std::string_view name_of(CompareMethod method);

struct TimeDifference {
  double ratio = 1;       // median of B over that of A; finite and > 0
  Interval bounds{1, 1};  // of the ratio, with confidence 1 - alpha; contains `ratio`
  double p = 1;           // two-sided, not adjusted for other comparisons
  CompareMethod method = CompareMethod::identical;
  std::size_t processes_a = 0, processes_b = 0;
};

// The centre of the processes of one side, in logarithms, as the trimmed comparison computes it.
struct LogCentre {
  double mean = 0;
  double variance = 0;  // of the mean
  double degrees = 0;   // of freedom
};
// Requires at least one time, all finite and > 0.
LogCentre log_centre_of(std::span<const ProcessTime> times);

// `comparisons`: number of comparisons that are judged together, at least 1. Times that are not finite and
// > 0 are left out. Returns nothing if a side has no other.
std::optional<TimeDifference> difference_of(std::span<const ProcessTime> a, std::span<const ProcessTime> b,
                                            const ComparisonRules& rules, std::size_t comparisons);

// Whether a side has fewer than kProcessesLeast processes. Always false for CompareMethod::identical: both
// sides are the same stored measurements.
bool too_few_processes(const TimeDifference& difference);

// AMBIGUOUS: too few processes.
// FASTER, SLOWER: adjusted_p <= alpha, and the ratio is beyond the threshold (1 + t, or 1 / (1 + t)).
// SAME: the ratio is within the threshold, and the interval within resolution * threshold.
// AMBIGUOUS: everything else.
TimeVerdict verdict_of(const TimeDifference& difference, double adjusted_p, const ComparisonRules& rules);

}  // namespace kernsweep
