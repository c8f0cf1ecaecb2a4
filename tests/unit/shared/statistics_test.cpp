#include "shared/stats/statistics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace kernsweep {
namespace {

// Sorted 1, 2, 4, 8. Type 7 reads position q * (n - 1):
//   q1 at 0.75: 1 + 0.75 * (2 - 1) = 1.75;  median at 1.5: 2 + 0.5 * 2 = 3;  q3 at 2.25: 4 + 0.25 * 4 = 5.
// Mean 15 / 4 = 3.75; squared deviations 7.5625 + 3.0625 + 0.0625 + 18.0625 = 28.75, over n - 1 = 3.
// Distances from the median 2, 1, 1, 5: their median is (1 + 2) / 2.
// Type 7 over 0 ... 1000: the quantile q is at 1000 q.
TEST(Tail, IsOfTheSlowEnd) {
  std::vector<double> calls;
  for (int i = 1000; i >= 0; --i) calls.push_back(i);
  const Tail tail = tail_of(calls);
  EXPECT_DOUBLE_EQ(tail.p90, 900);
  EXPECT_DOUBLE_EQ(tail.p99, 990);
  EXPECT_DOUBLE_EQ(tail.p999, 999);
}

TEST(Tail, OfOneOrEqualCallsIsThatCall) {
  for (const std::size_t count : {1, 2, 100}) {
    const Tail tail = tail_of(std::vector<double>(count, 0.25));
    EXPECT_EQ(tail.p90, 0.25);
    EXPECT_EQ(tail.p999, 0.25);
  }
}

TEST(Statistics, OfFourNumbersIsAsByHand) {
  const std::vector<double> samples = {8, 1, 4, 2};
  const Summary summary = summarise(samples);
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.q1, 1.75);
  EXPECT_EQ(summary.median, 3);
  EXPECT_EQ(summary.q3, 5);
  EXPECT_EQ(summary.max, 8);
  EXPECT_DOUBLE_EQ(summary.mean, 3.75);
  EXPECT_DOUBLE_EQ(summary.stdev, std::sqrt(28.75 / 3));
  EXPECT_EQ(summary.mad, 1.5);
  EXPECT_EQ(samples, (std::vector<double>{8, 1, 4, 2})) << "the samples themselves stay in their order";
}

// Sorted 10, 20, 30, 40, 50: positions 0.25 * 4 = 1 and 0.1 * 4 = 0.4 and 0.9 * 4 = 3.6.
TEST(Statistics, QuantileInterpolatesBetweenOrderStatistics) {
  const std::vector<double> sorted = {10, 20, 30, 40, 50};
  EXPECT_EQ(quantile_of_sorted(sorted, 0), 10);
  EXPECT_EQ(quantile_of_sorted(sorted, 0.25), 20);
  EXPECT_DOUBLE_EQ(quantile_of_sorted(sorted, 0.1), 14);
  EXPECT_DOUBLE_EQ(quantile_of_sorted(sorted, 0.9), 46);
  EXPECT_EQ(quantile_of_sorted(sorted, 1), 50);
}

TEST(Statistics, OfOneSampleHasNoSpread) {
  const Summary summary = summarise(std::vector<double>{0.25});
  for (const double each :
       {summary.min, summary.q1, summary.median, summary.q3, summary.max, summary.mean}) {
    EXPECT_EQ(each, 0.25);
  }
  EXPECT_EQ(summary.stdev, 0);
  EXPECT_EQ(summary.mad, 0);
}

// 1 and 3: q1 at 0.25: 1.5; q3 at 0.75: 2.5; variance ((-1)^2 + 1^2) / 1 = 2; both lie 1 from the median.
TEST(Statistics, OfTwoSamplesInterpolatesAll) {
  const Summary summary = summarise(std::vector<double>{3, 1});
  EXPECT_EQ(summary.q1, 1.5);
  EXPECT_EQ(summary.median, 2);
  EXPECT_EQ(summary.q3, 2.5);
  EXPECT_DOUBLE_EQ(summary.stdev, std::sqrt(2.0));
  EXPECT_EQ(summary.mad, 1);
}

// Deviations -1, 0, 1: variance 2 / 2. The sum of squares is about 3e18, where doubles are 512 apart: the
// textbook formula would answer 0 or nonsense.
TEST(Statistics, KeepsTheDigitsOfSmallDifferencesOfLargeNumbers) {
  const Summary summary = summarise(std::vector<double>{1e9 - 1, 1e9, 1e9 + 1});
  EXPECT_DOUBLE_EQ(summary.mean, 1e9);
  EXPECT_DOUBLE_EQ(summary.stdev, 1);
  EXPECT_EQ(summary.mad, 1);
}

TEST(Statistics, OfAConstantIsThatConstant) {
  const Summary summary = summarise(std::vector<double>(101, 0.1));
  EXPECT_EQ(summary.mean, 0.1);
  EXPECT_EQ(summary.stdev, 0);
  EXPECT_EQ(summary.mad, 0);
  EXPECT_EQ(summary.q1, 0.1);
}

// One outlier of eleven: the median and the MAD do not see it, mean and deviation do.
TEST(Statistics, MedianAndMadResistAnOutlier) {
  std::vector<double> samples = {9, 10, 11, 9, 10, 11, 9, 10, 11, 10, 1000};
  const Summary summary = summarise(samples);
  EXPECT_EQ(summary.median, 10);
  EXPECT_EQ(summary.mad, 1);
  EXPECT_GT(summary.stdev, 100);
}

TEST(StatisticsDeathTest, NothingToSummariseIsTheCallersBug) {
  EXPECT_DEATH((void)summarise({}), "bug");
  EXPECT_DEATH((void)quantile_of_sorted(std::vector<double>{1}, 1.5), "bug");
}

// One of 1, 2, 3, 4, 100 is cut on either side: the mean of 2, 3, 4. Winsorised they are 2, 2, 3, 4, 4 with
// the variance 1: 4 * 1 / (3 * 2).
TEST(Statistics, TheTrimmedMeanIsThatOfYuen) {
  const TrimmedMean five = trimmed_mean_of(std::vector<double>{100, 3, 1, 4, 2});
  EXPECT_NEAR(five.mean, 3, 1e-12);
  EXPECT_NEAR(five.variance, 4.0 / 6, 1e-12);
  EXPECT_EQ(five.degrees, 2);
  // Below five nothing is cut: the variance of the mean of 1 and 3 is 2 / 2.
  const TrimmedMean two = trimmed_mean_of(std::vector<double>{1, 3});
  EXPECT_NEAR(two.variance, 1, 1e-12);
  EXPECT_NEAR(trimmed_mean_of(std::vector<double>{1, 3}, 8).variance, 4, 1e-12);
  EXPECT_EQ(trimmed_mean_of(std::vector<double>{7}).degrees, 0);
}

}  // namespace
}  // namespace kernsweep
