#include "worker/slot/measure/first_call.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <ctime>

namespace kernsweep {
namespace {

// 50 times the median and 10 ms, both.
TEST(FirstCall, IsToldWhenItIsSlowBesideTheMedianAndByItself) {
  EXPECT_TRUE(about_first_call({0.0101, 0.0101}, 0.0002));
  EXPECT_FALSE(about_first_call({0.0099, 0.0099}, 1e-7)) << "pages, caches and threads cost as much";
  EXPECT_FALSE(about_first_call({0.0101, 0.0101}, 0.00021)) << "48 times the median";
  EXPECT_TRUE(about_first_call({5, 5}, 0.09));
  EXPECT_FALSE(about_first_call({5, 5}, 0.11));
}

TEST(FirstCall, IsNotToldWhereItWaitedForAProcessor) {
  EXPECT_FALSE(about_first_call({0.5, 0.009}, 1e-6));
  EXPECT_FALSE(about_first_call({0.5, 0.04}, 0.001)) << "40 times the median";
  // Two threads of which one waits: the other spins. 8 switches explain 200 ms.
  EXPECT_FALSE(about_first_call({0.2, 0.209, 8}, 1e-6));
  EXPECT_TRUE(about_first_call({0.212, 0.211, 8}, 1e-6)) << "11 ms are not explained";
}

TEST(FirstCall, IsNotToldWhereNothingIsKnown) {
  EXPECT_FALSE(about_first_call({}, 1e-6));
  EXPECT_FALSE(about_first_call({1, 1}, 0));
  EXPECT_FALSE(about_first_call({1, 1}, std::nan("")));
}

TEST(FirstCall, TakesTheTimeByTheClockOfTheSamples) {
  ks_variant plain{}, with_clock{};
  with_clock.elapsed = [](void*) { return 0.25; };
  const FirstCallClock clock;
  const std::clock_t end = std::clock() + CLOCKS_PER_SEC / 100;  // of processor time
  while (std::clock() < end) {
  }
  const FirstCall own = clock.read(plain, nullptr), said = clock.read(with_clock, nullptr);
  EXPECT_GE(own.seconds, 0.009);
  EXPECT_GE(own.worked_s, 0.009);
  EXPECT_EQ(said.seconds, 0.25);
  EXPECT_EQ(said.worked_s, 0.25);
  with_clock.elapsed = [](void*) { return -1.0; };
  EXPECT_EQ(clock.read(with_clock, nullptr).seconds, 0);
}

}  // namespace
}  // namespace kernsweep
