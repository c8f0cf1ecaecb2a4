// The effects of a sweep's settings: how much each one changes the time if everything else is equal.
//
// For one setting, points that agree in all other values form a matched set. In each set the time of every
// value is compared with that of the baseline (not set, if that was measured; else the first value of the
// sweep), and the ratios are averaged over the sets by their geometric mean, so that a problem with a long
// time does not outweigh the others and "twice as fast" cancels "half as fast".
//
// Columns of the problem are compared in the same way if the operations of a call are the same, as with
// data types. That a larger problem takes longer shows nothing about the machine.
//
// The interval of that mean is about these problems, not about others: it follows from the processes of the
// points (shared/stats/mean_ratio.hpp). For a single set it is that of its pair of points. An effect is
// shown if the rules of shared/stats/contest.hpp show each pair, or the rules for the mean of several pairs
// show the mean.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "results/answer/best/best.hpp"
#include "results/read/reader.hpp"
#include "results/read/rows.hpp"

namespace kernsweep {

// Points with their settings; pure input of `effects`. Row i has codes[i * columns.size() + c], an index
// into values[c].
struct Observations {
  std::vector<std::string> columns;
  std::vector<char> is_setting;  // 1: its effect is computed
  // Per column. 1: part of the problem: only points of equal operations are compared. Empty: no column is.
  std::vector<char> is_problem;
  std::vector<std::vector<Value>> values;  // of each column, in the order of first use
  std::vector<std::uint32_t> codes;
  std::vector<double> seconds;     // per row, > 0
  std::vector<double> flops;       // per row: operations of a call; NaN: not known. Empty: for all rows
  std::vector<char> other_output;  // per row, 1: its output differs from most. Empty: none does
  std::vector<Centre> centres;     // per row, of log(seconds); empty: nothing is known of the spread
  // Per row: rows with the same number run one built file in one way (same_builds.hpp); 0: none. Empty:
  // none.
  std::vector<std::uint64_t> runs;
  double gap = 0;  // gap_of() for the smallest number of processes of a point
  // Compares two rows; the ratio is that of the second over the first; empty: no pair is compared.
  std::function<PairEvidence(std::uint32_t, std::uint32_t)> weigh;
  EvidenceRules rules;  // of the sweep: one that is looked at while it runs has a smaller error limit
};

struct Effect {
  std::string column;
  Value baseline;
  Value value;
  double speedup = 1;  // geometric mean of the baseline's time over that of `value`; > 1: `value` is faster
  double least = 1, most = 1;       // over the matched sets
  std::uint64_t matched = 0;        // sets that have both
  Interval bounds{0, HUGE_VAL};     // of `speedup`, confidence 1 - alpha; 0, infinity: not known
  bool shown = false;               // whether it is shown to differ from 1: see above
  std::uint64_t other_outputs = 0;  // matched sets with a point whose output differs from that of most
};

// Largest effect first (a slowdown of 3 counts like a speed-up of 3). Pure.
std::vector<Effect> effects(const Observations& observations);

struct SweepEffects {
  BestAnswer best;
  std::vector<Effect> effects;
  bool shortened = false;  // `effects`: only the first kEffectsPointsMax points were used
  bool all_ok = true;      // every job that has an outcome has an accepted result
};
inline constexpr std::size_t kEffectsPointsMax = 100'000;
// Limit of rows at the end of a run; `kernsweep best` prints all of them.
inline constexpr std::size_t kEffectsRowsMax = 10'000;

// `rows_max`: for the rows of `best`. Rows graded worse than `worst_grade` are left out of both answers;
// `best` counts them. Reads the sweep once.
Result<SweepEffects> sweep_effects(Reader& reader, const std::string& sweep,
                                   std::size_t rows_max = kEffectsRowsMax, char worst_grade = 'B');

// Whether the effect is shown, and the matched sets agree on which is faster, by more than 5 % in the mean.
// Only then it is a property of the setting, not of some of the problems, and not chance.
bool is_clear(const Effect& effect);

// "variant: blas is 4.90x as fast as naive (at least 4.71x; 3.10x to 6.00x in 12 matched sets)"
std::string sentence(const Effect& effect);
// For an effect that is not clear: what was measured, as "variant: blas is 1.20x as fast as naive (99 %
// interval: 0.95x to 1.50x)", or the ratios if the matched sets disagree.
std::string open_sentence(const Effect& effect);
// The bound within which both values are equal, 0.024 for 2.4 %; infinity: not known.
double equal_bound(const Effect& effect);
RowSet rows_of(const std::vector<Effect>& effects);

}  // namespace kernsweep
