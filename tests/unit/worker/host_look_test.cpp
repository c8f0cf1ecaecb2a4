#include "worker/host_look.hpp"

#include <gtest/gtest.h>

namespace kernsweep::worker {
namespace {

// 100 ticks passed on each of two processors, 150 were busy and 10 stolen. Two cc1 used 60 and 30 ticks, a
// make 20, a sh 4, and the slot of group 9 used 40.
TEST(HostLook, ProcessesOfOneNameAreOneAndOursAreNone) {
  kernsweep::Activity before, after;
  before.cpus[0] = before.cpus[1] = {0, 0, 0};
  after.cpus[0] = {100, 0, 0};
  after.cpus[1] = {50, 40, 10};
  after.processes[1] = {"cc1", 1, 60, 1};
  after.processes[2] = {"make", 1, 20, 1};
  after.processes[3] = {"cc1", 1, 30, 1};
  after.processes[4] = {"sh", 1, 4, 1};
  after.processes[9] = {"kernsweep-slot", 1, 40, 9};
  const HostSeen seen = seen_between(before, after, {{}, {9}});
  EXPECT_EQ(seen.who, "cc1 uses 0.9 cores, make 0.2");
  EXPECT_DOUBLE_EQ(seen.busy_cores, 1.1);
  EXPECT_DOUBLE_EQ(seen.steal_share, 0.05);
  EXPECT_EQ(seen.processors, 2U);
}

// 40 of 100 ticks were busy: 4 of a process that lives. The others may be ours, unless its children have
// ended.
TEST(HostLook, WhatUsesHardlyAnythingIsNoReasonToWait) {
  kernsweep::Activity before, after;
  before.cpus[0] = {0, 0, 0};
  after.cpus[0] = {40, 60, 0};
  after.processes[1] = {"kernsweep", 1, 4, 1};
  EXPECT_EQ(seen_between(before, after, {}).who, "");
  EXPECT_FALSE(disturbs(seen_between(before, after, {})));
  before.processes[1] = {"kernsweep", 1, 0, 1};
  after.processes[1].of_children = 36;
  EXPECT_EQ(seen_between(before, after, {}).who, "");
  EXPECT_TRUE(disturbs(seen_between(before, after, {})));
}

// The worker is 7. What it has started is ours, whatever group it is in and whatever its number is.
TEST(HostLook, WhatOurProcessesHaveStartedIsOurs) {
  kernsweep::Activity before, after;
  before.cpus[0] = {0, 0, 0};
  after.cpus[0] = {90, 10, 0};
  after.processes[3] = {"kernsweep-slot", 1, 30, 3, 0, 5};
  after.processes[5] = {"sh", 1, 20, 5, 0, 7};
  after.processes[7] = {"kernsweep", 1, 30, 1};
  after.processes[9] = {"make", 1, 10, 9};
  const HostSeen seen = seen_between(before, after, {{7}, {}});
  EXPECT_EQ(seen.who, "make uses 0.1 cores");
  EXPECT_DOUBLE_EQ(seen.busy_cores, 0.1);
}

TEST(HostLook, AnIdleHostHasNobodyToName) {
  kernsweep::Activity before, after;
  before.cpus[0] = {0, 0, 0};
  after.cpus[0] = {0, 100, 0};
  const HostSeen seen = seen_between(before, after, {});
  EXPECT_EQ(seen.who, "");
  EXPECT_FALSE(disturbs(seen));
}

// A name may hold a line feed.
TEST(HostLook, ANameIsOneLine) {
  kernsweep::Activity before, after;
  before.cpus[0] = {0, 0, 0};
  after.cpus[0] = {50, 50, 0};
  after.processes[1] = {"a\nb", 1, 50, 1};
  EXPECT_EQ(seen_between(before, after, {}).who.find('\n'), std::string::npos);
}

TEST(HostLook, LooksAtThisHost) {
  HostLook look;
  EXPECT_GE(look.look({}).processors, 1U);
}

}  // namespace
}  // namespace kernsweep::worker
