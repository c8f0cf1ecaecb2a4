// The effects of a sweep's settings: how much each one changes the time while everything else is equal.
//
// For one setting, points that agree in all other values form a matched set. In each set the time of every
// value is compared with that of the baseline (not set, if that was tried; else the first value of the
// sweep), and the ratios are averaged over the sets by their geometric mean, so that a problem that takes
// long does not outvote the others and "twice as fast" cancels "half as fast".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/answer/best.hpp"
#include "results/read/reader.hpp"
#include "results/read/rows.hpp"

namespace kernsweep {

// Points with their settings; pure input of `effects`. Row i has codes[i * columns.size() + c], an index
// into values[c].
struct Observations {
  std::vector<std::string> columns;
  std::vector<char> is_setting;            // 1: its effect is computed
  std::vector<std::vector<Value>> values;  // of each column, in the order met
  std::vector<std::uint32_t> codes;
  std::vector<double> seconds;  // per row, > 0
};

struct Effect {
  std::string column;
  Value baseline;
  Value value;
  double speedup = 1;  // time of the baseline over that of `value`: geometric mean; > 1: `value` is faster
  double least = 1, most = 1;  // over the matched sets
  std::uint64_t matched = 0;   // sets that have both
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

// `rows_max`: of the rows of `best`. Rows graded worse than `worst_grade` are left out of both answers;
// `best` counts them. Reads the sweep once.
Result<SweepEffects> sweep_effects(Reader& reader, const std::string& sweep,
                                   std::size_t rows_max = kEffectsRowsMax, char worst_grade = 'B');

// Whether the matched sets agree on who is faster, and by more than 5 % in the mean. Only then is the
// effect a fact about the setting, not about some of the problems.
bool is_clear(const Effect& effect);

// "env.OPENBLAS_CORETYPE=SkylakeX is 4.9x as fast as not set (3.1x to 6.0x in 12 matched sets)"
std::string sentence(const Effect& effect);
RowSet rows_of(const std::vector<Effect>& effects);

}  // namespace kernsweep
