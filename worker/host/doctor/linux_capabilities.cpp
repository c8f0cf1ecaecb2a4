#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cstring>

#include "shared/base/instant.hpp"
#include "worker/host/counters.hpp"
#include "worker/host/doctor/conditions.hpp"

namespace kernsweep {
namespace {

// The minimum over several rounds, because disturbances only make a round longer.
TimerConditions measure_timer() {
  constexpr int kReadings = 2000;
  constexpr int kRounds = 9;
  TimerConditions out{1, 1};
  for (int round = 0; round < kRounds; ++round) {
    const Instant start = monotonic_now();
    Instant last = start;
    for (int i = 0; i < kReadings; ++i) {
      const Instant now = monotonic_now();
      if (now > last) out.resolution_s = std::min(out.resolution_s, seconds(now - last));
      last = now;
    }
    out.cost_s = std::min(out.cost_s, seconds(last - start) / kReadings);
  }
  return out;
}

// Counts for a moment in the same way as a slot. An event that can be opened but does not count, because
// others use the counters, is missing, too.
void try_counters(HostConditions& conditions) {
  const auto system = system_counters();
  Counters counters(*system, hardware_counters());
  counters.open();
  counters.on();
  measure_timer();
  counters.off();
  for (const CounterTotals::Event& event : counters.totals().events)
    conditions.counted_events.push_back(event.name);
  for (const CounterKind& kind : hardware_counters())
    if (std::ranges::find(conditions.counted_events, kind.name) == conditions.counted_events.end())
      conditions.missing_events.emplace_back(kind.name);
  if (!counters.missing().empty())
    conditions.counter_error = counters.missing().front().why;
  else if (!conditions.missing_events.empty())
    conditions.counter_error = "others use the counters";
}

// Tries the mechanism that shares inputs: an unnamed file in memory, opened again through /proc.
bool memory_files_work() {
  const int file = memfd_create("kernsweep-doctor", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (file < 0) return false;
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  const bool sized =
      ftruncate(file, 4096) == 0 && fcntl(file, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0;
  const int again = sized ? open(path.c_str(), O_RDONLY | O_CLOEXEC) : -1;
  if (again >= 0) close(again);
  close(file);
  return again >= 0;
}

}  // namespace

std::string hypervisor_signature() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & (1U << 31))) return "";
  __cpuid(0x40000000, a, b, c, d);
  char text[13] = "";
  std::memcpy(text, &b, 4);
  std::memcpy(text + 4, &c, 4);
  std::memcpy(text + 8, &d, 4);
  constexpr struct {
    const char* signature;
    const char* name;
  } kKnown[] = {{"KVMKVMKVM", "KVM"},           {"Microsoft Hv", "Hyper-V"},    {"VMwareVMware", "VMware"},
                {"XenVMMXenVMM", "Xen"},        {"TCGTCGTCGTCG", "QEMU (TCG)"}, {"bhyve bhyve ", "bhyve"},
                {"VBoxVBoxVBox", "VirtualBox"}, {"ACRNACRNACRN", "ACRN"}};
  for (const auto& known : kKnown)
    if (std::strcmp(text, known.signature) == 0) return known.name;
#endif
  return "";
}

void add_capabilities(HostConditions& conditions) {
  conditions.timer = measure_timer();
  try_counters(conditions);
  conditions.memory_files = memory_files_work();
  struct statvfs room {};
  if (statvfs("/dev/shm", &room) == 0)
    conditions.shm_free_bytes = static_cast<std::uint64_t>(room.f_bavail) * room.f_frsize;
  const std::string named = hypervisor_signature();
  if (!named.empty()) conditions.hypervisor = named;
}

}  // namespace kernsweep
