// The geometric mean of many ratios of two points each, and how sure it is. Pure.
//
// It is about the points that were measured, not about others like them: its interval follows from the
// errors of the points (shared/stats/contest.hpp), each with its weight in the mean (Student's t, degrees
// of freedom after Welch 1947 and Satterthwaite 1946). A point that stands in several ratios errs in all of
// them at once, so its weights are added. While a point has fewer than kRankProcessesLeast processes, the
// interval is at least as wide as the gap by which equal points may differ (gap_of), where each
// point's share of that is its weight: +-gap for one ratio, +-gap / sqrt(n) for n ratios of points of their
// own.
#pragma once

#include <cstdint>
#include <span>

#include "shared/stats/contest.hpp"

namespace kernsweep {

// The interval of a weighted sum of centres.
class WeightedCentres {
 public:
  // Each point once, with the sum of its weights.
  void add(double weight, const Centre& centre);
  // exp of bounds around `log`, with confidence 1 - alpha, where each weight is divided by `divisor`. 0 and
  // infinity while a variance is not known, or nothing was added.
  Interval bounds(double log, double divisor, double gap, double alpha) const;

 private:
  double variance_ = 0;
  double squares_ = 0;  // of the parts of the variance, each over its degrees of freedom
  double weights_ = 0;  // squared
  std::size_t fewest_processes_ = SIZE_MAX;
};

// One ratio, of `second` over `first`. Equal numbers of a side are one and the same point. A side without
// centre is known exactly.
struct RatioOfPoints {
  double ratio = 1;  // finite and > 0
  const Centre* first = nullptr;
  const Centre* second = nullptr;
  std::uint32_t first_point = 0, second_point = 0;
};

struct MeanRatio {
  double ratio = 1;
  Interval bounds{1, 1};  // with confidence 1 - alpha; contains `ratio`
};

// `gap`: gap_of() the fewest processes of a point, or that of the host alone where points are held against
// numbers. Requires at least one ratio.
MeanRatio mean_ratio_of(std::span<const RatioOfPoints> ratios, double gap, double alpha);

}  // namespace kernsweep
