#include <fmt/format.h>

#include <algorithm>

#include "shared/text/counted.hpp"
#include "worker/host/doctor/checks.hpp"

namespace kernsweep {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

Assessment free_memory(const HostConditions& host) {
  Assessment out;
  out.values = {{"available_bytes", value_or_null(host.available_bytes)},
                {"memory_bytes", value_or_null(host.memory_bytes)}};
  if (!host.available_bytes || !host.memory_bytes) {
    out.verdict = Verdict::note;
    out.found = "not shown";
    return out;
  }
  out.found = fmt::format("{} of {}", bytes_text(*host.available_bytes), bytes_text(*host.memory_bytes));
  if (*host.available_bytes < 256 * kMiB) {
    out.verdict = Verdict::bad;
  } else if (*host.available_bytes < kGiB || *host.available_bytes < *host.memory_bytes / 10) {
    out.verdict = Verdict::warning;
  }
  if (out.verdict != Verdict::good) out.remedy = "end what holds memory: ps aux --sort=-rss | head";
  return out;
}

Assessment huge_pages(const HostConditions& host) {
  Assessment out;
  out.values = {{"enabled", host.huge_pages}, {"shared", host.shared_huge_pages}};
  out.found = host.huge_pages.empty() ? "not shown" : host.huge_pages;
  if (!host.shared_huge_pages.empty()) out.found += ", in shared memory " + host.shared_huge_pages;
  if (host.huge_pages == "madvise") return out;
  out.verdict = Verdict::note;
  if (!host.huge_pages.empty())
    out.remedy =
        "to leave it to the programs: echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled";
  return out;
}

Assessment swap(const HostConditions& host) {
  Assessment out;
  const std::uint64_t moved = host.disturbance ? host.disturbance->swapped_pages : 0;
  out.values = {{"swap_bytes", value_or_null(host.swap_bytes)},
                {"used_bytes", value_or_null(host.swap_used_bytes)},
                {"pages_moved_now", static_cast<std::int64_t>(moved)}};
  if (!host.swap_bytes) {
    out.verdict = Verdict::note;
    out.found = "not shown";
    return out;
  }
  if (*host.swap_bytes == 0) {
    out.found = "none";
    return out;
  }
  const std::uint64_t used = host.swap_used_bytes.value_or(0);
  out.found = fmt::format("{} of {} used", bytes_text(used), bytes_text(*host.swap_bytes));
  out.remedy = "sudo swapoff -a, if the memory that is free can take it";
  out.verdict = used > 0 ? Verdict::warning : Verdict::note;
  if (moved > 0) {
    out.verdict = Verdict::bad;
    out.found += fmt::format(", {} pages moved during this check", moved);
  }
  return out;
}

Assessment numa_balancing(const HostConditions& host) {
  Assessment out;
  out.values = {{"balancing", value_or_null(host.numa_balancing)},
                {"numa_nodes", static_cast<std::int64_t>(host.numa_nodes)}};
  const bool on = host.numa_balancing.value_or(0) != 0;
  out.found =
      fmt::format("{}, {}", on ? "on" : "off", counted(host.numa_nodes, "memory node", "memory nodes"));
  if (!on || host.numa_nodes == 1) return out;
  out.verdict = Verdict::warning;
  out.remedy = "sudo sysctl kernel.numa_balancing=0";
  return out;
}

Assessment locking(const HostConditions& host) {
  Assessment out;
  const bool known = host.locked_memory.has_value();
  const auto soft = known ? host.locked_memory->soft : std::nullopt;
  out.values = {{"soft_bytes", value_or_null(soft)}, {"unlimited", known && !soft}};
  if (!known) {
    out.verdict = Verdict::note;
    out.found = "not shown";
    return out;
  }
  out.found = soft ? "up to " + bytes_text(*soft) : "unlimited";
  if (!soft || host.swap_bytes.value_or(0) == 0) return out;  // without swap no memory needs to be locked
  out.verdict = Verdict::note;
  out.remedy = "ulimit -l unlimited, or memlock in /etc/security/limits.conf";
  return out;
}

Assessment shared_memory(const HostConditions& host) {
  Assessment out;
  out.values = {{"memory_files", value_or_null(host.memory_files)},
                {"shm_free_bytes", value_or_null(host.shm_free_bytes)}};
  const std::string shm =
      host.shm_free_bytes ? bytes_text(*host.shm_free_bytes) + " free in /dev/shm" : "no /dev/shm";
  if (!host.memory_files) {
    out.verdict = Verdict::note;
    out.found = "not tried; " + shm;
    return out;
  }
  out.found = (*host.memory_files ? "memory files work; " : "memory files (memfd) do not work; ") + shm;
  if (*host.memory_files) return out;
  out.verdict = Verdict::bad;
  out.remedy = "mount /proc, and allow memfd_create in the container's seccomp profile";
  return out;
}

const Check kMemoryChecks[] = {
    {"memory.free", "memory",
     "A job whose operands do not fit is killed, and a full memory makes the kernel "
     "reclaim pages during samples.",
     &one<free_memory>},
    {"memory.huge_pages", "memory",
     "Large pages save address translation, and when the kernel hands them out by chance, equal runs "
     "differ.",
     &one<huge_pages>},
    {"memory.swap", "memory",
     "A page that was swapped out comes back from a disk, in the middle of a sample.", &one<swap>},
    {"memory.numa_balancing", "memory",
     "Automatic balancing unmaps and moves pages between memory nodes while a kernel uses them.",
     &one<numa_balancing>},
    {"memory.locking", "memory", "Memory that may not be locked can be swapped out under a kernel.",
     &one<locking>},
    {"memory.shared", "memory",
     "Inputs are made once per host and shared as unnamed files in memory; without them no job runs.",
     &one<shared_memory>},
};

}  // namespace

std::span<const Check> memory_checks() {
  return kMemoryChecks;
}

}  // namespace kernsweep
