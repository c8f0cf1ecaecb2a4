#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "shared/stats/distributions.hpp"
#include "shared/stats/false_discoveries.hpp"
#include "shared/stats/intervals.hpp"
#include "shared/stats/rank_test.hpp"

namespace kernsweep {
namespace {

using Numbers = std::vector<double>;

// 20 orders of 3 and 3. All of x below all of y: U = 0, one order of 20, doubled.
// With 4 and 3 exchanged U = 1 (4 > 3): orders with U <= 1 are two, so p = 2 * 2 / 20.
TEST(MannWhitney, CountsTheOrdersOfSmallSamples) {
  const RankTest apart = mann_whitney(Numbers{1, 2, 3}, Numbers{4, 5, 6});
  EXPECT_EQ(apart.u, 0);
  EXPECT_TRUE(apart.exact);
  EXPECT_DOUBLE_EQ(apart.p, 0.1);
  const RankTest almost = mann_whitney(Numbers{1, 2, 4}, Numbers{3, 5, 6});
  EXPECT_EQ(almost.u, 1);
  EXPECT_DOUBLE_EQ(almost.p, 0.2);
}

TEST(MannWhitney, DoesNotCareWhichSideIsFirst) {
  const Numbers x = {5, 1, 9, 12}, y = {2, 3, 10, 11, 13};
  EXPECT_DOUBLE_EQ(mann_whitney(x, y).p, mann_whitney(y, x).p);
  EXPECT_EQ(mann_whitney(x, y).u + mann_whitney(y, x).u, 20);
}

// U: each 1 of x ties with the one 1 of y: 2 * 0.5; the 2 beats one and ties with two: 1 + 2 * 0.5; sum 3.
// Mean 4.5, so 1.5 away, 1 after the correction for continuity. Two groups of three equal numbers: 2 * 24.
// Variance 9 / 12 * (7 - 48 / (6 * 5)) = 4.05. p = erfc(1 / sqrt(2 * 4.05)) = 0.6193.
TEST(MannWhitney, CorrectsForTies) {
  const RankTest test = mann_whitney(Numbers{1, 1, 2}, Numbers{1, 2, 2});
  EXPECT_FALSE(test.exact);
  EXPECT_EQ(test.u, 3);
  EXPECT_NEAR(test.p, 0.6193, 5e-5);
}

TEST(MannWhitney, ApproximationAgreesWithTheExactTestWhereBothApply) {
  Numbers x, y;
  for (int i = 0; i < 25; ++i) {
    x.push_back(i * 2);
    y.push_back(i * 2 + 11);
  }
  const double exact = mann_whitney(x, y).p;
  x.push_back(29.5);  // 26 and 25: beyond the exact test; in the middle, where it changes little
  const RankTest beyond = mann_whitney(x, y);
  EXPECT_FALSE(beyond.exact);
  EXPECT_NEAR(beyond.p, exact, 0.3 * exact);
}

TEST(MannWhitney, NothingToTellApartIsNoEvidence) {
  EXPECT_EQ(mann_whitney({}, Numbers{1, 2}).p, 1);
  EXPECT_EQ(mann_whitney(Numbers{1}, {}).p, 1);
  EXPECT_EQ(mann_whitney(Numbers(7, 0.25), Numbers(9, 0.25)).p, 1);
  EXPECT_EQ(mann_whitney(Numbers{1}, Numbers{2}).p, 1);
}

TEST(MannWhitney, TellsSmallDifferencesOfLargeNumbersApart) {
  const Numbers low = {1e9 - 5, 1e9 - 4, 1e9 - 3, 1e9 - 2, 1e9 - 1};
  const Numbers high = {1e9 + 1, 1e9 + 2, 1e9 + 3, 1e9 + 4, 1e9 + 5};
  EXPECT_DOUBLE_EQ(mann_whitney(low, high).p, 2.0 / 252);
}

// C(10, 5) = 252, C(6, 3) = 20, C(5, 1) = 5.
TEST(MannWhitney, SmallestPIsThatOfCompleteSeparation) {
  EXPECT_DOUBLE_EQ(smallest_p(5, 5), 2.0 / 252);
  EXPECT_DOUBLE_EQ(smallest_p(3, 3), 0.1);
  EXPECT_DOUBLE_EQ(smallest_p(1, 4), 0.4);
  EXPECT_EQ(smallest_p(0, 9), 1);
  EXPECT_EQ(smallest_p(1, 1), 1);
  EXPECT_GT(smallest_p(2000, 2000), 0);
}

// The median of two numbers drawn from {1, 3} is 1, 2 or 3 with 1/4, 1/2, 1/4: 99 % reach both ends.
TEST(Bootstrap, OfTwoNumbersReachesBoth) {
  const Interval at = bootstrap_ratio(Numbers{2, 2}, Numbers{1, 3}, 0.99, 999, 1);
  EXPECT_EQ(at.low, 0.5);
  EXPECT_EQ(at.high, 1.5);
}

TEST(Bootstrap, TheSameSeedGivesTheSameInterval) {
  const Numbers a = {1.0, 1.3, 1.1, 1.7, 1.2, 1.6}, b = {2.0, 2.2, 2.9, 2.4, 2.3};
  const Interval first = bootstrap_ratio(a, b, 0.9, 200, 7), second = bootstrap_ratio(a, b, 0.9, 200, 7);
  EXPECT_EQ(first.low, second.low);
  EXPECT_EQ(first.high, second.high);
  const Interval other = bootstrap_ratio(a, b, 0.9, 200, 8);
  EXPECT_TRUE(other.low != first.low || other.high != first.high);
}

TEST(Bootstrap, OfConstantsIsTheirRatio) {
  const Interval at = bootstrap_ratio(Numbers(5, 0.5), Numbers(3, 0.25), 0.99, 100, 1);
  EXPECT_EQ(at.low, 0.5);
  EXPECT_EQ(at.high, 0.5);
  EXPECT_EQ(bootstrap_ratio(Numbers{4}, Numbers{2}, 0.99, 10, 1).high, 0.5);
}

// Sorted 0.005, 0.01, 0.03, 0.04, times 4 / rank: 0.02, 0.02, 0.04, 0.04; none exceeds one behind it.
TEST(BenjaminiHochberg, AdjustsAsByHand) {
  const Numbers adjusted = benjamini_hochberg(Numbers{0.01, 0.04, 0.03, 0.005});
  EXPECT_DOUBLE_EQ(adjusted[0], 0.02);
  EXPECT_DOUBLE_EQ(adjusted[1], 0.04);
  EXPECT_DOUBLE_EQ(adjusted[2], 0.04);
  EXPECT_DOUBLE_EQ(adjusted[3], 0.02);
}

// 0.02 * 3 / 1 = 0.06 would exceed 0.025 * 3 / 2 = 0.0375 behind it: the smaller one holds for both.
TEST(BenjaminiHochberg, ALargerPIsNeverAdjustedBelowASmallerOne) {
  const Numbers adjusted = benjamini_hochberg(Numbers{0.02, 0.025, 0.9});
  EXPECT_DOUBLE_EQ(adjusted[0], 0.0375);
  EXPECT_DOUBLE_EQ(adjusted[1], 0.0375);
  EXPECT_DOUBLE_EQ(adjusted[2], 0.9);
}

TEST(BenjaminiHochberg, OneTestIsNotAdjustedAndNoneIsNone) {
  EXPECT_EQ(benjamini_hochberg(Numbers{0.3}), Numbers{0.3});
  EXPECT_TRUE(benjamini_hochberg({}).empty());
  EXPECT_EQ(benjamini_hochberg(Numbers{1, 1, 0}), (Numbers{1, 1, 0}));
}

// With one degree of freedom T is Cauchy's: |T| >= 1 with 1/2. Tables: t(0.975; 4) = 2.776.
TEST(StudentsT, AgreesWithTables) {
  EXPECT_NEAR(students_t_outside(1, 1), 0.5, 1e-12);
  EXPECT_EQ(students_t_outside(0, 3), 1);
  EXPECT_EQ(students_t_outside(INFINITY, 3), 0);
  EXPECT_NEAR(students_t_bound(0.05, 4), 2.776, 5e-4);
  EXPECT_NEAR(students_t_outside(students_t_bound(0.01, 2.5), 2.5), 0.01, 1e-10);
}

}  // namespace
}  // namespace kernsweep
