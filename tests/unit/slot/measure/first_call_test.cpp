#include "worker/slot/measure/first_call.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <ctime>
#include <thread>
#include <vector>

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

TEST(FirstCall, MayUseUpItsDataWhereColdCodeDoesNotExplainIt) {
  EXPECT_TRUE(may_use_up(2.05e-3, 50e-6)) << "sorting, and sorting what is sorted";
  EXPECT_FALSE(may_use_up(99e-6, 1e-6));
  EXPECT_TRUE(may_use_up(102e-6, 1e-6));
  EXPECT_FALSE(may_use_up(3.9e-3, 1e-3));
  EXPECT_FALSE(may_use_up(1, 0));
}

TEST(FirstCall, HasATrialThatTakesNoLongerThanTheMeasurement) {
  EXPECT_TRUE(worth_a_trial(0.4, 0.01, false));
  EXPECT_FALSE(worth_a_trial(0.6, 0.01, false));
  EXPECT_TRUE(worth_a_trial(0.6, 1, false));
  EXPECT_TRUE(worth_a_trial(20, 1, true)) << "it would have a note, and is worth more";
  EXPECT_FALSE(worth_a_trial(40, 1, true));
}

TEST(FirstCall, IsNotWhatItsPreparationsTake) {
  const Preparations none;
  EXPECT_NEAR(none.without_them(1), 1, 0.01);
  const Preparations touching;
  const std::vector<char> touched(std::size_t{64} << 20, 1);
  EXPECT_LT(touching.without_them(0.035), 0.01) << "64 MiB take up to 33 ms";
  const Preparations starting;
  std::atomic<bool> over = false;
  std::thread helper([&] { over.wait(false); });
  EXPECT_EQ(starting.without_them(1), 0);
  over = true;
  over.notify_all();
  helper.join();
}

}  // namespace
}  // namespace kernsweep
