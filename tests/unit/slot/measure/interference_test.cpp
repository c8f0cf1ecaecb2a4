#include "worker/slot/measure/interference.hpp"

#include <gtest/gtest.h>

namespace kernsweep {
namespace {

int chosen_of_10000(std::uint64_t seed, double share) {
  int count = 0;
  for (std::uint64_t i = 0; i < 10'000; ++i) count += chosen_for_interference(seed, i, share);
  return count;
}

TEST(Interference, ZeroChoosesNoneAndOneAll) {
  EXPECT_EQ(chosen_of_10000(1, 0), 0);
  EXPECT_EQ(chosen_of_10000(1, 1), 10'000);
  EXPECT_EQ(chosen_of_10000(1, -1), 0);
}

// 5 % of 10,000 are 500, with a deviation of sqrt(10,000 x 0.05 x 0.95) = 22: six of them are 131.
TEST(Interference, ChoosesAboutTheShare) {
  for (const std::uint64_t seed : {1, 2, 3, 99}) {
    EXPECT_GT(chosen_of_10000(seed, 0.05), 500 - 131) << seed;
    EXPECT_LT(chosen_of_10000(seed, 0.05), 500 + 131) << seed;
  }
}

TEST(Interference, TheSameJobsEachTimeAndOthersForAnotherSeed) {
  int same = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(chosen_for_interference(7, i, 0.5), chosen_for_interference(7, i, 0.5));
    same += chosen_for_interference(7, i, 0.5) == chosen_for_interference(8, i, 0.5);
  }
  EXPECT_LT(same, 700);
}

}  // namespace
}  // namespace kernsweep
