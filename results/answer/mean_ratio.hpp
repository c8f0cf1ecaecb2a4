// The geometric mean of many ratios of two points each, with its confidence interval. Pure.
//
// A point may have several partners; then its processes are used in several ratios, whose errors are not
// independent. So ratios are resampled in groups: all ratios that are connected by shared points form a
// group. In each group that is drawn, every point's processes are resampled once, for all its ratios
// (percentile bootstrap of clusters, Efron 1979, Field and Welsh 2007). Because resampling three processes
// underestimates their spread, the interval is at least the one that follows from the errors of the points,
// each with its weight in the mean (Student's t, degrees of freedom after Welch 1947 and Satterthwaite
// 1946). With fewer than kGroupsToDraw groups there is no resampling: the bounds are the geometric means of
// the ratios' own bounds, as if all errors were the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "shared/stats/comparison.hpp"

namespace kernsweep {

inline constexpr std::size_t kGroupsToDraw = 6;

// One ratio, of `second` over `first`. Equal numbers of a side are one and the same point, with the same
// processes each time. No processes on a side: that side is known exactly, or there is none.
struct RatioOfPoints {
  std::span<const ProcessTime> first, second;
  std::uint32_t first_point = 0, second_point = 0;
  double ratio = 1;
  Interval bounds{1, 1};  // of this ratio alone
};

struct MeanRatio {
  double ratio = 1;
  Interval bounds{1, 1};   // with confidence 1 - alpha; contains `ratio`
  std::size_t groups = 0;  // of ratios that share no point with another group
};

// Requires at least one ratio; all ratios, bounds and times finite and > 0.
MeanRatio mean_ratio_of(std::span<const RatioOfPoints> ratios, const ComparisonRules& rules);

}  // namespace kernsweep
