#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "shared/stats/distributions.hpp"
#include "shared/stats/false_discoveries.hpp"
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

// Equal numbers on one side say nothing about the order of the sides: 5 below 5 is one order of 252,
// doubled.
TEST(MannWhitney, IsExactWhereOnlyNumbersOfOneSideAreEqual) {
  const RankTest apart = mann_whitney(Numbers{1, 1, 2, 3, 3}, Numbers{4, 5, 5, 6, 7});
  EXPECT_TRUE(apart.exact);
  EXPECT_DOUBLE_EQ(apart.p, 2.0 / 252);
  EXPECT_FALSE(mann_whitney(Numbers{1, 1, 2, 3, 4}, Numbers{4, 5, 5, 6, 7}).exact);
}

// None of 8: 2 / 2^8. One of 5: 2 * (1 + 5) / 2^5. Two of 4 is the middle: all orders.
TEST(SignTest, IsTwiceTheTailOfTheBinomial) {
  EXPECT_DOUBLE_EQ(sign_test_p(0, 8), 2.0 / 256);
  EXPECT_DOUBLE_EQ(sign_test_p(1, 5), 12.0 / 32);
  EXPECT_DOUBLE_EQ(sign_test_p(2, 4), 1);
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

// Where 0.5^n is too small for a double. Of 2,000 numbers 1,000 on one side are what is expected, 900
// are 4.5 standard deviations fewer: 2 * Phi(-(1000 - 900.5) / sqrt(500)) = 8.6e-6 by the normal
// approximation.
TEST(SignTest, KnowsManyNumbers) {
  EXPECT_EQ(sign_test_p(1000, 2000), 1);
  EXPECT_NEAR(sign_test_p(900, 2000), 8.6e-6, 3e-7);
  EXPECT_NEAR(sign_test_p(0, 8), 2.0 / 256, 1e-12);
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
