// The exponential of our own kernels, by the vectors that every processor has.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#define KERNSWEEP_VECTOR_BYTES 16
#include "kernels/cpu/attention/lanes.hpp"

namespace kernsweep::attention {
namespace {

float exp2_of(float x) {
  return Lanes::exp2(Lanes::Vector{} + x)[0];
}

// Steps of 2^-13 through the whole range, moved so that they are no round numbers, and all round numbers.
TEST(AttentionExp2, IsWithinTheErrorThatIsSaid) {
  double worst = 0;
  for (std::int64_t i = 0; i <= 125 * 8192; ++i)
    for (const float x : {static_cast<float>(-i) / 8192, static_cast<float>(-i) / 8192.37F}) {
      const double right = std::exp2(static_cast<double>(x));
      worst = std::max(worst, std::abs(exp2_of(x) - right) / right);
    }
  EXPECT_LE(worst, 0x1p-23);
  EXPECT_GT(worst, 0);
}

TEST(AttentionExp2, OfNothingIsOneAndOfMaskedScoresIsZero) {
  EXPECT_EQ(exp2_of(0), 1);
  EXPECT_EQ(exp2_of(-125), 0x1p-125F);
  for (const float x :
       {-125.01F, -1e10F, std::numeric_limits<float>::lowest(), -std::numeric_limits<float>::infinity()})
    EXPECT_EQ(exp2_of(x), 0) << x;
}

TEST(AttentionLanes, AreSummedEachByItself) {
  Lanes::Vector rows[4] = {{1, 2, 4, 8}, {10, 20, 40, 80}, {100, 200, 400, 800}, {1e3, 2e3, 4e3, 8e3}};
  EXPECT_EQ(Lanes::sum(rows[1]), 150);
  const Lanes::Vector sums = Lanes::sums(rows);
  EXPECT_EQ(sums[0], 15);
  EXPECT_EQ(sums[1], 150);
  EXPECT_EQ(sums[2], 1500);
  EXPECT_EQ(sums[3], 15000);
}

}  // namespace
}  // namespace kernsweep::attention
