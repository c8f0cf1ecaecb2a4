#include "worker/slot/watch/effective_clock.hpp"

#include <gtest/gtest.h>

namespace kernsweep {
namespace {

using namespace std::chrono_literals;

TEST(EffectiveClock, IsAdditionsPerNanosecond) {
  EXPECT_DOUBLE_EQ(clock_ghz_of(32'768, 8192ns), 4.0);
  EXPECT_DOUBLE_EQ(clock_ghz_of(1000, 2000ns), 0.5);
}

TEST(EffectiveClock, IsNotKnownWhenTimeStandsStillOrGoesBackwards) {
  EXPECT_EQ(clock_ghz_of(32'768, 0ns), 0);
  EXPECT_EQ(clock_ghz_of(32'768, -5ns), 0);
}

// No processor adds a hundred times in a nanosecond, and none that runs this takes a microsecond for one.
TEST(EffectiveClock, IsThatOfAProcessor) {
  const double ghz = effective_clock_ghz();
#if defined(__x86_64__) || defined(__aarch64__)
  EXPECT_GT(ghz, 0.001);
  EXPECT_LT(ghz, 100);
#else
  EXPECT_EQ(ghz, 0);
#endif
}

ClockStability after(std::initializer_list<double> probes) {
  ClockStability stability;
  for (const double ghz : probes) stability.add(ghz);
  return stability;
}

TEST(ClockStability, NeedsFiveProbes) {
  EXPECT_FALSE(after({}).stable());
  EXPECT_FALSE(after({3, 3, 3, 3}).stable());
  EXPECT_TRUE(after({3, 3, 3, 3, 3}).stable());
}

// (3 - 2.94) / 3 is 2 %: within. (3 - 2.93) / 3 is 2.3 %.
TEST(ClockStability, IsASpreadOfTwoPercentOfTheHighest) {
  EXPECT_TRUE(after({3, 2.941, 3, 3, 3}).stable());
  EXPECT_FALSE(after({3, 2.93, 3, 3, 3}).stable());
}

TEST(ClockStability, ForgetsWhatIsMoreThanFiveProbesAgo) {
  EXPECT_FALSE(after({1, 3, 3, 3, 3}).stable());
  EXPECT_TRUE(after({1, 3, 3, 3, 3, 3}).stable());
  EXPECT_FALSE(after({3, 3, 3, 3, 3, 1}).stable()) << "it may be lost again";
}

TEST(ClockStability, TellsTheMedianOfTheLastProbes) {
  EXPECT_EQ(after({}).reference_ghz(), 0);
  EXPECT_EQ(after({9, 9, 1, 5, 2, 4, 3}).reference_ghz(), 3);
  EXPECT_EQ(after({0, 0, 2.5}).reference_ghz(), 2.5) << "a probe that is not known is none";
}

}  // namespace
}  // namespace kernsweep
