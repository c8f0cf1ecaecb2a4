#include "worker/host/topology.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <set>

namespace kernsweep {
namespace {

std::set<std::uint32_t> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::set<std::uint32_t> cpus;
  KS_ASSERT(sched_getaffinity(0, sizeof set, &set) == 0);
  for (std::uint32_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.insert(cpu);
  }
  return cpus;
}

// The result of `look` in a child that is bound to only one processor; affinity would outlive a test in
// this process.
bool holds_when_bound_to(std::uint32_t cpu, const std::function<bool()>& look) {
  const pid_t child = fork();
  KS_ASSERT(child >= 0);
  if (child == 0) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) _exit(2);
    _exit(look() ? 0 : 1);
  }
  int status = 0;
  KS_ASSERT(waitpid(child, &status, 0) == child);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// hwloc simulates the machine that this variable describes.
Topology simulated(const char* machine) {
  setenv("HWLOC_SYNTHETIC", machine, 1);
  auto topology = read_topology();
  unsetenv("HWLOC_SYNTHETIC");
  KS_ASSERT(topology);
  return *topology;
}

TEST(Topology, LeavesOutCoresThatNoSetOfProcessorsCanName) {
  EXPECT_EQ(simulated("pack:2 core:64 pu:2").cores.size(), 128U);
  const Topology large = simulated("pack:3 core:512 pu:1");
  ASSERT_EQ(large.cores.size(), 1024U);
  EXPECT_EQ(large.cores.back().cpu, 1023U);
}

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
using Bytes = std::vector<std::uint64_t>;

TEST(CacheShares, OfOneCacheAreThatCacheHoweverManyCoresDivideIt) {
  const Topology one = simulated("pack:1 l3:1(size=33554432) core:4 pu:1");
  EXPECT_EQ(cache_shares(one, {2}), Bytes{32 * kMiB});
  EXPECT_EQ(cache_shares(one, {0, 1, 2, 3}), Bytes(4, 8 * kMiB));
  EXPECT_EQ(reached_cache_bytes(one, {0, 1, 3}), 32 * kMiB + 1) << "rounded up";
}

// Cores 0 to 3 have one cache of 32 MiB, 4 to 7 the other.
TEST(CacheShares, OfTwoCachesAreThoseThatTheCoresReach) {
  const Topology two = simulated("pack:1 l3:2(size=33554432) core:4 pu:1");
  EXPECT_EQ(two.llc_bytes, 32 * kMiB) << "of one";
  EXPECT_EQ(reached_cache_bytes(two, {1, 2}), 32 * kMiB);
  EXPECT_EQ(reached_cache_bytes(two, {0, 1, 2, 3, 4, 5, 6, 7}), 64 * kMiB);
  EXPECT_EQ(cache_shares(two, {0, 1, 4}), (Bytes{16 * kMiB, 16 * kMiB, 32 * kMiB}));
}

// Two sockets of four caches, each with two cores of two hardware threads: core i has the processors 2i and
// 2i + 1; the first one counts.
TEST(CacheShares, OfEightCachesAreThoseThatTheCoresReach) {
  const Topology eight = simulated("pack:2 l3:4(size=16777216) l2:2(size=1048576) core:1 pu:2");
  ASSERT_EQ(eight.cores.size(), 16U);
  std::vector<std::uint32_t> all, one_of_each;
  for (const HostCore& core : eight.cores) {
    if (all.size() % 2 == 0) one_of_each.push_back(core.cpu);
    all.push_back(core.cpu);
  }
  EXPECT_EQ(reached_cache_bytes(eight, all), 8 * 16 * kMiB);
  EXPECT_EQ(cache_shares(eight, all), Bytes(16, 8 * kMiB));
  EXPECT_EQ(reached_cache_bytes(eight, one_of_each), 8 * 16 * kMiB);
  EXPECT_EQ(cache_shares(eight, one_of_each), Bytes(8, 16 * kMiB));
  EXPECT_EQ(cache_shares(eight, {0, 1}), (Bytes{16 * kMiB, 0})) << "1 is the second thread of core 0";
  EXPECT_EQ(reached_cache_bytes(eight, {}), 16 * kMiB) << "not known where: one";
}

