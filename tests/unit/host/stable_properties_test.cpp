#include "worker/host/stable_properties.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <sstream>
#include <utility>
#include <vector>

#include "shared/lists/property_lines.hpp"
#include "worker/host/doctor/conditions.hpp"
#include "worker/host/fingerprint.hpp"

namespace kernsweep {
namespace {

struct Host {
  Topology topology;
  HostConditions conditions;
  Digest fingerprint() const { return identify_host(topology, conditions, 4).fingerprint; }
  Properties properties() const { return stable_properties(topology, conditions, "x86_64"); }
};

// A server with all properties.
Host shown_host() {
  Host host;
  for (std::uint32_t i = 0; i < 4; ++i) host.topology.cores.push_back({2 * i, 0, 0, 0});
  host.topology.threads_per_core = 2;
  host.topology.memory_bytes = std::uint64_t{64} << 30;
  host.topology.l1d_bytes = 48 << 10;
  host.topology.l2_bytes = 2 << 20;
  host.topology.llc_bytes = 36 << 20;
  host.topology.cpu_model = "Example CPU @ 3 GHz";
  HostConditions& seen = host.conditions;
  for (std::uint32_t i = 0; i < 8; ++i) {
    CpuConditions cpu;
    cpu.cpu = i;
    cpu.governor = "performance";
    cpu.driver = "intel_pstate";
    cpu.microcode = "0x10";
    cpu.min_khz = cpu.lowest_khz = 800'000;
    cpu.max_khz = cpu.highest_khz = 3'000'000;
    seen.cpus.push_back(cpu);
  }
  seen.cpus_online = 8;
  seen.cpu_vendor = "GenuineIntel";
  seen.cpu_family = "6";
  seen.cpu_model_number = "143";
  seen.cpu_stepping = "8";
  seen.instructions = {"fpu", "sse2", "avx2", "ibpb"};
  seen.caches = {{1, "Data", 48 << 10, 64, 2}, {3, "Unified", 36 << 20, 64, 8}};
  seen.turbo = true;
  seen.smt_active = true;
  seen.vulnerabilities = {{"meltdown", "Mitigation: PTI"}};
  seen.huge_pages = "madvise";
  seen.shared_huge_pages = "never";
  seen.numa_balancing = 1;
  seen.numa_layout = {"node0 cpus 0-7 distance 10"};
  seen.memory_bytes = std::uint64_t{64} << 30;
  seen.swap_bytes = 0;
  seen.kernel_release = "6.1.0-31-amd64";
  seen.kernel_build = "#1 SMP Debian 6.1.128-1";
  seen.distribution = "Debian GNU/Linux 12 (bookworm)";
  seen.address_randomisation = 2;
  seen.clock_source = "tsc";
  return host;
}

using Change = std::pair<const char*, std::function<void(Host&)>>;

// Each of them to a value that no other change leads to, so that all fingerprints must differ.
const std::vector<Change>& changes() {
  static const std::vector<Change> all = {
      {"cpu.cores", [](Host& h) { h.topology.cores.pop_back(); }},
      {"cpu.sockets", [](Host& h) { h.topology.sockets = 2; }},
      {"memory.numa_nodes", [](Host& h) { h.topology.numa_nodes = 2; }},
      {"cpu.threads_per_core", [](Host& h) { h.topology.threads_per_core = 1; }},
      {"memory.gib", [](Host& h) { h.topology.memory_bytes += std::uint64_t{1} << 30; }},
      {"cache.l1d_bytes", [](Host& h) { h.topology.l1d_bytes += 1024; }},
      {"cache.l2_bytes", [](Host& h) { h.topology.l2_bytes += 1024; }},
      {"cache.last_level_bytes", [](Host& h) { h.topology.llc_bytes += 1024; }},
      {"cpu.model", [](Host& h) { h.topology.cpu_model += " v2"; }},
      {"cpu.vendor", [](Host& h) { h.conditions.cpu_vendor = "AuthenticAMD"; }},
      {"cpu.family", [](Host& h) { h.conditions.cpu_family = "25"; }},
      {"cpu.model_number", [](Host& h) { h.conditions.cpu_model_number = "17"; }},
      {"cpu.stepping", [](Host& h) { h.conditions.cpu_stepping = "1"; }},
      {"cpu.microcode", [](Host& h) { h.conditions.cpus[3].microcode = "0x11"; }},
      {"cpu.isa", [](Host& h) { h.conditions.instructions.insert("avx512f"); }},
      {"cpu.frequency_khz", [](Host& h) { h.conditions.cpus[0].highest_khz = 3'500'000; }},
      {"cpu.threads", [](Host& h) { h.conditions.cpus.pop_back(); }},
      {"cpu.threads_online", [](Host& h) { h.conditions.cpus_online = 16; }},
      {"cpu.smt", [](Host& h) { h.conditions.smt_active = false; }},
      {"cache.kinds",
       [](Host& h) {
         h.conditions.caches = {{1, "Data", 48 << 10, 64, 2}, {3, "Unified", 36 << 20, 64, 4}};
       }},
      {"memory.numa_layout", [](Host& h) { h.conditions.numa_layout = {"node0 cpus 0-7 distance 10 21"}; }},
      {"system.kernel", [](Host& h) { h.conditions.kernel_release = "6.1.0-32-amd64"; }},
      {"system.kernel_build", [](Host& h) { h.conditions.kernel_build = "#2 SMP"; }},
      {"system.distribution", [](Host& h) { h.conditions.distribution = "Ubuntu 24.04"; }},
      {"system.clock_source", [](Host& h) { h.conditions.clock_source = "hpet"; }},
      {"virtual.hypervisor", [](Host& h) { h.conditions.hypervisor = "KVM"; }},
      {"virtual.container", [](Host& h) { h.conditions.container = "docker"; }},
      {"device.gpus", [](Host& h) { h.conditions.gpu.devices = {"NVIDIA 0000:01:00.0"}; }},
      {"device.nvidia_driver", [](Host& h) { h.conditions.gpu.nvidia_driver = "550.1"; }},
      {"policy.governor", [](Host& h) { h.conditions.cpus[1].governor = "powersave"; }},
      {"policy.frequency_driver", [](Host& h) { h.conditions.cpus[1].driver = "acpi-cpufreq"; }},
      {"policy.frequency_khz", [](Host& h) { h.conditions.cpus[1].max_khz = 2'000'000; }},
      {"policy.turbo", [](Host& h) { h.conditions.turbo = false; }},
      {"policy.transparent_hugepages", [](Host& h) { h.conditions.huge_pages = "always"; }},
      {"policy.shared_hugepages", [](Host& h) { h.conditions.shared_huge_pages = "advise"; }},
      {"policy.address_randomisation", [](Host& h) { h.conditions.address_randomisation = 0; }},
      {"policy.numa_balancing", [](Host& h) { h.conditions.numa_balancing = 0; }},
      {"policy.swap", [](Host& h) { h.conditions.swap_bytes = 1 << 30; }},
      {"policy.mitigations", [](Host& h) { h.conditions.vulnerabilities["meltdown"] = "Vulnerable"; }},
      {"limit.cpus", [](Host& h) { h.conditions.groups.cpus = 1.5; }},
      {"limit.memory_bytes", [](Host& h) { h.conditions.groups.memory_bytes = 1 << 30; }},
      {"limit.cpuset", [](Host& h) { h.conditions.groups.cpuset = "0-3"; }},
  };
  return all;
}

TEST(StableProperties, EachOneChangesTheFingerprintAndNoOther) {
  const Host before = shown_host();
  std::map<Digest, std::string> seen = {{before.fingerprint(), "unchanged"}};
  for (const auto& [name, change] : changes()) {
    Host changed = shown_host();
    change(changed);
    const auto [at, added] = seen.emplace(changed.fingerprint(), name);
    EXPECT_TRUE(added) << name << " gives the fingerprint of: " << at->second;
    for (const auto& [key, value] : changed.properties())
      EXPECT_EQ(value != before.properties().at(key), key == name) << name << " and " << key;
  }
}

// The list is closed: a new property needs a change that shows it here, and a decision that it is stable
// and identifies no person. `system.machine` is the one that a test cannot change.
TEST(StableProperties, AreTheseAndNoOthers) {
  std::set<std::string> expected = {"system.machine"}, found;
  for (const auto& [name, change] : changes()) expected.insert(name);
  for (const auto& [key, value] : shown_host().properties()) found.insert(key);
  EXPECT_EQ(found, expected);
}

TEST(StableProperties, LeaveOutWhatChangesByItself) {
  Host later = shown_host();
  HostConditions& now = later.conditions;
  now.load_average = 7;
  now.steal_since_boot = 0.5;
  now.disturbance = Disturbance{};
  now.memory_bytes = *now.memory_bytes - (50 << 20);
  now.available_bytes = 1 << 20;
  now.swap_used_bytes = 1 << 20;
  now.groups.throttled = 12;
  now.groups.memory_left_bytes = 1 << 20;
  now.timer = TimerConditions{1e-8, 1e-9};
  now.shm_free_bytes = 1;
  now.instructions.insert("rfds_no");  // what a newer kernel has learnt to list
  EXPECT_EQ(later.fingerprint(), shown_host().fingerprint());
}

TEST(StableProperties, TextHasOneSortedLineForEachProperty) {
  Host host = shown_host();
  host.conditions.kernel_build = "two\nlines";
  const std::string text = text_of_properties(host.properties());
  EXPECT_THAT(text, testing::StartsWith("cache.kinds = L1 Data 49152 B, lines of 64 B, for 2 CPUs; L3 "));
  std::vector<std::string> lines;
  std::istringstream rest(text);
  for (std::string line; std::getline(rest, line);) lines.push_back(line);
  EXPECT_TRUE(std::ranges::is_sorted(lines));
  EXPECT_THAT(lines, testing::IsSupersetOf({"cpu.isa = avx2 sse2", "cpu.microcode = 0x10",
                                            "memory.gib = 64", "system.kernel_build = two lines"}));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'),
            static_cast<std::ptrdiff_t>(host.properties().size()));
}

TEST(StableProperties, OfAHostThatShowsNothingAreEmptyNotMissing) {
  const Properties properties = stable_properties({}, {}, "");
  EXPECT_EQ(properties.size(), shown_host().properties().size());
  EXPECT_EQ(properties.at("policy.turbo"), "");
  EXPECT_EQ(properties.at("policy.swap"), "");
  EXPECT_EQ(properties.at("limit.cpus"), "");
}

TEST(StableProperties, AVirtualMachineIsOneEvenWhenItsHypervisorIsSilent) {
  Host host = shown_host();
  host.conditions.hypervisor_flag = true;
  EXPECT_EQ(host.properties().at("virtual.hypervisor"), "unknown");
}

TEST(InstructionSets, AreTheFlagsThatNameInstructions) {
  EXPECT_EQ(instruction_sets({"fpu", "vme", "sse2", "ssse3", "avx512_bf16", "amx_tile", "popcnt", "nx",
                              "hypervisor", "stibp", "fp", "fphp", "asimd", "sve2", "i8mm", "evtstrm"}),
            (std::set<std::string>{"sse2", "ssse3", "avx512_bf16", "amx_tile", "popcnt", "fp", "fphp",
                                   "asimd", "sve2", "i8mm"}));
}

}  // namespace
}  // namespace kernsweep
