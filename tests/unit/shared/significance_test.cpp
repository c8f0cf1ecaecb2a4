#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "shared/stats/block_test.hpp"
#include "shared/stats/distributions.hpp"
#include "shared/stats/false_discoveries.hpp"

namespace kernsweep {
namespace {

using Numbers = std::vector<double>;

// All of 8 above 0: one of 2^8 choices of signs, doubled. The smallest of them below: two choices, doubled.
// Sums of the ranks 1 to 8 of at most 3: 0, 1, 2, 3, 1 + 2: five.
TEST(SignedRanks, CountTheChoicesOfSigns) {
  EXPECT_DOUBLE_EQ(signed_rank_p(Numbers{1, 2, 3, 4, 5, 6, 7, 8}), 2.0 / 256);
  EXPECT_DOUBLE_EQ(signed_rank_p(Numbers{-1, 2, 3, 4, 5, 6, 7, 8}), 4.0 / 256);
  EXPECT_DOUBLE_EQ(signed_rank_p(Numbers{1, 2, -3, 4, 5, 6, 7, 8}), 10.0 / 256);
  EXPECT_DOUBLE_EQ(signed_rank_p(Numbers{-1, -2, 3, -4, -5, -6, -7, -8}), 10.0 / 256);
}

// Four numbers of one size have rank 2.5 each. One of them below: 1 + 4 of 2^4 choices, doubled.
TEST(SignedRanks, GiveTiesTheirMeanRankAndZerosToBothSides) {
  EXPECT_DOUBLE_EQ(signed_rank_p(Numbers{-1, 1, 1, 1}), 10.0 / 16);
  EXPECT_EQ(signed_rank_p(Numbers{0, 0, 0}), 1);
  EXPECT_EQ(signed_rank_p({}), 1);
}

// 300 numbers, 1 to 300, with every tenth below: W = 4650, the mean of all is 22575, the deviation sqrt(300
// * 301 * 601 / 24) = 1503.7; p = erfc(11.92 / sqrt 2) of the normal approximation.
TEST(SignedRanks, AreApproximatedBeyondTheExactTest) {
  Numbers exact, many;
  for (int i = 1; i <= 300; ++i) {
    const double number = i % 10 == 0 ? -i : i;
    if (i <= 200) exact.push_back(i % 3 == 0 ? -i : i);
    many.push_back(number);
  }
  EXPECT_NEAR(std::log10(signed_rank_p(many)), std::log10(std::erfc(11.92 / std::sqrt(2.0))), 0.05);
  const double p = signed_rank_p(exact);
  exact.push_back(100.5);
  EXPECT_NEAR(signed_rank_p(exact), p, 0.3 * p);
}

// Means of all pairs of 1 to 9: 45. At 0.8 % sums of at most 1 are rejected (4 / 2^9): the second and the
// second to last. Of 7 nothing is rejected.
TEST(SignedRanks, IntervalHoldsTheShiftsThatAreNotRejected) {
  const Numbers nine = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  const Interval held = signed_rank_interval(nine, 0.008);
  EXPECT_DOUBLE_EQ(held.low, 1.5);
  EXPECT_DOUBLE_EQ(held.high, 8.5);
  Numbers shifted;
  for (const double each : nine) shifted.push_back(each - 1.5 - 1e-9);
  EXPECT_GT(signed_rank_p(shifted), 0.008);
  for (double& each : shifted) each += 2e-1;
  EXPECT_LE(signed_rank_p(shifted), 0.008);
  EXPECT_EQ(signed_rank_interval(Numbers(7, 1.0), 0.008).low, -INFINITY);
}

// The second of block 2 is missing, and the processes come in any order.
TEST(Blocks, PairProcessesThatRanTogether) {
  const auto found =
      differences_of({{3, 0.5, 0.5}, {1, 0.1, 0.1}, {2, 7, 7}}, {{1, 0.4, 0.2}, {3, 0.6, 0.6}, {9, 1, 1}});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0].least, 0.1, 1e-12);
  EXPECT_NEAR(found[0].most, 0.3, 1e-12);
  EXPECT_NEAR(found[1].least, 0.1, 1e-12);
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
