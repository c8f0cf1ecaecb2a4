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

// What `look` says in a child that is bound to one processor alone; affinity would outlive a test in this
// process.
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

// hwloc plays a machine that is told by this variable.
Topology played(const char* machine) {
  setenv("HWLOC_SYNTHETIC", machine, 1);
  auto topology = read_topology();
  unsetenv("HWLOC_SYNTHETIC");
  KS_ASSERT(topology);
  return *topology;
}

TEST(Topology, LeavesOutCoresThatNoSetOfProcessorsCanName) {
  EXPECT_EQ(played("pack:2 core:64 pu:2").cores.size(), 128U);
  const Topology large = played("pack:3 core:512 pu:1");
  ASSERT_EQ(large.cores.size(), 1024U);
  EXPECT_EQ(large.cores.back().cpu, 1023U);
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
