#include <gtest/gtest.h>

#include "tests/unit/host/doctor/tree.hpp"

namespace kernsweep {
namespace {

using testing::Tree;

TEST(ControlGroups, WithoutAnyThereIsNoLimit) {
  Tree tree;
  const GroupLimits limits = group_limits_under(tree.root());
  EXPECT_FALSE(limits.cpus || limits.memory_bytes || limits.memory_left_bytes);
  EXPECT_EQ(limits.throttled, 0U);
}

TEST(ControlGroups, TheTightestGroupOnTheWayUpCounts) {
  Tree tree;
  tree.write("proc/self/cgroup", "0::/a/b\n");
  tree.write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  tree.write("sys/fs/cgroup/a/b/memory.max", "4000\n");
  tree.write("sys/fs/cgroup/a/b/memory.current", "1000\n");
  tree.write("sys/fs/cgroup/a/cpu.max", "50000 100000\n");
  tree.write("sys/fs/cgroup/a/memory.max", "8000\n");
  tree.write("sys/fs/cgroup/a/memory.current", "7500\n");
  const GroupLimits limits = group_limits_under(tree.root());
  EXPECT_DOUBLE_EQ(limits.cpus.value_or(-1), 0.5);
  EXPECT_EQ(limits.memory_bytes, 4000U);
  EXPECT_EQ(limits.memory_left_bytes, 500U) << "8000 - 7500 in the parent is less than 4000 - 1000";
}

TEST(ControlGroups, CacheThatCanBeDroppedCountsAsFree) {
  Tree tree;
  testing::plant_container(tree);
  // 536870912 - (300000000 - 100000000)
  EXPECT_EQ(group_limits_under(tree.root()).memory_left_bytes, 336870912U);
}

TEST(ControlGroups, OfVersion1AreUnderstood) {
  Tree tree;
  tree.write("proc/self/cgroup",
             "4:memory:/job\n3:cpuset:/job\n2:cpu,cpuacct:/job\n1:name=systemd:/x\nnonsense\n");
  tree.write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "200000\n");
  tree.write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  tree.write("sys/fs/cgroup/cpu,cpuacct/job/cpu.stat", "nr_periods 9\nnr_throttled 3\n");
  tree.write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1073741824\n");
  tree.write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "73741824\n");
  tree.write("sys/fs/cgroup/cpuset/job/cpuset.cpus", "4-7\n");
  const GroupLimits limits = group_limits_under(tree.root());
  EXPECT_DOUBLE_EQ(limits.cpus.value_or(-1), 2.0);
  EXPECT_EQ(limits.throttled, 3U);
  EXPECT_EQ(limits.memory_bytes, 1073741824U);
  EXPECT_EQ(limits.memory_left_bytes, 1000000000U);
  EXPECT_EQ(limits.cpuset, "4-7");
}

TEST(ControlGroups, OfVersion1WithoutAQuotaHaveNone) {
  Tree tree;
  tree.write("proc/self/cgroup", "2:cpu:/\n3:memory:/\n");
  tree.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  tree.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  tree.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  const GroupLimits limits = group_limits_under(tree.root());
  EXPECT_FALSE(limits.cpus || limits.memory_bytes);
}

// Inside a container the path names a group of the host, which the container cannot see: its own group is
// the mount itself.
TEST(ControlGroups, APathThatIsNotVisibleEndsAtTheMount) {
  Tree tree;
  tree.write("proc/self/cgroup", "2:cpu:/docker/4711\n0::/docker/4711\n");
  tree.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
  tree.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  tree.write("sys/fs/cgroup/unified/memory.max", "1000\n");
  const GroupLimits limits = group_limits_under(tree.root());
  EXPECT_DOUBLE_EQ(limits.cpus.value_or(-1), 0.5);
  EXPECT_EQ(limits.memory_bytes, 1000U) << "version 2 beside version 1 is mounted at unified/";
}

TEST(ControlGroups, APeriodOfZeroDividesNothing) {
  Tree tree;
  tree.write("proc/self/cgroup", "0::/\n");
  tree.write("sys/fs/cgroup/cpu.max", "100 0\n");
  EXPECT_FALSE(group_limits_under(tree.root()).cpus);
}

}  // namespace
}  // namespace kernsweep
