#include <fmt/format.h>

#include <algorithm>

#include "worker/host/doctor/checks.hpp"

namespace kernsweep {
namespace {

Assessment virtualisation(const HostConditions& host) {
  Assessment out;
  const bool is_virtual = host.hypervisor_flag || !host.hypervisor.empty();
  out.values = {{"hypervisor", host.hypervisor}, {"virtual", is_virtual}, {"container", host.container}};
  out.found = "bare metal";
  if (is_virtual) {
    out.verdict = Verdict::note;
    out.found =
        "virtual machine: " + (host.hypervisor.empty() ? "hypervisor of unknown make" : host.hypervisor);
    out.remedy = "ask for dedicated processors, and repeat what matters on bare metal";
  }
  if (host.hypervisor == "QEMU (TCG)") {
    out.verdict = Verdict::bad;
    out.found += ", which translates every instruction";
    out.remedy = "give the virtual machine hardware support: qemu -accel kvm -cpu host";
  }
  if (!host.container.empty()) out.found += "; container: " + host.container;
  return out;
}

Assessment stolen_time(const HostConditions& host) {
  constexpr double kMuchNow = 0.02, kMuchEver = 0.01;
  Assessment out;
  const double now = host.disturbance ? host.disturbance->steal_share : 0;
  out.values = {{"share_since_boot", value_or_null(host.steal_since_boot)},
                {"share_now", host.disturbance ? Value(now) : Value()}};
  if (!host.steal_since_boot) {
    out.verdict = Verdict::note;
    out.found = "not shown";
    return out;
  }
  out.found = fmt::format("{:.2f} % since boot, {:.2f} % now", *host.steal_since_boot * 100, now * 100);
  if (now > kMuchNow) {
    out.verdict = Verdict::bad;
  } else if (now > 0 || *host.steal_since_boot > kMuchEver) {
    out.verdict = Verdict::warning;
  }
  if (out.verdict != Verdict::good)
    out.remedy = "ask the operator for processors that are not oversubscribed, or measure at a quiet hour";
  return out;
}

Assessment busy_processors(const HostConditions& host) {
  constexpr double kQuiet = 0.1, kHalf = 0.5;
  Assessment out;
  if (!host.disturbance) {
    out.verdict = Verdict::note;
    out.found = "not checked";
    out.values = {{"busy_cpus", Null{}}, {"cpus", static_cast<std::int64_t>(host.cpus.size())}};
    return out;
  }
  const Disturbance& seen = *host.disturbance;
  const auto cpus = static_cast<double>(host.cpus.size());
  std::string names;
  for (const BusyProcess& process : seen.busiest)
    names += fmt::format("{}{} (pid {}, {:.0f} %)", names.empty() ? "" : ", ", process.name, process.pid,
                         process.cpus * 100);
  out.values = {{"busy_cpus", seen.busy_cpus},
                {"cpus", static_cast<std::int64_t>(host.cpus.size())},
                {"window_s", seen.window_s},
                {"busiest", names}};
  out.found =
      fmt::format("{:.2f} of {} processors over {:.1f} s", seen.busy_cpus, host.cpus.size(), seen.window_s);
  if (!names.empty()) out.found += ": " + names;
  if (seen.busy_cpus < kQuiet) return out;
  const bool full = seen.busy_cpus >= std::max(kHalf, cpus - kHalf);
  out.verdict = full ? Verdict::bad : seen.busy_cpus < kHalf ? Verdict::note : Verdict::warning;
  out.remedy = names.empty() ? "find out what computes outside of this container"
                             : "stop what computes, or wait for its end";
  return out;
}

Assessment load_average(const HostConditions& host) {
  Assessment out;
  out.values = {{"load", value_or_null(host.load_average)},
                {"cpus_online", static_cast<std::int64_t>(host.cpus_online)}};
  if (!host.load_average) {
    out.verdict = Verdict::note;
    out.found = "not shown";
    return out;
  }
  out.found = fmt::format("{:.2f} over the last minute, {} processors online", *host.load_average,
                          host.cpus_online);
  const double share = *host.load_average / std::max(1.0, static_cast<double>(host.cpus_online));
  if (share <= 0.25) return out;
  out.verdict = share >= 1 ? Verdict::warning : Verdict::note;
  out.remedy = "wait until it has fallen: uptime";
  return out;
}

Assessment clock_source(const HostConditions& host) {
  Assessment out;
  const std::string& source = host.clock_source;
  out.values = {{"clock_source", source}};
  out.found = source.empty() ? "not shown" : source;
  if (source == "tsc" || source == "arch_sys_counter") return out;
  out.verdict = Verdict::note;
  if (source == "hpet" || source == "acpi_pm" || source == "jiffies" || source == "refined-jiffies" ||
      source == "pit") {
    out.verdict = Verdict::bad;
    out.found += ": every reading is a slow system call";
    out.remedy = "see why the kernel dropped the fast one: sudo dmesg | grep -i -e tsc -e clocksource";
  } else if (source == "xen") {
    out.verdict = Verdict::warning;
    out.remedy = "echo tsc | sudo tee /sys/devices/system/clocksource/clocksource0/current_clocksource";
  }
  return out;
}

Assessment timer(const HostConditions& host) {
  Assessment out;
  if (!host.timer) {
    out.verdict = Verdict::note;
    out.found = "not measured";
    out.values = {{"cost_s", Null{}}, {"resolution_s", Null{}}};
    return out;
  }
  const auto& [cost, resolution] = *host.timer;
  out.values = {{"cost_s", cost}, {"resolution_s", resolution}};
  if (resolution >= 1) {
    out.verdict = Verdict::bad;
    out.found = "the clock does not advance";
    out.remedy = "repair the clock source first";
    return out;
  }
  out.found = fmt::format("a reading costs {}, least step {}", time_text(cost), time_text(resolution));
  const double worst = std::max(cost, resolution);
  if (worst < 200e-9) return out;
  out.verdict = worst < 2e-6 ? Verdict::warning : Verdict::bad;
  out.remedy = "repair the clock source; until then only kernels far longer than a reading can be measured";
  return out;
}

const Check kMachineChecks[] = {
    {"host.virtualisation", "machine",
     "In a virtual machine neither the clock frequency nor the neighbours on the hardware can be seen.",
     &one<virtualisation>},
    {"host.steal", "machine",
     "Stolen time is time in which the hypervisor ran another guest on our processor, in the middle of a "
     "sample.",
     &one<stolen_time>},
    {"load.busy", "machine",
     "Other programs take cores, shared cache and memory bandwidth from the kernel that is measured.",
     &one<busy_processors>},
    {"load.average", "machine", "A high load shows that this host has not been quiet lately.",
     &one<load_average>},
    {"clock.source", "machine",
     "The clock source decides what a reading of the time costs and how fine it is.", &one<clock_source>},
    {"clock.timer", "machine",
     "A sample must be 10,000 times longer than a reading of the timer: a slow timer forbids short "
     "samples.",
     &one<timer>},
};

}  // namespace

std::span<const Check> machine_checks() {
  return kMachineChecks;
}

}  // namespace kernsweep
