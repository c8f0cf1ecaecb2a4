#include "worker/host/group_events.hpp"

#include <gtest/gtest.h>

#include "tests/unit/host/doctor/tree.hpp"
#include "worker/host/doctor/conditions.hpp"

namespace kernsweep {
namespace {

using testing::Tree;

TEST(GroupEvents, CountWhatAQuotaStoppedOnTheWholeWayUp) {
  Tree tree;
  tree.write("proc/self/cgroup", "0::/a/b\n");
  tree.write("sys/fs/cgroup/a/b/cpu.max", "150000 100000\n");
  tree.write("sys/fs/cgroup/a/b/cpu.stat",
             "usage_usec 5\nnr_periods 9\nnr_throttled 3\nthrottled_usec 2500\n");
  tree.write("sys/fs/cgroup/a/cpu.max", "25000 100000\n");
  tree.write("sys/fs/cgroup/a/cpu.stat", "nr_throttled 4\nthrottled_usec 500000\n");
  tree.write("sys/fs/cgroup/cpu.stat", "nr_throttled 100\n");
  GroupEvents events(tree.root());
  Throttling seen = events.throttling();
  EXPECT_DOUBLE_EQ(seen.quota, 0.25) << "the least one counts";
  EXPECT_EQ(seen.periods, 107U) << "the top has no quota, and may get one";
  EXPECT_DOUBLE_EQ(seen.stopped_s, 0.5025);
  tree.write("sys/fs/cgroup/a/cpu.stat", "nr_throttled 5\nthrottled_usec 600000\n");
  seen = events.throttling();
  EXPECT_EQ(seen.periods, 108U) << "read again from the same descriptor";
}

TEST(GroupEvents, SeeAQuotaThatComesLater) {
  Tree tree;
  tree.write("proc/self/cgroup", "0::/a\n");
  tree.write("sys/fs/cgroup/a/cpu.max", "max 100000\n");
  tree.write("sys/fs/cgroup/a/cpu.stat", "nr_throttled 0\nthrottled_usec 0\n");
  GroupEvents events(tree.root());
  EXPECT_EQ(events.throttling().quota, 0);
  tree.write("sys/fs/cgroup/a/cpu.max", "25000 100000\n");
  tree.write("sys/fs/cgroup/a/cpu.stat", "nr_throttled 2\nthrottled_usec 150000\n");
  const Throttling seen = events.throttling();
  EXPECT_EQ(seen.periods, 2U);
  EXPECT_DOUBLE_EQ(seen.stopped_s, 0.15);
  EXPECT_DOUBLE_EQ(seen.quota, 0.25);
}

TEST(GroupEvents, OfVersion1AreUnderstood) {
  Tree tree;
  tree.write("proc/self/cgroup", "4:memory:/job\n2:cpu,cpuacct:/job\n");
  tree.write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "50000\n");
  tree.write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  tree.write("sys/fs/cgroup/cpu,cpuacct/job/cpu.stat",
             "nr_periods 9\nnr_throttled 3\nthrottled_time 1500000000\n");
  tree.write("sys/fs/cgroup/memory/job/memory.oom_control",
             "oom_kill_disable 0\nunder_oom 0\noom_kill 2\n");
  GroupEvents events(tree.root());
  const Throttling seen = events.throttling();
  EXPECT_DOUBLE_EQ(seen.quota, 0.5);
  EXPECT_EQ(seen.periods, 3U);
  EXPECT_DOUBLE_EQ(seen.stopped_s, 1.5);
  EXPECT_EQ(events.killed(), 2U);
}

TEST(GroupEvents, KilledProcessesAreThoseOfTheInnermostGroupThatCountsThem) {
  Tree tree;
  tree.write("proc/self/cgroup", "0::/a/b\n");
  tree.write("proc/vmstat", "nr_free_pages 1\noom_kill 9\n");
  EXPECT_EQ(GroupEvents(tree.root()).killed(), 9U) << "of the host, where no group counts";
  tree.write("sys/fs/cgroup/a/memory.events", "low 0\noom 6\noom_kill 5\noom_group_kill 7\n");
  EXPECT_EQ(GroupEvents(tree.root()).killed(), 5U);
  tree.write("sys/fs/cgroup/a/b/memory.events", "oom_kill 1\n");
  EXPECT_EQ(GroupEvents(tree.root()).killed(), 1U);
}

TEST(GroupEvents, WithoutGroupsThereIsNone) {
  Tree tree;
  GroupEvents events(tree.root());
  EXPECT_EQ(events.throttling().quota, 0);
  EXPECT_EQ(events.throttling().periods, 0U);
  EXPECT_FALSE(events.killed());
}

TEST(GroupEvents, OfAQuotaWholeCoresAreOfferedAndAtLeastOne) {
  EXPECT_EQ(cores_within(0.25, 2), 1U);
  EXPECT_EQ(cores_within(1.99, 4), 1U);
  EXPECT_EQ(cores_within(2.5, 4), 2U);
  EXPECT_EQ(cores_within(4, 4), 4U);
  EXPECT_EQ(cores_within(1e9, 4), 4U);
}

}  // namespace
}  // namespace kernsweep