// A cache with more cores than it has room for the level 2 of.
TEST(CacheShares, AreNoLessThanWhatEachCoreHasAlone) {
  const Topology small = simulated("pack:1 l3:1(size=4194304) l2:8(size=1048576) core:1 pu:1");
  EXPECT_EQ(reached_cache_bytes(small, {0}), 4 * kMiB);
  EXPECT_EQ(cache_shares(small, {0, 1, 2, 3, 4, 5, 6, 7}), Bytes(8, kMiB));
}

TEST(CpuListText, JoinsNeighbours) {
  EXPECT_EQ(cpu_list_text({}), "");
  EXPECT_EQ(cpu_list_text({7}), "7");
  EXPECT_EQ(cpu_list_text({0, 1}), "0-1");
  EXPECT_EQ(cpu_list_text({0, 2}), "0,2");
  EXPECT_EQ(cpu_list_text({0, 1, 2, 3, 8}), "0-3,8");
  EXPECT_EQ(cpu_list_text({8, 3, 1, 0, 2}), "0-3,8");
  EXPECT_EQ(cpu_list_text({5, 9, 10, 11, 20, 21}), "5,9-11,20-21");
}

TEST(Topology, OffersOnlyProcessorsThatThisProcessMayUse) {
  const auto topology = read_topology();
  ASSERT_TRUE(topology) << topology.error().message;
  ASSERT_FALSE(topology->cores.empty());
  const auto allowed = allowed_cpus();
  std::set<std::uint32_t> seen;
  for (const HostCore& core : topology->cores) {
    EXPECT_TRUE(allowed.contains(core.cpu)) << core.cpu;
    EXPECT_TRUE(seen.insert(core.cpu).second) << "core " << core.cpu << " is offered twice";
    EXPECT_LT(core.socket, topology->sockets);
  }
  EXPECT_LE(topology->cores.size() * topology->threads_per_core,
            allowed.size() * topology->threads_per_core);
}

TEST(Topology, SaysSomethingSensibleOfTheMachine) {
  const auto topology = read_topology();
  ASSERT_TRUE(topology);
  EXPECT_GE(topology->sockets, 1u);
  EXPECT_GE(topology->numa_nodes, 1u);
  EXPECT_GE(topology->threads_per_core, 1u);
  EXPECT_GT(topology->memory_bytes, std::uint64_t{64} << 20);
  EXPECT_FALSE(topology->cpu_model.empty());
  if (topology->l2_bytes > 0) {
    EXPECT_GE(topology->llc_bytes, topology->l2_bytes) << "the last level is no smaller";
  }
}

TEST(Topology, IsTheSameWhenReadAgain) {
  const auto first = read_topology();
  const auto again = read_topology();
  ASSERT_TRUE(first && again);
  ASSERT_EQ(first->cores.size(), again->cores.size());
  for (std::size_t i = 0; i < first->cores.size(); ++i) {
    EXPECT_EQ(first->cores[i].cpu, again->cores[i].cpu);
    EXPECT_EQ(first->cores[i].cache, again->cores[i].cache);
    EXPECT_EQ(first->cores[i].numa_node, again->cores[i].numa_node);
  }
  EXPECT_EQ(first->memory_bytes, again->memory_bytes);
}

TEST(Topology, ABoundProcessSeesOnlyItsCore) {
  const auto allowed = allowed_cpus();
  for (const std::uint32_t cpu : {*allowed.begin(), *allowed.rbegin()}) {
    EXPECT_TRUE(holds_when_bound_to(cpu,
                                    [cpu] {
                                      const auto topology = read_topology();
                                      return topology && topology->cores.size() == 1 &&
                                             topology->cores[0].cpu == cpu;
                                    }))
        << "bound to " << cpu;
  }
}

TEST(Topology, BindingDoesNotChangeWhatTheMachineIs) {
  const auto whole = read_topology();
  ASSERT_TRUE(whole);
  EXPECT_TRUE(holds_when_bound_to(whole->cores.front().cpu, [&] {
    const auto bound = read_topology();
    return bound && bound->cpu_model == whole->cpu_model && bound->l1d_bytes == whole->l1d_bytes;
  }));
}

}  // namespace
}  // namespace kernsweep
