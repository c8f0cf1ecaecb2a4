// The result of each check for hosts in a known state; the verdicts follow from docs/reference/doctor.md.
#include "worker/host/doctor/checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <set>

#include "shared/wire/gpu.pb.h"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/host/doctor/tree.hpp"

namespace kernsweep {
namespace {

using testing::assessed;
using testing::Tree;

HostConditions bare_metal() {
  Tree tree;
  testing::plant_bare_metal(tree);
  return tree.conditions();
}

HostConditions with_cpus(std::size_t count) {
  HostConditions host;
  for (std::uint32_t cpu = 0; cpu < count; ++cpu) host.cpus.push_back({.cpu = cpu, .siblings = {cpu}});
  host.cpus_online = static_cast<std::uint32_t>(count);
  return host;
}

TEST(Checks, HaveIdsOfTheirOwnAndTellWhy) {
  std::set<std::string> ids;
  for (const Check& check : all_checks()) {
    EXPECT_TRUE(ids.insert(check.id).second) << check.id;
    EXPECT_TRUE(std::string(check.why).ends_with(".")) << check.id;
  }
  EXPECT_GE(ids.size(), 25U);
}

TEST(Checks, WhatIsWorseThanGoodComesWithSomethingToDo) {
  for (const HostConditions& host : {bare_metal(), HostConditions{}, with_cpus(4)}) {
    for (const CheckFinding& finding : examine(host)) {
      if (finding.is.verdict >= Verdict::warning) {
        EXPECT_FALSE(finding.is.remedy.empty()) << finding.id;
      }
      EXPECT_EQ(finding.is.found.find('\n'), std::string::npos) << finding.id;
      EXPECT_EQ(finding.is.remedy.find('\n'), std::string::npos) << finding.id;
    }
  }
}

TEST(Governor, PowersaveIsBadOnlyWhereItStandsAtTheLowestFrequency) {
  HostConditions host = bare_metal();
  EXPECT_EQ(assessed("cpu.governor", host).verdict, Verdict::warning) << "intel_pstate follows the load";
  EXPECT_THAT(assessed("cpu.governor", host).remedy, IsGolden());
  for (CpuConditions& cpu : host.cpus) cpu.driver = "acpi-cpufreq";
  EXPECT_EQ(assessed("cpu.governor", host).verdict, Verdict::bad);
  for (CpuConditions& cpu : host.cpus) cpu.governor = "performance";
  EXPECT_EQ(assessed("cpu.governor", host).verdict, Verdict::good);
}

TEST(Governor, OneProcessorThatDiffersIsEnough) {
  HostConditions host = bare_metal();
  for (CpuConditions& cpu : host.cpus) cpu.governor = "performance";
  host.cpus[3].governor = "schedutil";
  const Assessment is = assessed("cpu.governor", host);
  EXPECT_EQ(is.verdict, Verdict::warning);
  EXPECT_EQ(is.values.at("governors"), Value("performance on 3, schedutil on 1"));
}

TEST(Governor, ThatIsNotShownIsANote) {
  EXPECT_EQ(assessed("cpu.governor", with_cpus(2)).verdict, Verdict::note);
}

TEST(FrequencyLimits, TellTheWorstCap) {
  HostConditions host = bare_metal();  // 2.8 of 3.5 GHz everywhere
  EXPECT_EQ(assessed("cpu.frequency_limits", host).verdict, Verdict::warning);
  host.cpus[1].max_khz = 1'700'000;  // less than half of 3.5
  const Assessment is = assessed("cpu.frequency_limits", host);
  EXPECT_EQ(is.verdict, Verdict::bad);
  EXPECT_THAT(is.found, IsGolden());
  EXPECT_THAT(is.remedy, IsGolden());
  for (CpuConditions& cpu : host.cpus) cpu.max_khz = cpu.highest_khz;
  EXPECT_EQ(assessed("cpu.frequency_limits", host).verdict, Verdict::good);
}

TEST(FrequencyLimits, OneFixedFrequencyIsGoodHoweverLow) {
  HostConditions host = bare_metal();
  for (CpuConditions& cpu : host.cpus) cpu.min_khz = cpu.max_khz = 1'000'000;
  EXPECT_EQ(assessed("cpu.frequency_limits", host).verdict, Verdict::good);
  host.cpus[0].min_khz = 800'000;
  EXPECT_EQ(assessed("cpu.frequency_limits", host).verdict, Verdict::bad);
}

TEST(HardwareThreads, ACoreThatIsHalfOursIsAWarning) {
  HostConditions host = bare_metal();  // siblings 0,2 and 1,3: all ours
  EXPECT_EQ(assessed("cpu.smt", host).verdict, Verdict::note);
  host.cpus.resize(2);  // 0 and 1, their siblings belong to others
  const Assessment is = assessed("cpu.smt", host);
  EXPECT_EQ(is.verdict, Verdict::warning);
  EXPECT_EQ(is.values.at("split_cores"), Value(2));
  EXPECT_EQ(assessed("cpu.smt", with_cpus(4)).verdict, Verdict::good);
}

TEST(Microcode, ThatDiffersBetweenProcessorsIsAWarning) {
  HostConditions host = bare_metal();
  EXPECT_EQ(assessed("cpu.microcode", host).verdict, Verdict::good);
  host.vulnerabilities["old_microcode"] = "Vulnerable";
  EXPECT_EQ(assessed("cpu.microcode", host).verdict, Verdict::note);
  host.cpus[0].microcode = "0x1";
  EXPECT_EQ(assessed("cpu.microcode", host).verdict, Verdict::warning);
}

TEST(Mitigations, AreCountedByTheirState) {
  const Assessment is = assessed("cpu.mitigations", bare_metal());
  EXPECT_EQ(is.values.at("active"), Value(1));
  EXPECT_EQ(is.values.at("vulnerable"), Value(1));
  EXPECT_EQ(is.values.at("active_names"), Value("meltdown"));
}

TEST(Virtualisation, IsANoteAndTranslationIsBad) {
  HostConditions host;
  EXPECT_EQ(assessed("host.virtualisation", host).found, "bare metal");
  host.hypervisor_flag = true;
  EXPECT_EQ(assessed("host.virtualisation", host).verdict, Verdict::note);
  host.hypervisor = "QEMU (TCG)";
  EXPECT_EQ(assessed("host.virtualisation", host).verdict, Verdict::bad);
}

TEST(Steal, NowIsWorseThanEver) {
  HostConditions host;
  host.steal_since_boot = 0.001;
  EXPECT_EQ(assessed("host.steal", host).verdict, Verdict::good);
  host.steal_since_boot = 0.05;
  EXPECT_EQ(assessed("host.steal", host).verdict, Verdict::warning);
  host.disturbance = Disturbance{.steal_share = 0.03};
  EXPECT_EQ(assessed("host.steal", host).verdict, Verdict::bad);
}

TEST(Load, ABusyProcessorIsAWarningAndAllOfThemBad) {
  HostConditions host = with_cpus(4);
  const auto verdict_at = [&](double busy) {
    host.disturbance = Disturbance{.window_s = 0.5, .busy_cpus = busy, .busiest = {{7, "ld", busy}}};
    return assessed("load.busy", host).verdict;
  };
  EXPECT_EQ(verdict_at(0.05), Verdict::good);
  EXPECT_EQ(verdict_at(0.3), Verdict::note);
  EXPECT_EQ(verdict_at(1.0), Verdict::warning);
  EXPECT_EQ(verdict_at(3.6), Verdict::bad);
  EXPECT_THAT(assessed("load.busy", host).found, IsGolden());
  host.cpus.resize(1);
  EXPECT_EQ(verdict_at(0.6), Verdict::bad) << "the only processor is half taken";
}

TEST(Load, BusyProcessorsWithoutAVisibleProcessAreSomebodyElses) {
  HostConditions host = with_cpus(4);
  host.disturbance = Disturbance{.busy_cpus = 2};
  EXPECT_THAT(assessed("load.busy", host).remedy, IsGolden());
}

TEST(Load, AverageIsJudgedPerProcessor) {
  HostConditions host = with_cpus(4);
  host.load_average = 1.0;
  EXPECT_EQ(assessed("load.average", host).verdict, Verdict::good);
  host.load_average = 3.0;
  EXPECT_EQ(assessed("load.average", host).verdict, Verdict::note);
  host.load_average = 4.0;
  EXPECT_EQ(assessed("load.average", host).verdict, Verdict::warning);
}

TEST(Clock, SourcesThatNeedASystemCallAreBad) {
  HostConditions host;
  for (const auto& [source, verdict] : {std::pair{"tsc", Verdict::good},
                                        {"kvm-clock", Verdict::note},
                                        {"xen", Verdict::warning},
                                        {"hpet", Verdict::bad}}) {
    host.clock_source = source;
    EXPECT_EQ(assessed("clock.source", host).verdict, verdict) << source;
  }
}

TEST(Clock, ASlowOrCoarseOrDeadTimerIsSeen) {
  HostConditions host;
  const auto verdict_of = [&](double cost, double resolution) {
    host.timer = TimerConditions{cost, resolution};
    return assessed("clock.timer", host).verdict;
  };
  EXPECT_EQ(verdict_of(25e-9, 30e-9), Verdict::good);
  EXPECT_EQ(verdict_of(500e-9, 500e-9), Verdict::warning);
  EXPECT_EQ(verdict_of(25e-9, 1e-3), Verdict::bad) << "cheap to read, and moves in steps of 1 ms";
  EXPECT_EQ(verdict_of(0, 1), Verdict::bad);
  EXPECT_THAT(assessed("clock.timer", host).found, IsGolden());
}

TEST(Memory, IsJudgedByWhatIsAvailable) {
  HostConditions host;
  const std::uint64_t gib = std::uint64_t{1} << 30;
  host.memory_bytes = 64 * gib;
  for (const auto& [available, verdict] :
       {std::pair{32 * gib, Verdict::good}, {5 * gib, Verdict::warning}, {gib / 8, Verdict::bad}}) {
    host.available_bytes = available;
    EXPECT_EQ(assessed("memory.free", host).verdict, verdict) << available;
  }
  host.memory_bytes = 2 * gib;
  host.available_bytes = gib - 1;
  EXPECT_EQ(assessed("memory.free", host).verdict, Verdict::warning) << "half, but less than 1 GiB";
}

TEST(Swap, NoneIsGoodUsedIsAWarningMovingIsBad) {
  HostConditions host;
  host.swap_bytes = 0;
  EXPECT_EQ(assessed("memory.swap", host).verdict, Verdict::good);
  host.swap_bytes = 1 << 30;
  host.swap_used_bytes = 0;
  EXPECT_EQ(assessed("memory.swap", host).verdict, Verdict::note);
  host.swap_used_bytes = 1 << 20;
  EXPECT_EQ(assessed("memory.swap", host).verdict, Verdict::warning);
  host.disturbance = Disturbance{.swapped_pages = 1};
  EXPECT_EQ(assessed("memory.swap", host).verdict, Verdict::bad);
}

TEST(NumaBalancing, MattersOnlyWithSeveralNodes) {
  HostConditions host = bare_metal();
  EXPECT_EQ(assessed("memory.numa_balancing", host).verdict, Verdict::warning);
  host.numa_nodes = 1;
  EXPECT_EQ(assessed("memory.numa_balancing", host).verdict, Verdict::good);
}

TEST(Locking, MattersOnlyWhereThereIsSwap) {
  HostConditions host;
  host.locked_memory = SystemLimit{std::uint64_t{8} << 20, std::nullopt};
  host.swap_bytes = 0;
  EXPECT_EQ(assessed("memory.locking", host).verdict, Verdict::good);
  host.swap_bytes = 1 << 30;
  EXPECT_EQ(assessed("memory.locking", host).verdict, Verdict::note);
  host.locked_memory->soft.reset();
  EXPECT_EQ(assessed("memory.locking", host).verdict, Verdict::good);
}

TEST(SharedMemory, WithoutMemoryFilesNothingRuns) {
  HostConditions host;
  host.memory_files = true;
  EXPECT_EQ(assessed("memory.shared", host).verdict, Verdict::good);
  host.memory_files = false;
  EXPECT_EQ(assessed("memory.shared", host).verdict, Verdict::bad);
}

TEST(HugePages, LeftToProgramsAreGood) {
  HostConditions host = bare_metal();
  EXPECT_EQ(assessed("memory.huge_pages", host).verdict, Verdict::note);
  host.huge_pages = "madvise";
  EXPECT_EQ(assessed("memory.huge_pages", host).verdict, Verdict::good);
}

TEST(Kernel, RandomisedLayoutsAreGoodBecauseProcessesAverageOverThem) {
  HostConditions host;
  host.address_randomisation = 2;
  EXPECT_EQ(assessed("kernel.aslr", host).verdict, Verdict::good);
  host.address_randomisation = 0;
  EXPECT_EQ(assessed("kernel.aslr", host).verdict, Verdict::note);
}

TEST(Counters, TheRemedyFitsTheReason) {
  HostConditions host;
  host.missing_events = {"cycles", "instructions"};
  host.counter_error = "Permission denied";
  host.perf_paranoid = 4;
  EXPECT_EQ(assessed("kernel.counters", host).verdict, Verdict::note);
  EXPECT_THAT(assessed("kernel.counters", host).found, IsGolden());
  EXPECT_THAT(assessed("kernel.counters", host).remedy, IsGolden());
  host.perf_paranoid = 2;
  host.hypervisor_flag = true;
  EXPECT_THAT(assessed("kernel.counters", host).remedy, IsGolden());
}

TEST(Counters, AMissingEventIsNamedAndTheOthersAreGood) {
  HostConditions host;
  host.counted_events = {"cycles", "instructions"};
  EXPECT_THAT(assessed("kernel.counters", host).found, IsGolden());
  host.missing_events = {"llc_misses"};
  host.counter_error = "the processor shows no such counter";
  EXPECT_EQ(assessed("kernel.counters", host).verdict, Verdict::good);
  EXPECT_THAT(assessed("kernel.counters", host).found, IsGolden());
}

TEST(Limits, AQuotaBelowItsProcessorsIsBad) {
  Tree tree;
  testing::plant_container(tree);
  HostConditions host = tree.conditions();
  EXPECT_EQ(assessed("limits.cpu_quota", host).verdict, Verdict::bad);
  EXPECT_THAT(assessed("limits.cpu_quota", host).found, IsGolden());
  host.groups.cpus = 2;
  EXPECT_EQ(assessed("limits.cpu_quota", host).verdict, Verdict::bad) << "it was used up nevertheless";
  host.groups.throttled = 0;
  EXPECT_EQ(assessed("limits.cpu_quota", host).verdict, Verdict::note);
  host.groups.cpus.reset();
  EXPECT_EQ(assessed("limits.cpu_quota", host).verdict, Verdict::good);
}

TEST(Limits, AGroupsMemoryIsJudgedByWhatIsLeft) {
  HostConditions host;
  const std::uint64_t gib = std::uint64_t{1} << 30;
  host.memory_bytes = 64 * gib;
  host.groups.memory_bytes = 8 * gib;
  host.groups.memory_left_bytes = 4 * gib;
  EXPECT_EQ(assessed("limits.memory", host).verdict, Verdict::note);
  host.groups.memory_left_bytes = gib / 2;
  EXPECT_EQ(assessed("limits.memory", host).verdict, Verdict::warning);
  host.groups.memory_bytes = 100 * gib;
  EXPECT_EQ(assessed("limits.memory", host).verdict, Verdict::good) << "more than there is: no limit";
}

TEST(Limits, PartOfTheProcessorsIsANote) {
  HostConditions host = with_cpus(4);
  EXPECT_EQ(assessed("limits.cpuset", host).verdict, Verdict::good);
  host.cpus_online = 8;
  EXPECT_EQ(assessed("limits.cpuset", host).found, "4 of 8 processors");
  EXPECT_EQ(assessed("limits.cpuset", host).verdict, Verdict::note);
}

TEST(Limits, OpenFilesMustSufficeForSlots) {
  HostConditions host = with_cpus(4);  // 256 + 16 * 4 = 320 wanted
  const auto verdict_at = [&](std::uint64_t soft) {
    host.open_files = SystemLimit{soft, soft};
    return assessed("limits.open_files", host).verdict;
  };
  EXPECT_EQ(verdict_at(320), Verdict::good);
  EXPECT_EQ(verdict_at(319), Verdict::warning);
  EXPECT_EQ(verdict_at(79), Verdict::bad);
}

TEST(Gpu, WithoutItsLibraryIsAWarningAndNoneIsGood) {
  HostConditions host;
  EXPECT_EQ(assessed("gpu.devices", host).verdict, Verdict::good);
  host.gpu.devices = {"NVIDIA 0000:01:00.0"};
  host.gpu.nvidia_driver = "580.1";
  EXPECT_EQ(assessed("gpu.devices", host).verdict, Verdict::warning);
  host.gpu.libcuda = "/lib/libcuda.so.1";
  EXPECT_EQ(assessed("gpu.devices", host).verdict, Verdict::good);
  wire::Gpus told;
  told.set_none("CUDA shows no GPU: CUDA_ERROR_NO_DEVICE");
  host.gpu.reported = std::make_shared<const wire::Gpus>(told);
  EXPECT_EQ(assessed("gpu.devices", host).found, "NVIDIA 0000:01:00.0; " + told.none());
  EXPECT_EQ(assessed("gpu.devices", host).verdict, Verdict::warning);
}

TEST(Gpu, HeldToAClockIsANoteAndTooHotAWarning) {
  HostConditions host;
  const auto verdict_with = [&](const std::string& reason) {
    wire::Gpus told;
    wire::Gpu& gpu = *told.add_gpus();
    gpu.set_slowing_known(true);
    gpu.add_slowed_by(reason);
    host.gpu.reported = std::make_shared<const wire::Gpus>(told);
    return assessed("gpu.clocks", host).verdict;
  };
  EXPECT_EQ(assessed("gpu.clocks", host).verdict, Verdict::good);
  EXPECT_EQ(verdict_with("applications_clocks_setting"), Verdict::note);
  EXPECT_EQ(verdict_with("sw_power_cap"), Verdict::note);
  for (const char* reason : {"sw_thermal_slowdown", "hw_slowdown"})
    EXPECT_EQ(verdict_with(reason), Verdict::warning) << reason;
}

}  // namespace
}  // namespace kernsweep
