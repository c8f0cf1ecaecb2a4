#include "worker/slot/measure/median_interval.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace kernsweep {
namespace {

// scipy.stats.binom.ppf(0.025, n, 0.5)
TEST(MedianInterval, HasTheRanksOfTheBinomialDistribution) {
  const std::pair<std::uint64_t, std::uint64_t> kTable[] = {
      {0, 0},    {1, 0},    {5, 0},     {6, 1},      {8, 1},      {9, 2},      {10, 2},
      {11, 2},   {12, 3},   {15, 4},    {20, 6},     {25, 8},     {30, 10},    {50, 18},
      {100, 40}, {101, 41}, {500, 228}, {1000, 469}, {1999, 956}, {2000, 956}, {5000, 2431}};
  for (const auto& [n, rank] : kTable) EXPECT_EQ(median_interval_rank(n), rank) << n;
  EXPECT_NEAR(static_cast<double>(median_interval_rank(1'000'000'000)), 499'969'010, 2)
      << "n / 2 - 1.96 sqrt(n) / 2";
}

TEST(MedianInterval, ErrorIsHalfItsWidthOverTheMedian) {
  EXPECT_DOUBLE_EQ(median_error(std::vector{4.0}), 0);
  EXPECT_DOUBLE_EQ(median_error(std::vector{5.0, 3.0}), 0.25) << "half of the range";
  EXPECT_DOUBLE_EQ(median_error(std::vector{5.0, 3.0, 4.0, 4.0, 4.0, 100.0, 4.0, 4.0, 4.0, 1.0}), 1.0 / 4)
      << "from the second to the ninth of ten";
  std::vector<double> hundred;
  for (int i = 100; i >= 1; --i) hundred.push_back(i);
  EXPECT_DOUBLE_EQ(median_error(hundred), (61 - 40) / 2.0 / 50.5);
}

// Exponential samples, whose median is ln 2. The rank of 30 samples leaves 2.1 % on either side.
TEST(MedianInterval, HoldsTheMedianAsOftenAsItSays) {
  std::mt19937 random(7);
  std::exponential_distribution<double> draw;
  constexpr int kTrials = 4000;
  int held = 0;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> samples(30);
    for (double& each : samples) each = draw(random);
    std::sort(samples.begin(), samples.end());
    const std::size_t rank = median_interval_rank(samples.size());
    held += samples[rank - 1] <= 0.6931 && 0.6931 <= samples[samples.size() - rank];
  }
  EXPECT_GT(held, kTrials * 0.95 - 55) << "four deviations";
}

}  // namespace
}  // namespace kernsweep
