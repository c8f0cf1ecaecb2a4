// Whether one way is faster than another, from the times of independent processes. Pure.
//
// The unit of evidence is the process: samples of one process share its memory layout and its moment, so a
// thousand of them are one observation. What is tested is the centre of those observations; the ratio is
// told as median(B) / median(A): above 1, B is slower.
//
// Two methods, because ranks alone cannot answer with few processes: of 3 against 3 the smallest possible p
// is 0.1.
//   ranks    Mann-Whitney, and a bootstrap interval of the ratio of medians. Used where the test can stand
//            out among all comparisons even when one process was disturbed: 9 against 9 for one comparison.
//            With 5 against 5 its p would be small enough too, but a single disturbed process spoils it.
//   trimmed  Yuen's (1974) test of trimmed means with unequal variances, of logarithms; one fifth of the
//            processes is trimmed on either side, which below five is nobody: then it is Welch's (1947).
//            The spread of the processes counts at least as much as that within them.
// Where a side has one process, nothing is known of the spread between processes: kSpreadOfOne is assumed
// for the interval that is shown, and there is no verdict. An assumption is no evidence: on a busy machine
// two processes of the same code may differ by more than any number that could stand there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "shared/stats/intervals.hpp"

namespace kernsweep {

// Processes differ by this much, relative to the median (standard deviation): assumed of a single one; and
// at least, when a few happen to agree.
inline constexpr double kSpreadOfOne = 0.03;
inline constexpr double kSpreadLeast = 0.001;

// On each side, for a verdict.
inline constexpr std::size_t kProcessesLeast = 2;

struct ProcessTime {
  double median_s = 0;
  double mad_s = 0;           // of its samples, not scaled; 0: not known
  std::uint64_t samples = 0;  // 0: not known
};

struct ComparisonRules {
  double threshold = 0.01;  // a smaller difference is of no interest
  double alpha = 0.01;      // of differences that are called so by chance
  // SAME needs an interval within so many thresholds of 1: it says that a difference of that size would
  // have been seen.
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
  double p = 1;           // two-sided, for itself alone
  CompareMethod method = CompareMethod::identical;
  std::size_t processes_a = 0, processes_b = 0;
};

// The centre of the processes of one side, in logarithms, as the trimmed comparison takes it.
struct LogCentre {
  double mean = 0;
  double variance = 0;  // of the mean
  double degrees = 0;
};
// Requires at least one time, all finite and > 0.
LogCentre log_centre_of(std::span<const ProcessTime> times);

// `comparisons`: how many are judged together, at least 1. Times that are not finite and > 0 are left out;
// nothing when a side has no other.
std::optional<TimeDifference> difference_of(std::span<const ProcessTime> a, std::span<const ProcessTime> b,
                                            const ComparisonRules& rules, std::size_t comparisons);

// Whether a side has fewer than kProcessesLeast processes. Not so for stored measurements that are the same
// on both sides.
bool too_few_processes(const TimeDifference& difference);

// AMBIGUOUS: too few processes.
// FASTER, SLOWER: adjusted_p <= alpha, and the ratio is beyond the threshold (1 + t, or 1 / (1 + t)).
// SAME: the ratio is within the threshold, and the interval within resolution * threshold.
// AMBIGUOUS: everything else.
TimeVerdict verdict_of(const TimeDifference& difference, double adjusted_p, const ComparisonRules& rules);

}  // namespace kernsweep
