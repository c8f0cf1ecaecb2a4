// The mean of ratios that share points; every expectation is derived where it is made.
#include "results/answer/mean_ratio.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace kernsweep {
namespace {

using Times = std::vector<ProcessTime>;

Times times(std::initializer_list<double> medians) {
  Times out;
  for (const double median : medians) out.push_back({median, 0, 0});
  return out;
}

// `count` ratios of one point over as many others that all have the same times.
struct Ratios {
  Times first, second;
  MeanRatio mean(std::uint32_t count, bool shared, double ratio = 1) const {
    std::vector<RatioOfPoints> all;
    for (std::uint32_t i = 0; i < count; ++i)
      all.push_back({first, second, shared ? 0 : i, i, ratio, {ratio * 0.98, ratio * 1.02}});
    return mean_ratio_of(all, {});
  }
};

// Twelve own pairs: the error of the mean is that of one pair over sqrt(12). One point with twelve
// partners: its error stays as it is, and there is one group: the bounds are those of a single ratio.
TEST(MeanRatio, ASharedPointErrsInAllItsRatiosAtOnce) {
  const Ratios ratios{times({0.99, 1, 1.01}), times({0.99, 1, 1.01})};
  const MeanRatio own = ratios.mean(12, false), shared = ratios.mean(12, true);
  EXPECT_EQ(own.groups, 12U);
  EXPECT_EQ(shared.groups, 1U);
  EXPECT_NEAR(shared.bounds.low, 0.98, 1e-12);
  EXPECT_NEAR(shared.bounds.high, 1.02, 1e-12);
  EXPECT_GT(own.bounds.low, 0.99);
  EXPECT_LT(own.bounds.high, 1.01);
}

// Six points, the first of them with 19 partners, the others with one: 24 ratios. Nothing but the processes
// of the first point differ, by 1 %. Its weight is 19 / 24, the standard error of its mean 1 % / sqrt(3)
// with 2 degrees of freedom: t(0.01, 2) = 9.92 makes +- 4.5 %. What is drawn from its processes stays
// within 1 % * 19 / 14 at most, because a draw may hold that group only, where it has the whole weight.
TEST(MeanRatio, IsAtLeastAsUncertainAsTheErrorsOfItsPointsExplain) {
  const Times first = times({0.99, 1, 1.01}), exact = times({1, 1, 1});
  std::vector<RatioOfPoints> all;
  for (std::uint32_t i = 0; i < 24; ++i) {
    const std::uint32_t point = i < 19 ? 0 : i;
    all.push_back({point == 0 ? first : exact, exact, point, i, 1, {0.98, 1.02}});
  }
  const MeanRatio mean = mean_ratio_of(all, {});
  EXPECT_EQ(mean.groups, 6U);
  EXPECT_NEAR(std::log(mean.bounds.high), 19.0 / 24 * 0.01 / std::sqrt(3) * 9.925, 0.002);
  EXPECT_NEAR(std::log(mean.bounds.low), -std::log(mean.bounds.high), 1e-3);
}

// A ratio of the same stored measurements on both sides has no processes to draw.
TEST(MeanRatio, OfRatiosThatAreKnownExactlyIsExact) {
  std::vector<RatioOfPoints> all;
  for (std::uint32_t i = 0; i < 7; ++i) all.push_back({{}, {}, i, i});
  const MeanRatio mean = mean_ratio_of(all, {});
  EXPECT_EQ(mean.ratio, 1);
  EXPECT_EQ(mean.bounds.low, 1);
  EXPECT_EQ(mean.bounds.high, 1);
}

TEST(MeanRatio, StaysANumberWhereTheErrorsAreHopeless) {
  const Ratios ratios{times({1e-9, 1}), times({1, 1e9})};
  const MeanRatio mean = ratios.mean(6, true, 2);
  EXPECT_TRUE(std::isfinite(mean.bounds.high) && mean.bounds.low > 0);
  const MeanRatio own = ratios.mean(6, false, 2);
  EXPECT_TRUE(std::isfinite(own.bounds.high) && own.bounds.low > 0);
}

}  // namespace
}  // namespace kernsweep
