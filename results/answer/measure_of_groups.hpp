// Which metric can compare the groups of `best --by`.
//
// In a group by the problem's own columns all points compute the same, and the shorter time is better.
// Groups by other columns may contain several problems. If these have the same amount of work, times can be
// compared; otherwise only rates; if the work is not known, nothing can be compared.
#pragma once

#include <string>
#include <vector>

#include "results/answer/best/best.hpp"
#include "results/read/sweep_rows.hpp"

namespace kernsweep {

struct CommonMeasure {
  BestMetric metric = BestMetric::median_s;
  std::vector<std::string> differ;  // the problem's columns that differ in a group, if `metric` was changed
};

// The metric of `question`, or instead of the time a rate that all points have: gflops if the operations of
// all are known, else gbps. A counted metric is not changed. `rows` contain the columns of `by`. Error,
// with what to do: the points differ in their work and have no rate, or the requested metric is neither the
// median time nor a rate. Reads `attempt_row` only if problems are mixed.
Result<CommonMeasure> common_measure(Reader& reader, const StoredSweep& sweep, const SweepRows& rows,
                                     const std::vector<SweepColumn>& by, const BestQuestion& question);

}  // namespace kernsweep
