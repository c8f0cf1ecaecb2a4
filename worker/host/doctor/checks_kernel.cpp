#include <fmt/format.h>

#include <algorithm>

#include "worker/host/doctor/checks.hpp"

namespace kernsweep {
namespace {

Assessment randomisation(const HostConditions& host) {
  Assessment out;
  out.values = {{"randomize_va_space", value_or_null(host.address_randomisation)}};
  if (!host.address_randomisation) {
    out.verdict = Verdict::note;
    out.found = "not shown";
    return out;
  }
  if (*host.address_randomisation > 0) {
    out.found = "on; several processes per point average over layouts";
    return out;
  }
  out.verdict = Verdict::note;
  out.found = "off; one layout may favour a variant by luck, in every process alike";
  out.remedy = "sudo sysctl kernel.randomize_va_space=2";
  return out;
}

Assessment counters(const HostConditions& host) {
  Assessment out;
  const std::string level = host.perf_paranoid ? std::to_string(*host.perf_paranoid) : "not shown";
  const std::string counted = fmt::format("{}", fmt::join(host.counted_events, ", ")),
                    missing = fmt::format("{}", fmt::join(host.missing_events, ", "));
  out.values = {{"readable", !counted.empty()},
                {"counted", counted},
                {"missing", missing},
                {"perf_event_paranoid", value_or_null(host.perf_paranoid)},
                {"error", host.counter_error}};
  const std::string reason = host.counter_error.empty() ? "not tried" : host.counter_error;
  if (!counted.empty()) {
    out.found = counted + (missing.empty() ? "" : fmt::format("; not {}: {}", missing, reason)) +
                fmt::format(" (perf_event_paranoid {})", level);
    return out;
  }
  out.verdict = Verdict::note;
  out.found = fmt::format("none: {} (perf_event_paranoid {})", reason, level);
  out.remedy = host.perf_paranoid.value_or(0) > 2 ? "sudo sysctl kernel.perf_event_paranoid=2"
               : host.hypervisor_flag             ? "ask for a virtual machine with performance counters"
                                      : "allow perf_event_open in the container's seccomp profile";
  return out;
}

Assessment cpu_quota(const HostConditions& host) {
  Assessment out;
  const GroupLimits& groups = host.groups;
  out.values = {{"cpus", value_or_null(groups.cpus)},
                {"throttled_periods", static_cast<std::int64_t>(groups.throttled)}};
  if (!groups.cpus) {
    out.found = "none";
    return out;
  }
  out.found =
      fmt::format("{:.2f} processors' worth of time for {} processors", *groups.cpus, host.cpus.size());
  if (groups.throttled > 0) out.found += fmt::format(", used up in {} periods so far", groups.throttled);
  const bool enough = *groups.cpus >= static_cast<double>(host.cpus.size()) && groups.throttled == 0;
  out.verdict = enough ? Verdict::note : Verdict::bad;
  out.remedy = "give whole processors instead of a quota: docker run --cpuset-cpus=0-3, not --cpus=4";
  return out;
}

Assessment group_memory(const HostConditions& host) {
  constexpr std::uint64_t kLittle = std::uint64_t{1} << 30;
  Assessment out;
  const GroupLimits& groups = host.groups;
  out.values = {{"limit_bytes", value_or_null(groups.memory_bytes)},
                {"left_bytes", value_or_null(groups.memory_left_bytes)}};
  if (!groups.memory_bytes || groups.memory_bytes > host.memory_bytes.value_or(*groups.memory_bytes)) {
    out.found = "none";
    return out;
  }
  const std::uint64_t left = groups.memory_left_bytes.value_or(*groups.memory_bytes);
  out.found = fmt::format("{}, {} left", bytes_text(*groups.memory_bytes), bytes_text(left));
  out.verdict = left < kLittle ? Verdict::warning : Verdict::note;
  if (left < kLittle)
    out.remedy = "raise the limit: docker run --memory, MemoryMax= of the unit, --mem of the job";
  return out;
}

Assessment cpuset(const HostConditions& host) {
  Assessment out;
  const std::size_t ours = host.cpus.size();
  out.values = {{"allowed_cpus", static_cast<std::int64_t>(ours)},
                {"cpus_online", static_cast<std::int64_t>(host.cpus_online)},
                {"cpuset", host.groups.cpuset}};
  out.found = fmt::format("{} of {} processors", ours, host.cpus_online);
  if (ours >= host.cpus_online) return out;
  out.verdict = Verdict::note;
  if (!host.groups.cpuset.empty()) out.found += ", cpuset " + host.groups.cpuset;
  out.remedy = "check that no other process is bound to the same ones: taskset -pc PID of the other";
  return out;
}

Assessment open_files(const HostConditions& host) {
  // The worker needs some descriptors of its own, a few for each slot, and one for each operand on the
  // host.
  const std::uint64_t needed = 256 + 16 * static_cast<std::uint64_t>(host.cpus.size());
  Assessment out;
  const bool known = host.open_files.has_value();
  const auto soft = known ? host.open_files->soft : std::nullopt;
  out.values = {{"soft", value_or_null(soft)}, {"needed", static_cast<std::int64_t>(needed)}};
  if (!known) {
    out.verdict = Verdict::note;
    out.found = "not shown";
    return out;
  }
  out.found = soft ? fmt::format("{} files, {} wanted", *soft, needed) : "unlimited";
  if (!soft || *soft >= needed) return out;
  out.verdict = *soft < needed / 4 ? Verdict::bad : Verdict::warning;
  out.remedy = fmt::format("ulimit -n {}", std::max<std::uint64_t>(4096, needed));
  return out;
}

const Check kKernelChecks[] = {
    {"kernel.aslr", "kernel",
     "Where code and data lie changes cache conflicts, which moves a result by some percent.",
     &one<randomisation>},
    {"kernel.counters", "kernel",
     "Counters report the cycles, instructions and misses of a kernel, as metrics of its results; where "
     "they "
     "cannot be read, results have none.",
     &one<counters>},
    {"limits.cpu_quota", "limits",
     "When a quota is used up the kernel stops the process until the next period, in the middle of a "
     "sample.",
     &one<cpu_quota>},
    {"limits.memory", "limits",
     "A control group that is full gets its processes killed, or slowed by reclaim.", &one<group_memory>},
    {"limits.cpuset", "limits",
     "Only the processors of the cpuset are offered, and others may be bound to the same ones.",
     &one<cpuset>},
    {"limits.open_files", "limits",
     "A worker that runs out of descriptors cannot start slots or share inputs.", &one<open_files>},
};

}  // namespace

std::span<const Check> kernel_checks() {
  return kKernelChecks;
}

}  // namespace kernsweep
