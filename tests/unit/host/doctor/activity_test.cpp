#include "worker/host/doctor/activity.hpp"

#include <gtest/gtest.h>

#include "tests/unit/host/doctor/tree.hpp"

namespace kernsweep {
namespace {

using testing::Tree;

// Two processors, 100 ticks passed on each: on 0 all busy, on 1 20 busy, 10 stolen, 70 idle.
void plant_moment(Tree& tree, bool later) {
  tree.write("proc/stat", later ? "cpu  1120 0 0 1170 0 0 0 10 0 0\ncpu0 1100 0 0 500 0 0 0 0 0 0\n"
                                  "cpu1 20 0 0 570 100 0 0 10 0 0\nintr 5\n"
                                : "cpu  1000 0 0 1100 0 0 0 0 0 0\ncpu0 1000 0 0 500 0 0 0 0 0 0\n"
                                  "cpu1 0 0 0 500 100 0 0 0 0 0\nintr 4\n");
  const std::string tail = " 0 0 20 0 1 0 777 1 1\n";
  tree.write("proc/41/stat",
             "41 (burn) in a) R 1 1 1 0 -1 0 0 0 0 0 " + std::string(later ? "190 5" : "100 0") + tail);
  tree.write("proc/42/stat",
             "42 (quiet) S 1 1 1 0 -1 0 0 0 0 0 " + std::string(later ? "8 0" : "7 0") + tail);
  tree.write("proc/43/stat",
             "43 (self) S 1 1 1 0 -1 0 0 0 0 0 " + std::string(later ? "50 0" : "0 0") + tail);
  tree.write("proc/44/stat", "damaged");
  tree.write("proc/vmstat", later ? "pswpin 12\npswpout 3\n" : "pswpin 10\npswpout 1\n");
}

Disturbance between_moments(const std::vector<std::uint32_t>& cpus) {
  Tree before, after;
  plant_moment(before, false);
  plant_moment(after, true);
  return disturbance_between(activity_under(before.root()), activity_under(after.root()), cpus, 1, {{43}});
}

TEST(Activity, IsTheShareOfTheTicksThatPassed) {
  const Disturbance seen = between_moments({0, 1});
  EXPECT_DOUBLE_EQ(seen.busy_cpus, 1.2);     // 100/100 + 20/100
  EXPECT_DOUBLE_EQ(seen.steal_share, 0.05);  // 10 of 200
  EXPECT_EQ(seen.swapped_pages, 4U);         // (12 - 10) + (3 - 1)
}

TEST(Activity, CountsOnlyOurProcessors) {
  const Disturbance seen = between_moments({1});
  EXPECT_DOUBLE_EQ(seen.busy_cpus, 0.2);
  EXPECT_DOUBLE_EQ(seen.steal_share, 0.1);
}

TEST(Activity, NamesWhoComputesButNotOurselves) {
  const Disturbance seen = between_moments({});
  ASSERT_EQ(seen.busiest.size(), 1U) << "1 tick is below 2 %";
  EXPECT_EQ(seen.busiest[0].pid, 41);
  EXPECT_EQ(seen.busiest[0].name, "burn) in a") << "a name may hold parentheses";
  EXPECT_DOUBLE_EQ(seen.busiest[0].cpus, 0.95);  // 190 + 5 - 100 of 100 ticks
}

// 120 ticks were busy on both processors. 41 used 190 + 5 - 100 = 95 of them and 43 used 50.
TEST(Activity, WhatOursUsedIsNotOfOthers) {
  Tree before, after;
  plant_moment(before, false);
  plant_moment(after, true);
  const auto seen = [&](const OurProcesses& ours) {
    return disturbance_between(activity_under(before.root()), activity_under(after.root()), {}, 1, ours);
  };
  EXPECT_DOUBLE_EQ(seen({{43}}).busy_cpus, 0.7);
  EXPECT_DOUBLE_EQ(seen({{41}}).busy_cpus, 0.25);
  EXPECT_TRUE(seen({{}, {1}}).busiest.empty()) << "all are of group 1";
  EXPECT_EQ(seen({{}, {1}}).busy_cpus, 0) << "more than was busy";
}

// A slot of 30 ticks ends, and its parent 7 has waited for it; 10 more ticks are the slot's in between.
TEST(Activity, WhatAnEndedChildUsedIsCountedOnce) {
  Activity before, after;
  before.cpus[0] = {0, 0, 0};
  after.cpus[0] = {60, 40, 0};
  before.processes[7] = {"worker", 1, 5, 7, 0};
  before.processes[8] = {"slot", 1, 30, 8, 0};
  after.processes[7] = {"worker", 1, 5, 7, 40};
  EXPECT_DOUBLE_EQ(disturbance_between(before, after, {}, 1, {{7}, {8}}).busy_cpus, 0.5);
}

TEST(Activity, AProcessThatTookOverANumberStartsFromZero) {
  Activity before, after;
  before.cpus[0] = {0, 0, 0};
  after.cpus[0] = {50, 50, 0};
  before.processes[9] = {"old", 1, 1000};
  after.processes[9] = {"new", 2, 40};
  const Disturbance seen = disturbance_between(before, after, {}, 1, {});
  ASSERT_EQ(seen.busiest.size(), 1U);
  EXPECT_DOUBLE_EQ(seen.busiest[0].cpus, 0.4);
}

TEST(Activity, OnlyTheBusiestAreNamedInDescendingOrder) {
  Activity before, after;
  before.cpus[0] = {0, 0, 0};
  after.cpus[0] = {100, 0, 0};
  for (int pid = 1; pid <= 9; ++pid) after.processes[pid] = {"p", 1, static_cast<std::uint64_t>(pid) * 2};
  const Disturbance seen = disturbance_between(before, after, {}, 1, {});
  ASSERT_EQ(seen.busiest.size(), 3U);
  EXPECT_EQ(seen.busiest[0].pid, 9);
  EXPECT_EQ(seen.busiest[2].pid, 7);
}

TEST(Activity, ClocksThatStandStillOrGoBackwardsDisturbNothing) {
  Activity before;
  before.cpus[0] = {100, 100, 100};
  before.swapped_pages = 9;
  const Disturbance still = disturbance_between(before, before, {}, 1, {});
  EXPECT_EQ(still.busy_cpus, 0);
  EXPECT_EQ(still.steal_share, 0);
  Activity earlier;
  earlier.cpus[0] = {50, 60, 70};
  const Disturbance backwards = disturbance_between(before, earlier, {}, 1, {});
  EXPECT_EQ(backwards.busy_cpus, 0);
  EXPECT_EQ(backwards.swapped_pages, 0U);
}

TEST(Activity, OfNothingIsNothing) {
  Tree tree;
  const Activity none = activity_under(tree.root());
  EXPECT_TRUE(none.cpus.empty());
  EXPECT_EQ(disturbance_between(none, none, {0, 1}, 1, {}).busy_cpus, 0);
}

TEST(Activity, OfThisHostHasItsProcessors) {
  EXPECT_FALSE(activity_under("/").cpus.empty());
  EXPECT_GE(watch_disturbance({}, 0.05).busy_cpus, 0);
}

}  // namespace
}  // namespace kernsweep
