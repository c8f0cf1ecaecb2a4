// The mean of ratios that share points; every expectation is derived where it is made.
#include "shared/stats/mean_ratio.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "shared/stats/distributions.hpp"

namespace kernsweep {
namespace {

constexpr double kOnePercent = 0.01;

// A point of five processes whose centre has a standard error of 1 %, with 4 degrees of freedom.
Centre five() {
  return {.log = 0, .variance = kOnePercent * kOnePercent, .degrees = 4, .processes = 5};
}
Centre three() {
  return {.log = 0, .variance = kOnePercent * kOnePercent, .degrees = 2, .processes = 3};
}

// Half the width of the interval of the logarithm.
double half(const MeanRatio& mean) {
  return std::log(mean.bounds.high / mean.bounds.low) / 2;
}

MeanRatio mean_of(const Centre& first, const Centre& second, std::uint32_t count, bool shared,
                  double gap = 0) {
  std::vector<RatioOfPoints> all;
  for (std::uint32_t i = 0; i < count; ++i) all.push_back({2, &first, &second, shared ? 0 : i, i});
  return mean_ratio_of(all, gap, 0.01);
}

// Two errors of 1 %: sqrt(2) %, with 8 degrees of freedom (equal variances of 4 each: 4 + 4).
TEST(MeanRatio, OfOneRatioIsThatOfItsTwoPoints) {
  const MeanRatio one = mean_of(five(), five(), 1, false);
  EXPECT_NEAR(one.ratio, 2, 1e-12);
  EXPECT_NEAR(half(one), students_t_bound(0.01, 8) * std::sqrt(2.0) * kOnePercent, 1e-9);
}

// Twelve pairs of points of their own: the mean of 24 centres, each with weight 1/12: sqrt(24) / 12 %, with
// 24 * 4 = 96 degrees of freedom.
TEST(MeanRatio, OfManyPairsIsBetterKnown) {
  const MeanRatio own = mean_of(five(), five(), 12, false);
  EXPECT_NEAR(half(own), students_t_bound(0.01, 96) * std::sqrt(24.0) / 12 * kOnePercent, 1e-9);
}

// One point with twelve partners: its weight is 1, that of each partner 1/12. The variances are 1 and 12 /
// 144 = 1/12 of (1 %)^2; degrees (1 + 1/12)^2 / (1/4 + 12 / 144^2 / 4).
TEST(MeanRatio, ASharedPointErrsInAllItsRatiosAtOnce) {
  const double variance = 1 + 1.0 / 12;
  const double degrees = variance * variance / (0.25 + 12.0 / (144.0 * 144.0) / 4);
  const MeanRatio shared = mean_of(five(), five(), 12, true);
  EXPECT_NEAR(half(shared), students_t_bound(0.01, degrees) * std::sqrt(variance) * kOnePercent, 1e-9);
}

// Fewer than five processes: at least the gap for one pair, and gap / sqrt(12) for twelve of their own;
// with a shared point sqrt((1 + 1/12) / 2) of it. From five on the gap does not count.
TEST(MeanRatio, IsAtLeastAsWideAsTheGapWhileProcessesAreFew) {
  const double gap = 0.5;
  EXPECT_NEAR(half(mean_of(three(), three(), 1, false, gap)), gap, 1e-9);
  EXPECT_NEAR(half(mean_of(three(), three(), 12, false, gap)), gap / std::sqrt(12.0), 1e-9);
  EXPECT_NEAR(half(mean_of(three(), three(), 12, true, gap)), gap * std::sqrt((1 + 1.0 / 12) / 2), 1e-9);
  EXPECT_NEAR(half(mean_of(five(), five(), 1, false, gap)), half(mean_of(five(), five(), 1, false)), 1e-12);
}

// Twelve pairs of points of their own, 2 : 1. With three processes each (2 degrees of freedom) the half
// width is t(48) sqrt(24) / 12 % = 1.1 %, the share of a gap of 0.5 is 0.5 / sqrt(12) = 14.4 %.
TEST(MeanRatio, IsShownBeyondWhatIsNeitherInTheIntervalNorTheGapNorTheMargin) {
  const MeanRatio few = mean_of(three(), three(), 12, false, 0.5);
  EXPECT_NEAR(few.half, students_t_bound(0.01, 48) * std::sqrt(24.0) / 12 * kOnePercent, 1e-9);
  EXPECT_NEAR(few.share, 0.5 / std::sqrt(12.0), 1e-9);
  const double both = few.half + few.share;
  EXPECT_TRUE(few.shown_above(2 * std::exp(-both - 1e-6), {}));
  EXPECT_FALSE(few.shown_above(2 * std::exp(-both + 1e-6), {}));
  EXPECT_TRUE(few.shown_below(2 * std::exp(both + 1e-6), {}));
  EXPECT_FALSE(few.shown_below(2 * std::exp(both - 1e-6), {}));
  EXPECT_FALSE(few.shown_below(1, {}));
  // From five processes on the margin is enough.
  const MeanRatio five_each = mean_of(five(), five(), 12, false, 0.5);
  const double least = five_each.half + std::log(1.01);
  EXPECT_TRUE(five_each.shown_above(2 * std::exp(-least - 1e-6), {}));
  EXPECT_FALSE(five_each.shown_above(2 * std::exp(-least + 1e-6), {}));
}

// Groups, which a variance does not describe: then the gap counts for any number of processes. A single
// process may be one of two groups, so a factor of 2 decides nothing.
TEST(MeanRatio, OfPointsThatFallIntoGroupsIsShownOnlyBeyondTheGap) {
  Centre odd = five();
  odd.split = true;
  EXPECT_TRUE(mean_of(five(), five(), 12, false, 0.5).shown_above(1.8, {}));
  EXPECT_FALSE(mean_of(odd, five(), 12, false, 0.5).shown_above(1.8, {}));
  EXPECT_TRUE(mean_of(odd, five(), 12, false, 0.5).shown_above(1.6, {}));
  Centre unsteady = five();
  unsteady.steady = false;
  EXPECT_FALSE(mean_of(five(), unsteady, 12, false, 0.5).shown_above(1.8, {}));
  EXPECT_TRUE(mean_of(five(), unsteady, 12, false, 0.5).shown_above(1.6, {}));
  Centre single = three();
  single.processes = 1;
  const MeanRatio open = mean_of(single, five(), 12, false, 0);
  const double least = open.half + std::log(2.0) + std::log(1.01);
  EXPECT_FALSE(open.shown_above(2 * std::exp(-least + 1e-6), {}));
  EXPECT_TRUE(open.shown_above(2 * std::exp(-least - 1e-6), {}));
}

// A ratio of the same stored measurements on both sides has no error.
TEST(MeanRatio, OfRatiosThatAreKnownExactlyIsExact) {
  const std::vector<RatioOfPoints> all(7);
  const MeanRatio mean = mean_ratio_of(all, 0.5, 0.01);
  EXPECT_EQ(mean.ratio, 1);
  EXPECT_EQ(mean.bounds.low, 1);
  EXPECT_EQ(mean.bounds.high, 1);
}

TEST(MeanRatio, OfASideOfWhichNothingIsKnownIsUnbounded) {
  const Centre unknown{.log = 0, .variance = HUGE_VAL, .degrees = 0, .processes = 1};
  const MeanRatio mean = mean_of(unknown, five(), 3, false);
  EXPECT_EQ(mean.bounds.low, 0);
  EXPECT_TRUE(std::isinf(mean.bounds.high));
}

}  // namespace
}  // namespace kernsweep
