#include "worker/host/doctor/conditions.hpp"

#include <gtest/gtest.h>

#include "tests/unit/host/doctor/tree.hpp"

namespace kernsweep {
namespace {

using testing::Tree;

TEST(Conditions, OfBareMetalAreReadFromItsFiles) {
  Tree tree;
  testing::plant_bare_metal(tree);
  const HostConditions host = tree.conditions();
  ASSERT_EQ(host.cpus.size(), 4U);
  EXPECT_EQ(host.cpus_online, 4U);
  EXPECT_EQ(host.cpus[2].governor, "powersave");
  EXPECT_EQ(host.cpus[2].driver, "intel_pstate");
  EXPECT_EQ(host.cpus[2].max_khz, 2'800'000U);
  EXPECT_EQ(host.cpus[2].highest_khz, 3'500'000U);
  EXPECT_EQ(host.cpus[2].microcode, "0x2b000603");
  EXPECT_EQ(host.cpus[2].siblings, (std::vector<std::uint32_t>{0, 2}));
  EXPECT_EQ(host.cpu_vendor, "GenuineIntel");
  EXPECT_TRUE(host.instructions.contains("avx512f"));
  EXPECT_EQ(host.turbo, true) << "no_turbo is 0";
  EXPECT_EQ(host.smt_active, true);
  EXPECT_EQ(host.vulnerabilities.at("meltdown"), "Mitigation: PTI");
  EXPECT_FALSE(host.hypervisor_flag);
  EXPECT_EQ(host.hypervisor, "");
  EXPECT_EQ(host.memory_bytes, std::uint64_t{8} << 30);
  EXPECT_EQ(host.available_bytes, std::uint64_t{4} << 30);
  EXPECT_EQ(host.swap_bytes, std::uint64_t{1} << 30);
  EXPECT_EQ(host.swap_used_bytes, std::uint64_t{1} << 29);
  EXPECT_EQ(host.huge_pages, "always");
  EXPECT_EQ(host.shared_huge_pages, "never");
  EXPECT_EQ(host.numa_nodes, 2U);
  EXPECT_EQ(host.numa_balancing, 1);
  EXPECT_EQ(host.address_randomisation, 0);
  EXPECT_EQ(host.perf_paranoid, 4);
  EXPECT_DOUBLE_EQ(host.load_average.value_or(-1), 3.5);
  ASSERT_TRUE(host.open_files);
  EXPECT_EQ(host.open_files->soft, 64U);
  EXPECT_EQ(host.open_files->hard, 4096U);
  ASSERT_TRUE(host.locked_memory);
  EXPECT_FALSE(host.locked_memory->soft) << "unlimited";
  EXPECT_EQ(host.clock_source, "hpet");
  EXPECT_EQ(host.gpu.devices, std::vector<std::string>{"NVIDIA 0000:01:00.0"})
      << "the network card is none";
  EXPECT_FALSE(host.groups.cpus);
}

TEST(Conditions, TellProcessorCachesNodesAndSystem) {
  Tree tree;
  const std::string cpus = "sys/devices/system/cpu/";
  tree.write("proc/cpuinfo",
             "processor\t: 0\ncpu family\t: 25\nmodel\t\t: 17\nstepping\t: 1\n\n"
             "processor\t: 1\ncpu family\t: 26\nmodel\t\t: 18\nstepping\t: 2\n");
  tree.write(cpus + "online", "0-1\n");
  for (const char* cpu : {"cpu0", "cpu1"}) {
    tree.write(cpus + cpu + "/cache/index0/level", "1\n");
    tree.write(cpus + cpu + "/cache/index0/type", "Data\n");
    tree.write(cpus + cpu + "/cache/index0/size", "32K\n");
    tree.write(cpus + cpu + "/cache/index0/coherency_line_size", "64\n");
    tree.write(cpus + cpu + "/cache/index0/shared_cpu_list", std::string(1, cpu[3]) + "\n");
    tree.write(cpus + cpu + "/cache/index1/level", "3\n");
    tree.write(cpus + cpu + "/cache/index1/type", "Unified\n");
    tree.write(cpus + cpu + "/cache/index1/size", "32M\n");
    tree.write(cpus + cpu + "/cache/index1/shared_cpu_list", "0-1\n");
    tree.write(cpus + cpu + "/cache/uevent", "");
  }
  tree.write("sys/devices/system/node/online", "0\n");
  tree.write("sys/devices/system/node/node0/cpulist", "0-1\n");
  tree.write("sys/devices/system/node/node0/distance", "10\n");
  tree.write("proc/sys/kernel/osrelease", "6.1.0-31-amd64\n");
  tree.write("proc/sys/kernel/version", "#1 SMP Debian\n");
  tree.write("etc/os-release", "ID=debian\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
  const HostConditions host = tree.conditions();
  EXPECT_EQ(host.cpu_family + "/" + host.cpu_model_number + "/" + host.cpu_stepping, "25/17/1")
      << "of the first processor";
  EXPECT_EQ(host.caches,
            (std::set<CacheConditions>{{1, "Data", 32 << 10, 64, 1}, {3, "Unified", 32 << 20, 0, 2}}));
  EXPECT_EQ(host.numa_layout, std::vector<std::string>{"node0 cpus 0-1 distance 10"});
  EXPECT_EQ(host.kernel_release, "6.1.0-31-amd64");
  EXPECT_EQ(host.kernel_build, "#1 SMP Debian");
  EXPECT_EQ(host.distribution, "Debian GNU/Linux 12 (bookworm)");
}

TEST(Conditions, OfAnArmProcessorTellItsPart) {
  Tree tree;
  const std::string one =
      "Features\t: fp asimd sve\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x1\n"
      "CPU part\t: 0xd40\nCPU revision\t: 1\n\n";
  tree.write("proc/cpuinfo", "processor\t: 0\n" + one + "processor\t: 1\n" + one);
  const HostConditions host = tree.conditions();
  EXPECT_EQ(host.cpu_vendor, "0x41");
  EXPECT_EQ(host.cpu_family, "8");
  EXPECT_EQ(host.cpu_model_number, "0xd40");
  EXPECT_EQ(host.cpu_stepping, "0x1.1");
}

TEST(Conditions, OfAVirtualMachineTellHypervisorAndStolenTime) {
  Tree tree;
  testing::plant_virtual_machine(tree);
  const HostConditions host = tree.conditions();
  EXPECT_TRUE(host.hypervisor_flag);
  EXPECT_EQ(host.hypervisor, "QEMU");
  ASSERT_EQ(host.cpus.size(), 2U);
  EXPECT_EQ(host.cpus[0].governor, "");
  EXPECT_EQ(host.cpus[1].microcode, "0x1000066") << "of its own paragraph";
  EXPECT_DOUBLE_EQ(host.steal_since_boot.value_or(-1), 0.05);
}

TEST(Conditions, OfAContainerHoldOnlyItsProcessorsAndItsLimits) {
  Tree tree;
  testing::plant_container(tree);
  const HostConditions host = tree.conditions();
  EXPECT_EQ(host.cpus.size(), 2U);
  EXPECT_EQ(host.cpus_online, 4U);
  EXPECT_EQ(host.container, "docker");
  EXPECT_DOUBLE_EQ(host.groups.cpus.value_or(-1), 1.5);
  EXPECT_EQ(host.groups.throttled, 7U);
}

TEST(Conditions, OfAnEmptyRootAreAbsentAndStillJudged) {
  Tree tree;
  const HostConditions host = tree.conditions();
  EXPECT_TRUE(host.cpus.empty());
  EXPECT_FALSE(host.turbo || host.smt_active || host.memory_bytes || host.steal_since_boot ||
               host.open_files);
  for (const CheckFinding& finding : examine(host)) {
    EXPECT_NE(finding.is.verdict, Verdict::bad) << finding.id << ": what is not shown is not bad";
    EXPECT_FALSE(finding.is.found.empty()) << finding.id;
  }
}

TEST(Conditions, OfDamagedFilesAreAbsent) {
  Tree tree;
  testing::plant_bare_metal(tree);
  const std::string cpu = "sys/devices/system/cpu/cpu0/cpufreq/";
  tree.write(cpu + "scaling_max_freq", "a lot\n");
  tree.write(cpu + "cpuinfo_max_freq", "99999999999999999999999\n");
  tree.write(cpu + "scaling_min_freq", "-5\n");
  tree.write("proc/meminfo", "MemTotal: kB\nMemAvailable: -3 kB\nSwapFree: 5 kB\n");
  tree.write("proc/loadavg", "nan-ish\n");
  tree.write("proc/self/limits", "Max open files\nMax locked memory  x y bytes\n");
  tree.write("proc/stat", "cpu\ncpux 1 2 3\n");
  tree.write("sys/kernel/mm/transparent_hugepage/enabled", "]madvise[\n");
  const HostConditions host = tree.conditions();
  EXPECT_FALSE(host.cpus[0].max_khz || host.cpus[0].highest_khz || host.cpus[0].min_khz);
  EXPECT_FALSE(host.memory_bytes || host.available_bytes || host.swap_bytes || host.swap_used_bytes);
  EXPECT_FALSE(host.load_average);
  EXPECT_FALSE(host.open_files);
  EXPECT_FALSE(host.steal_since_boot);
  EXPECT_FALSE(examine(host).empty());
}

TEST(Conditions, AProcessorThatIsOfflineIsNotOurs) {
  Tree tree;
  testing::plant_bare_metal(tree);
  tree.write("sys/devices/system/cpu/online", "0-1,3\n");
  EXPECT_EQ(tree.conditions().cpus.size(), 3U);
}

TEST(Conditions, AmdsBoostSwitchIsTurboToo) {
  Tree tree;
  tree.write("sys/devices/system/cpu/cpufreq/boost", "0\n");
  EXPECT_EQ(tree.conditions().turbo, false);
  tree.write("sys/devices/system/cpu/intel_pstate/no_turbo", "0\n");
  EXPECT_EQ(tree.conditions().turbo, true) << "Intel's own switch counts where there is one";
}

TEST(Conditions, LibcudaIsFoundWhereTheLoaderLooks) {
  Tree tree;
  tree.write("etc/ld.so.conf", "/opt/gpu/lib\n");
  tree.write("opt/gpu/lib/libcuda.so.1", "");
  EXPECT_EQ(tree.conditions().gpu.libcuda, tree.root() + "opt/gpu/lib/libcuda.so.1");
}

TEST(Capabilities, OfThisHostAreTriedAndPlausible) {
  HostConditions host;
  add_capabilities(host);
  ASSERT_TRUE(host.timer);
  EXPECT_GT(host.timer->cost_s, 0);
  EXPECT_GT(host.timer->resolution_s, 0);
  EXPECT_LT(host.timer->resolution_s, 1) << "the clock moves";
  EXPECT_EQ(host.counted_events.size() + host.missing_events.size(), 5u);
  EXPECT_EQ(host.missing_events.empty(), host.counter_error.empty());
  EXPECT_EQ(host.memory_files, true) << "without them the worker's own tests fail too";
}

}  // namespace
}  // namespace kernsweep
