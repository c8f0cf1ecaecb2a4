#include "worker/host/stable_properties.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "worker/host/doctor/conditions.hpp"
#include "worker/host/topology.hpp"

namespace kernsweep {
namespace {

// Prefixes of the flags of instruction sets, on x86-64 and aarch64.
constexpr std::array kBeginnings = {
    std::string_view("3dnow"), std::string_view("adx"),     std::string_view("aes"),
    std::string_view("amx"),   std::string_view("asimd"),   std::string_view("atomics"),
    std::string_view("avx"),   std::string_view("bf16"),    std::string_view("bmi"),
    std::string_view("crc32"), std::string_view("dotprod"), std::string_view("f16c"),
    std::string_view("flagm"), std::string_view("fma"),     std::string_view("frint"),
    std::string_view("gfni"),  std::string_view("i8mm"),    std::string_view("lrcpc"),
    std::string_view("mmx"),   std::string_view("pclmul"),  std::string_view("pmull"),
    std::string_view("sha"),   std::string_view("sm3"),     std::string_view("sm4"),
    std::string_view("sme"),   std::string_view("sse"),     std::string_view("ssse"),
    std::string_view("sve"),   std::string_view("vaes"),    std::string_view("vpclmul"),
    std::string_view("xop")};
constexpr std::array kWords = {
    std::string_view("abm"),       std::string_view("clflushopt"),  std::string_view("clwb"),
    std::string_view("clzero"),    std::string_view("cx16"),        std::string_view("erms"),
    std::string_view("fp"),        std::string_view("fphp"),        std::string_view("fsrm"),
    std::string_view("jscvt"),     std::string_view("misalignsse"), std::string_view("movbe"),
    std::string_view("movdir64b"), std::string_view("movdiri"),     std::string_view("pni"),
    std::string_view("popcnt"),    std::string_view("rdrand"),      std::string_view("rdseed"),
    std::string_view("tbm")};

template <class Number>
std::string text_of(const std::optional<Number>& number) {
  return number ? fmt::format("{}", *number) : "";
}

std::string on_or_off(const std::optional<bool>& state) {
  return !state ? "" : *state ? "on" : "off";
}

// The different values of all processors: "0x1000065", or "performance,powersave" if there are several.
template <class Said>
std::string distinct(const std::vector<CpuConditions>& cpus, Said said) {
  std::set<std::string> words;
  for (const CpuConditions& cpu : cpus)
    if (std::string word = said(cpu); !word.empty()) words.insert(std::move(word));
  return fmt::format("{}", fmt::join(words, ","));
}

std::string range_of(const std::optional<std::uint64_t>& least, const std::optional<std::uint64_t>& most) {
  return least || most ? text_of(least) + "-" + text_of(most) : "";
}

std::string text_of(const std::set<CacheConditions>& caches) {
  std::vector<std::string> kinds;
  for (const CacheConditions& cache : caches)
    kinds.push_back(fmt::format("L{} {} {} B, lines of {} B, for {} CPU{}", cache.level, cache.type,
                                cache.bytes, cache.line_bytes, cache.sharing,
                                cache.sharing == 1 ? "" : "s"));
  return fmt::format("{}", fmt::join(kinds, "; "));
}

void add_processor(const Topology& topology, const HostConditions& host, Properties& out) {
  out["cpu.vendor"] = host.cpu_vendor;
  out["cpu.family"] = host.cpu_family;
  out["cpu.model"] = topology.cpu_model;
  out["cpu.model_number"] = host.cpu_model_number;
  out["cpu.stepping"] = host.cpu_stepping;
  out["cpu.microcode"] = distinct(host.cpus, [](const auto& cpu) { return cpu.microcode; });
  out["cpu.isa"] = fmt::format("{}", fmt::join(instruction_sets(host.instructions), " "));
  out["cpu.frequency_khz"] =
      distinct(host.cpus, [](const auto& cpu) { return range_of(cpu.lowest_khz, cpu.highest_khz); });
  out["cpu.sockets"] = std::to_string(topology.sockets);
  out["cpu.cores"] = std::to_string(topology.cores.size());
  out["cpu.threads"] = std::to_string(host.cpus.size());
  out["cpu.threads_online"] = std::to_string(host.cpus_online);
  out["cpu.threads_per_core"] = std::to_string(topology.threads_per_core);
  out["cpu.smt"] = on_or_off(host.smt_active);
  out["cache.l1d_bytes"] = std::to_string(topology.l1d_bytes);
  out["cache.l2_bytes"] = std::to_string(topology.l2_bytes);
  out["cache.last_level_bytes"] = std::to_string(topology.llc_bytes);
  out["cache.kinds"] = text_of(host.caches);
}

// Rounded, because the size changes by some megabytes from one boot to the next.
std::string gib_of(std::uint64_t bytes) {
  return std::to_string((bytes + (1ULL << 29)) >> 30);
}

void add_policy(const HostConditions& host, Properties& out) {
  out["policy.governor"] = distinct(host.cpus, [](const auto& cpu) { return cpu.governor; });
  out["policy.frequency_driver"] = distinct(host.cpus, [](const auto& cpu) { return cpu.driver; });
  out["policy.frequency_khz"] =
      distinct(host.cpus, [](const auto& cpu) { return range_of(cpu.min_khz, cpu.max_khz); });
  out["policy.turbo"] = on_or_off(host.turbo);
  out["policy.transparent_hugepages"] = host.huge_pages;
  out["policy.shared_hugepages"] = host.shared_huge_pages;
  out["policy.address_randomisation"] = text_of(host.address_randomisation);
  out["policy.numa_balancing"] = text_of(host.numa_balancing);
  out["policy.swap"] = on_or_off(host.swap_bytes ? std::optional(*host.swap_bytes > 0) : std::nullopt);
  std::vector<std::string> mitigations;
  for (const auto& [name, state] : host.vulnerabilities) mitigations.push_back(name + ": " + state);
  out["policy.mitigations"] = fmt::format("{}", fmt::join(mitigations, "; "));
  out["limit.cpus"] = text_of(host.groups.cpus);
  out["limit.memory_bytes"] = text_of(host.groups.memory_bytes);
  out["limit.cpuset"] = host.groups.cpuset;
}

}  // namespace

Properties stable_properties(const Topology& topology, const HostConditions& host,
                             const std::string& machine) {
  Properties out;
  add_processor(topology, host, out);
  out["memory.gib"] = gib_of(topology.memory_bytes);
  out["memory.numa_nodes"] = std::to_string(topology.numa_nodes);
  out["memory.numa_layout"] = fmt::format("{}", fmt::join(host.numa_layout, "; "));
  out["system.machine"] = machine;
  out["system.kernel"] = host.kernel_release;
  out["system.kernel_build"] = host.kernel_build;
  out["system.distribution"] = host.distribution;
  out["system.clock_source"] = host.clock_source;
  out["virtual.hypervisor"] = host.hypervisor.empty() && host.hypervisor_flag ? "unknown" : host.hypervisor;
  out["virtual.container"] = host.container;
  out["device.gpus"] = fmt::format("{}", fmt::join(host.gpu.devices, "; "));
  out["device.nvidia_driver"] = host.gpu.nvidia_driver;
  add_policy(host, out);
  for (auto& [key, value] : out) std::replace(value.begin(), value.end(), '\n', ' ');
  return out;
}

std::set<std::string> instruction_sets(const std::set<std::string>& flags) {
  std::set<std::string> out;
  for (const std::string& flag : flags) {
    const auto begins = [&](std::string_view with) { return flag.starts_with(with); };
    if (std::ranges::any_of(kBeginnings, begins) || std::ranges::find(kWords, flag) != kWords.end())
      out.insert(flag);
  }
  return out;
}

}  // namespace kernsweep
