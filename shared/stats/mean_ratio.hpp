// The geometric mean of many ratios of two points each, and how sure it is. Pure.
//
// It is about the points that were measured, not about others like them: its interval follows from the
// errors of the points (shared/stats/contest.hpp), each with its weight in the mean (Student's t, degrees
// of freedom after Welch 1947 and Satterthwaite 1946). A point that occurs in several ratios has the same
// error in all of them, so its weights are added. While a point has fewer than kTrimmedProcessesLeast
// processes, the interval is at least as wide as the gap by which equal points may differ (gap_of), scaled
// by each point's weight: +-gap for one ratio, +-gap / sqrt(n) for n ratios of distinct points.
//
// The interval alone does not decide. A mean of two ratios or more is shown to lie beyond a number if the
// nearer bound lies beyond it by the margin, while one of its points is single also by kHiddenRatio, and
// one of these is true: the bound lies beyond it by the share of the gap, too; or each point has
// kTrimmedProcessesLeast processes, none falls into two groups, and none has a process that is far off
// without a reason (Centre::steady). For one ratio, weigh() decides.
#pragma once

#include <cstdint>
#include <span>

#include "shared/stats/contest.hpp"

namespace kernsweep {

struct MeanRatio {
  double ratio = 1;
  Interval bounds{1, 1};  // with confidence 1 - alpha; contains `ratio`
  // The following also decide; as logarithms.
  double half = 0;           // width of the interval on either side, by the variances alone
  double share = 0;          // of the gap
  bool few = false;          // a point has fewer than kTrimmedProcessesLeast processes
  bool single = false;       // a point has fewer than kVerdictProcessesLeast
  bool steady = true;        // Centre::steady of all points
  bool split = false;        // a point's processes fall into two groups
  bool all_together = true;  // the processes of each point lie together

  // Whether the mean is shown above `end` by the rule above; `end` > 0. Not for a single ratio.
  bool shown_above(double end, const EvidenceRules& rules) const;
  bool shown_below(double end, const EvidenceRules& rules) const;
};

// The mean of ratios as a weighted sum of centres.
class WeightedCentres {
 public:
  // Adds a weight of a point. Weights of one point must be summed before.
  void add(double weight, const Centre& centre);
  // The mean whose logarithm is `log`, where each weight is divided by `divisor`. The interval is unbounded
  // while a variance is not known, or nothing was added.
  MeanRatio mean(double log, double divisor, double gap, double alpha) const;

 private:
  double variance_ = 0;
  double squares_ = 0;  // sum over the parts of the variance: their square over their degrees of freedom
  double weights_ = 0;  // sum of squared weights
  std::size_t fewest_processes_ = SIZE_MAX;
  bool steady_ = true, split_ = false, all_together_ = true;
};

// One ratio, of `second` over `first`. Equal numbers on a side are the same point. A side without a centre
// is known exactly.
struct RatioOfPoints {
  double ratio = 1;  // finite and > 0
  const Centre* first = nullptr;
  const Centre* second = nullptr;
  std::uint32_t first_point = 0, second_point = 0;
};

// `gap`: gap_of() for the smallest number of processes of a point, or the gap of the host alone where
// points are compared with numbers. Requires at least one ratio.
MeanRatio mean_ratio_of(std::span<const RatioOfPoints> ratios, double gap, double alpha);

}  // namespace kernsweep
