#include <fmt/format.h>

#include <algorithm>

#include "worker/host/doctor/checks.hpp"

namespace kernsweep {
namespace {

// "performance on 0,1; powersave on 2": the values, and how many processors have each.
template <class Get>
std::map<std::string, std::size_t> counted(const HostConditions& host, Get get) {
  std::map<std::string, std::size_t> counts;
  for (const CpuConditions& cpu : host.cpus) ++counts[get(cpu)];
  return counts;
}

std::string counts_text(const std::map<std::string, std::size_t>& counts) {
  std::string text;
  for (const auto& [value, count] : counts)
    text += fmt::format("{}{} on {}", text.empty() ? "" : ", ", value.empty() ? "none" : value, count);
  return text;
}

// Drivers whose governor "powersave" follows the load. With others it means the lowest frequency.
bool chooses_by_itself(const std::string& driver) {
  return driver == "intel_pstate" || driver == "amd-pstate-epp" || driver == "amd_pstate_epp";
}

Assessment governor(const HostConditions& host) {
  const auto counts = counted(host, [](const CpuConditions& cpu) { return cpu.governor; });
  const std::string driver = host.cpus.empty() ? "" : host.cpus.front().driver;
  Assessment out;
  out.values = {{"governors", counts_text(counts)}, {"driver", driver}};
  if (counts.empty() || (counts.size() == 1 && counts.contains(""))) {
    out.verdict = Verdict::note;
    out.found = "not shown: firmware or a hypervisor chooses the frequency";
    out.remedy = "nothing here; results carry the clock that was measured around their samples";
    return out;
  }
  out.found = fmt::format("{} (driver {})", counts_text(counts), driver.empty() ? "unknown" : driver);
  if (counts.size() == 1 && counts.contains("performance")) return out;
  const bool stands_low = counts.contains("powersave") && !chooses_by_itself(driver);
  out.verdict = stands_low ? Verdict::bad : Verdict::warning;
  out.remedy = "sudo cpupower frequency-set -g performance";
  return out;
}

Assessment frequency_limits(const HostConditions& host) {
  std::uint64_t allowed = 0, possible = 0, lowest = 0;
  std::size_t capped = 0, fixed = 0;
  for (const CpuConditions& cpu : host.cpus) {
    if (!cpu.max_khz || !cpu.highest_khz) continue;
    if (possible == 0 || *cpu.max_khz * possible < allowed * *cpu.highest_khz) {  // the most capped one
      allowed = *cpu.max_khz;
      possible = *cpu.highest_khz;
    }
    lowest = cpu.min_khz.value_or(0);
    capped += *cpu.max_khz < *cpu.highest_khz;
    fixed += lowest == *cpu.max_khz;
  }
  Assessment out;
  if (possible == 0) {
    out.values = {{"max_khz", Null{}}, {"highest_khz", Null{}}, {"min_khz", Null{}}};
    out.verdict = Verdict::note;
    out.found = "not shown";
    return out;
  }
  out.values = {{"max_khz", static_cast<std::int64_t>(allowed)},
                {"highest_khz", static_cast<std::int64_t>(possible)},
                {"min_khz", static_cast<std::int64_t>(lowest)},
                {"capped_cpus", static_cast<std::int64_t>(capped)}};
  if (fixed == host.cpus.size()) {
    out.found = fmt::format("fixed at {}", frequency_text(allowed));
    return out;
  }
  out.found = fmt::format("up to {} of {}", frequency_text(allowed), frequency_text(possible));
  if (capped == 0) return out;
  out.verdict = allowed * 2 < possible ? Verdict::bad : Verdict::warning;
  out.found += fmt::format(", capped on {} of {} processors", capped, host.cpus.size());
  out.remedy = fmt::format("sudo cpupower frequency-set -u {}MHz", possible / 1000);
  return out;
}

Assessment turbo(const HostConditions& host) {
  Assessment out;
  out.values = {{"turbo", value_or_null(host.turbo)}};
  if (!host.turbo) {
    out.verdict = Verdict::note;
    out.found = "not shown";
    return out;
  }
  out.found = *host.turbo ? "on" : "off";
  if (!*host.turbo) return out;
  out.verdict = Verdict::note;
  const bool intel = !host.cpus.empty() && host.cpus.front().driver.starts_with("intel");
  out.remedy = intel
                   ? "for fine comparisons: echo 1 | sudo tee /sys/devices/system/cpu/intel_pstate/no_turbo"
                   : "for fine comparisons: echo 0 | sudo tee /sys/devices/system/cpu/cpufreq/boost";
  return out;
}

Assessment hardware_threads(const HostConditions& host) {
  // Cores that are only partly ours: another process may use their other hardware thread.
  std::size_t shared = 0;
  bool several = host.smt_active.value_or(false);
  for (const CpuConditions& cpu : host.cpus) {
    several = several || cpu.siblings.size() > 1;
    for (const std::uint32_t sibling : cpu.siblings) {
      const bool ours = std::any_of(host.cpus.begin(), host.cpus.end(),
                                    [sibling](const CpuConditions& other) { return other.cpu == sibling; });
      if (!ours) {
        ++shared;
        break;
      }
    }
  }
  Assessment out;
  out.values = {{"active", value_or_null(host.smt_active)},
                {"split_cores", static_cast<std::int64_t>(shared)}};
  if (shared > 0) {
    out.verdict = Verdict::warning;
    out.found =
        fmt::format("on, and {} of our processors share their core with one that is not ours", shared);
    out.remedy = "give whole cores: see thread_siblings_list in /sys/devices/system/cpu/cpu*/topology";
    return out;
  }
  out.found = several ? "on; a slot leaves the other threads of its core idle" : "off";
  if (!several) return out;
  out.verdict = Verdict::note;
  out.remedy = "if others use this host too: echo off | sudo tee /sys/devices/system/cpu/smt/control";
  return out;
}

Assessment microcode(const HostConditions& host) {
  const auto counts = counted(host, [](const CpuConditions& cpu) { return cpu.microcode; });
  const auto old = host.vulnerabilities.find("old_microcode");
  const bool outdated = old != host.vulnerabilities.end() && old->second.starts_with("Vulnerable");
  Assessment out;
  std::string revisions;
  for (const auto& [revision, count] : counts) revisions += (revisions.empty() ? "" : ", ") + revision;
  out.values = {{"microcode", revisions.empty() ? Value() : Value(revisions)}, {"outdated", outdated}};
  out.found = revisions.empty() ? "not shown" : revisions;
  if (counts.size() > 1) {
    out.verdict = Verdict::warning;
    out.found += ": processors differ";
    out.remedy = "load one revision on all: install the microcode package of the distribution and reboot";
  } else if (outdated) {
    out.verdict = Verdict::note;
    out.found += ": the kernel knows a newer one";
    out.remedy = "install the microcode package of the distribution and reboot";
  } else if (revisions.empty()) {
    out.verdict = Verdict::note;
  }
  return out;
}

Assessment mitigations(const HostConditions& host) {
  std::string active, open;
  std::int64_t active_count = 0, open_count = 0;
  for (const auto& [name, state] : host.vulnerabilities) {
    if (name == "old_microcode") continue;
    std::string* const list = state.starts_with("Mitigation")   ? &active
                              : state.starts_with("Vulnerable") ? &open
                                                                : nullptr;
    if (!list) continue;
    ++(list == &active ? active_count : open_count);
    *list += (list->empty() ? "" : ", ") + name;
  }
  Assessment out;
  out.values = {{"active", active_count},
                {"vulnerable", open_count},
                {"active_names", active},
                {"vulnerable_names", open}};
  if (host.vulnerabilities.empty()) {
    out.verdict = Verdict::note;
    out.found = "not shown";
    return out;
  }
  out.found = active_count == 0 ? "none active" : fmt::format("{} active ({})", active_count, active);
  if (open_count > 0) out.found += fmt::format(", {} open", open_count);
  if (active_count > 0) out.verdict = Verdict::note;
  return out;
}

const Check kProcessorChecks[] = {
    {"cpu.governor", "processor",
     "A governor that follows the load runs the first samples at a lower clock than the rest.",
     &one<governor>},
    {"cpu.frequency_limits", "processor",
     "A cap below what the hardware can do makes every kernel slower, and hides which is fastest at full "
     "speed.",
     &one<frequency_limits>},
    {"cpu.turbo", "processor",
     "With turbo the clock depends on how many cores are busy and how warm they are, so equal work takes "
     "unequal time.",
     &one<turbo>},
    {"cpu.smt", "processor",
     "Two hardware threads of one core share its execution units and caches: a busy neighbour costs up to "
     "half.",
     &one<hardware_threads>},
    {"cpu.microcode", "processor",
     "Microcode changes how fast instructions are, so results before and after an update are two machines' "
     "results.",
     &one<microcode>},
    {"cpu.mitigations", "processor",
     "Mitigations slow down system calls and page faults, which short kernels and kernels that allocate "
     "feel.",
     &one<mitigations>},
};

}  // namespace

std::span<const Check> processor_checks() {
  return kProcessorChecks;
}

}  // namespace kernsweep
