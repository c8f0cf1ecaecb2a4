#include "worker/slot/watch/host_times.hpp"

#include <gtest/gtest.h>

#include "worker/slot/watch/gauges.hpp"

namespace kernsweep {
namespace {

// user nice system idle iowait irq softirq steal guest guest_nice
constexpr const char* kStat =
    "cpu  1000 200 300 99999 5000 40 60 70 900 0\n"
    "cpu0 500 100 150 49999 2500 20 30 11 450 0\n"
    "cpu1 500 100 150 50000 2500 20 30 59 450 0\n"
    "intr 12345 0 0\nctxt 5\n";

// 1000 + 200 + 300 + 40 + 60 = 1600 ticks at 100 a second; idle, waiting, stolen and guest time are not
// busy.
TEST(HostTimes, CountsBusyTicksOfAllAndStealOfItsOwn) {
  const auto both = host_times_of(kStat, {0, 1}, 100);
  ASSERT_TRUE(both);
  EXPECT_DOUBLE_EQ(both->busy_s, 16.0);
  EXPECT_DOUBLE_EQ(both->own_steal_s, 0.7);
  EXPECT_EQ(both->processors, 2u);
  EXPECT_EQ(host_times_of(kStat, {}, 100)->processors, 2u) << "all of them, whose busy time it is";
  EXPECT_DOUBLE_EQ(host_times_of(kStat, {1}, 100)->own_steal_s, 0.59);
  EXPECT_DOUBLE_EQ(host_times_of(kStat, {}, 100)->own_steal_s, 0);
  EXPECT_DOUBLE_EQ(host_times_of(kStat, {17}, 1000)->busy_s, 1.6);
  EXPECT_DOUBLE_EQ(host_times_of(kStat, {1}, 100)->own_busy_s, 8.0);
  EXPECT_EQ(host_times_of(kStat, {1, 17}, 100)->own, 1u);
}

TEST(HostTimes, TakesATextThatWasCutShortBehindTheProcessors) {
  EXPECT_TRUE(host_times_of("cpu  1 2 3 4 5 6 7 8 9 0", {0}, 100));
}

TEST(HostTimes, AnythingElseIsNotKnown) {
  for (const char* text : {"", "intr 5\n", "cpu", "cpu  1 2 3\n", "cpu  1 2 x 4 5 6 7 8\n",
                           "cpu  1 2 3 4 5 6 7 99999999999999999999999\n", "cpu0 1 2 3 4 5 6 7 8\n",
                           "cpu  1 2 3 4 5 6 7 8\ncpu0 1 2\n"})
    EXPECT_FALSE(host_times_of(text, {0}, 100)) << text;
  EXPECT_FALSE(host_times_of(kStat, {0}, 0)) << "ticks of no length";
}

HostTimes busy(double seconds) {
  return {seconds, 0, 2};
}

// 1.2 s busy in 0.6 s are two cores; one of them is ours.
TEST(ForeignCores, AreWhatIsBusyLessOurOwn) {
  EXPECT_NEAR(*foreign_cores(busy(10), busy(11.2), 0.6, 0.6), 1, 1e-9);
  EXPECT_DOUBLE_EQ(*foreign_cores(busy(10), busy(10.6), 0.6, 0.6), 0.0);
  EXPECT_DOUBLE_EQ(*foreign_cores(busy(10), busy(10.59), 0.6, 0.6), 0.0) << "rounded to ticks, never below";
}

TEST(ForeignCores, AreNotKnownWhereTimeMakesNoSense) {
  EXPECT_FALSE(foreign_cores(busy(10), busy(11), 0, 0.04)) << "four ticks tell nothing";
  EXPECT_FALSE(foreign_cores(busy(10), busy(9), 0, 1)) << "a count that goes backwards";
  EXPECT_FALSE(foreign_cores(busy(10), busy(11), -1, 1));
  EXPECT_FALSE(foreign_cores(busy(10), busy(11), 0, 0));
  EXPECT_FALSE(foreign_cores(busy(10), busy(11), 0, -1));
}

TEST(ForeignOnOwn, IsNothingBelowATickForEachProcessor) {
  const HostTimes before{.own_busy_s = 10, .own = 4}, after{.own_busy_s = 14, .own = 4};
  EXPECT_NEAR(*foreign_on_own(before, after, 3.5, 1), 0.5, 1e-9);
  EXPECT_DOUBLE_EQ(*foreign_on_own(before, after, 3.965, 1), 0);
  EXPECT_DOUBLE_EQ(*foreign_on_own(before, after, 5, 1), 0) << "some of its time was spent elsewhere";
  EXPECT_FALSE(foreign_on_own(before, {.own_busy_s = 14, .own = 3}, 1, 1)) << "a processor has gone";
  EXPECT_FALSE(foreign_on_own(before, {.own_busy_s = 9, .own = 4}, 1, 1));
}

TEST(Crowded, IsAHostWithFewerCoresThanItsThreadsWant) {
  EXPECT_TRUE(crowded(2, 1.05, 1, 2)) << "two threads shared what others had left: less than a core";
  EXPECT_FALSE(crowded(1, 1.05, 1, 2)) << "a core for each, but for what is within the margin";
  EXPECT_TRUE(crowded(1, 1.15, 1, 2));
  EXPECT_FALSE(crowded(2, 1.05, 1, 4));
  EXPECT_FALSE(crowded(2, 0.09, 1, 2)) << "the margin is a tenth of a core";
  EXPECT_TRUE(crowded(2, 0.11, 1, 2));
}

TEST(Crowded, IsNotSaidWhereItMayBeOtherwise) {
  EXPECT_FALSE(crowded(2, 0.5, 0.09, 2)) << "less than five ticks of 10 ms";
  EXPECT_TRUE(crowded(2, 0.5, 0.11, 2));
  EXPECT_FALSE(crowded(2, 1.05, 1, 0)) << "the processors are not known";
  EXPECT_FALSE(crowded(4, 0, 1, 2)) << "more threads than processors are the job's own wish";
  EXPECT_TRUE(crowded(4, 0.5, 1, 2));
}

TEST(ForeignCores, AreWorthTellingFromAFifthOfACoreAndFiveTicks) {
  EXPECT_TRUE(neighbour_noticed(0.2, 0.6));
  EXPECT_FALSE(neighbour_noticed(0.19, 60));
  EXPECT_FALSE(neighbour_noticed(0.5, 0.07)) << "35 ms may be rounding";
  EXPECT_TRUE(neighbour_noticed(0.97, 0.07)) << "a neighbour that burns a core shows in 70 ms";
}

TEST(Energy, IsTheSumOfThePackages) {
  EXPECT_DOUBLE_EQ(*energy_gained_j({1'000'000, 5'000'000}, {3'000'000, 5'500'000}, {9'000'000, 9'000'000}),
                   2.5);
}

// From 8 to the end at 9 is 1, and 0.5 after it.
TEST(Energy, CountersWrap) {
  EXPECT_DOUBLE_EQ(*energy_gained_j({8'000'000}, {500'000}, {9'000'000}), 1.5);
}

TEST(Energy, IsNotKnownWhenTheNumbersDoNotFit) {
  EXPECT_FALSE(energy_gained_j({}, {}, {}));
  EXPECT_FALSE(energy_gained_j({1, 2}, {3}, {9, 9}));
  EXPECT_FALSE(energy_gained_j({8}, {5}, {})) << "no range to wrap at";
  EXPECT_FALSE(energy_gained_j({8}, {5}, {7})) << "beyond its own range";
}

}  // namespace
}  // namespace kernsweep
