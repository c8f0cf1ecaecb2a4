// Whether the second of two sides takes longer than the first, from the times of their processes, by the
// rules of shared/stats/contest.hpp. Ratios are the second over the first: above 1, the second is slower.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "results/answer/stored_spread.hpp"
#include "shared/stats/contest.hpp"

namespace kernsweep {

enum class TimeVerdict : std::uint8_t { same = 1, faster, slower, undecided };
std::string_view name_of(TimeVerdict verdict);  // "SAME", ...

struct TimeDifference {
  bool identical = false;  // both sides are the same stored measurements: SAME
  double ratio = 1;        // of the medians over processes; finite and > 0
  Interval bounds{1, 1};   // of the ratio, confidence 1 - alpha; contains `ratio`. 0, infinity: not known
  double p = 1;            // see PairEvidence; not adjusted for other pairs
  bool shown_same = false;
  double equal_within = HUGE_VAL;  // as in PairEvidence
  std::size_t processes_a = 0, processes_b = 0;
  std::size_t processes_needed = 0;  // as in PairEvidence
};

// The processes of one side: medians in seconds, finite and > 0, at least one; for each the time that a
// disturbance may have added (DisturbedResults), and its block. The latter two are as long as `medians`, or
// empty.
struct ProcessTimes {
  std::vector<double> medians;
  std::vector<double> costs;
  std::vector<std::uint32_t> blocks;
};
struct TimedSide {
  const ProcessTimes& processes;
  StoredSpread::Stratum stratum;
};

// `centres`, if given: those of the two sides.
TimeDifference difference_of(const TimedSide& a, const TimedSide& b, const StoredSpread& spread,
                             const EvidenceRules& rules, Centre (*centres)[2] = nullptr);

// How many processes each side would need to be shown different at the two-sided probability of error
// `alpha`; 0: as in PairEvidence.
std::size_t processes_needed_at(const TimedSide& a, const TimedSide& b, const StoredSpread& spread,
                                EvidenceRules rules, double alpha);

// Whether a side has too few processes for a verdict: kVerdictProcessesLeast.
bool too_few_processes(const TimeDifference& difference);

// FASTER, SLOWER: adjusted_p <= alpha. SAME: identical, or shown to be the same within the margin.
// UNDECIDED: everything else.
TimeVerdict verdict_of(const TimeDifference& difference, double adjusted_p, const EvidenceRules& rules);

// The median of times in any order, in their unit. Requires at least one.
double median_of_times(std::span<const double> times);

}  // namespace kernsweep
