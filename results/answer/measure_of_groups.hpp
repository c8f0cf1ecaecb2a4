// What the groups of `best --by` can be compared by.
//
// Within a group of the problem's own columns all points compute the same, and the shorter time is the
// better one. Groups by other columns may hold several problems. Where these are equally much work, times
// can still be compared; else only rates can; and where the work is not known, nothing can.
#pragma once

#include <string>
#include <vector>

#include "results/answer/best.hpp"
#include "results/read/sweep_rows.hpp"

namespace kernsweep {

struct CommonMeasure {
  BestMetric metric = BestMetric::median_s;
  std::vector<std::string> differ;  // the problem's columns that differ in a group, if `metric` was changed
};

// The metric of `question`, or in place of the time the rate that all points have: gflops if the operations
// of all are known, else gbps. What a variant counted is taken as it was asked for. `rows` hold the columns
// of `by`. Error: the points differ in their work and have no rate, or another number than the median
// time was asked for that is no rate; with what to do. Reads `attempt_row` only if problems are mixed.
Result<CommonMeasure> common_measure(Reader& reader, const StoredSweep& sweep, const SweepRows& rows,
                                     const std::vector<SweepColumn>& by, const BestQuestion& question);

}  // namespace kernsweep
