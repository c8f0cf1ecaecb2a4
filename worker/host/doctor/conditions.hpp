// The properties of a host that affect measurements: the input of `kernsweep doctor`. Plain values, read
// once by conditions_under() and completed by add_capabilities(); the checks (checks.hpp) read nothing
// else. An absent value means that the system does not report it. Linux reports all of them.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kernsweep {

namespace wire {
class Gpus;
}

// One processor (hardware thread) that this process may use.
struct CpuConditions {
  std::uint32_t cpu = 0;
  std::string governor, driver, microcode;               // empty: not shown
  std::optional<std::uint64_t> min_khz, max_khz;         // limits that the policy allows
  std::optional<std::uint64_t> lowest_khz, highest_khz;  // limits of the hardware
  std::vector<std::uint32_t> siblings;                   // hardware threads of its core, itself included
};

// One kind of cache. If all cores are equal, there is one entry for each level and type.
struct CacheConditions {
  std::uint32_t level = 0;
  std::string type;  // as the kernel calls it: Data, Instruction, Unified
  std::uint64_t bytes = 0;
  std::uint32_t line_bytes = 0;
  std::uint32_t sharing = 0;  // number of processors that share one of them

  friend auto operator<=>(const CacheConditions&, const CacheConditions&) = default;
};

// Limits of control groups (version 1 and 2), over all groups of this process.
struct GroupLimits {
  std::optional<double> cpus;          // quota / period: processor seconds per second
  std::uint64_t throttled = 0;         // number of periods in which the quota was used up
  std::vector<std::string> cpu_files;  // cpu.stat of all groups up to the root; a quota may be set later
  std::string kill_file;               // of the innermost group, counts `oom_kill`; empty: there is none
  std::optional<std::uint64_t> memory_bytes, memory_left_bytes;
  std::string cpuset;  // "0-3"; empty: not shown
};

// A process that used the processor in the window; `cpus` is its share of time, 1 for a whole processor.
struct BusyProcess {
  std::int64_t pid = 0;
  std::string name;
  double cpus = 0;
};

// The load of other processes on our processors during a short window in which this process slept.
struct Disturbance {
  double window_s = 0;
  double busy_cpus = 0;    // sum over the processors, without stolen time
  double seen_cpus = 0;    // of processes that are not ours, and their ended children
  double steal_share = 0;  // stolen share of the processors' time
  std::uint64_t swapped_pages = 0;
  std::vector<BusyProcess> busiest;  // descending; only processes with 2 % of a processor or more
};

struct TimerConditions {
  double cost_s = 0;        // of one reading
  double resolution_s = 0;  // smallest difference between two readings
};

struct SystemLimit {
  std::optional<std::uint64_t> soft, hard;  // absent: unlimited
};

// A CBLAS library, or oneDNN, in a slot without settings.
struct LibraryConditions {
  struct Tried {
    std::string variable, value, runtime;  // `runtime` under that setting; empty: it failed
  };
  std::string name;               // name for a sweep file: "libblas.so.3", or a path
  std::vector<std::string> also;  // other names of the same file
  std::string runtime;            // its own description (pack.h, `runtime`); empty: it cannot be used
  std::string reason;             // why it cannot be used
  std::vector<Tried> tried;       // settings that may help, in the order of the trials
};

struct GpuState {
  std::vector<std::string> devices;            // "NVIDIA 0000:01:00.0"
  std::string nvidia_driver;                   // version text; empty: not loaded
  std::string libcuda;                         // path; empty: not found
  std::shared_ptr<const wire::Gpus> reported;  // reported by the driver; null: it was not asked
};

struct HostConditions {
  // Processors.
  std::vector<CpuConditions> cpus;
  std::uint32_t cpus_online = 0;
  std::string cpu_vendor, cpu_model;
  std::string cpu_family, cpu_model_number, cpu_stepping;  // on ARM: architecture, part, variant.revision
  std::set<CacheConditions> caches;                        // every kind that some processor has
  std::set<std::string> instructions;                      // as the kernel calls them: "avx512f"
  std::optional<bool> turbo, smt_active;
  std::map<std::string, std::string> vulnerabilities;  // "meltdown" -> "Mitigation: PTI"
  // Virtualisation.
  bool hypervisor_flag = false;
  std::string hypervisor, container;  // names; empty: none found
  std::optional<double> steal_since_boot;
  // Load.
  std::optional<double> load_average;  // of the last minute
  std::optional<Disturbance> disturbance;
  // Memory.
  std::optional<std::uint64_t> memory_bytes, available_bytes, swap_bytes, swap_used_bytes;
  std::string huge_pages, shared_huge_pages;  // the chosen mode: "madvise"
  std::optional<std::int64_t> numa_balancing;
  std::uint32_t numa_nodes = 1;
  std::vector<std::string> numa_layout;  // "node0 cpus 0-3 distance 10 21"; none: not shown
  std::optional<std::uint64_t> shm_free_bytes;
  std::optional<bool> memory_files;  // memfd_create and opening the file through /proc work
  // Kernel and limits.
  std::string kernel_release, kernel_build, distribution;
  std::optional<std::int64_t> address_randomisation, perf_paranoid;
  std::vector<std::string> counted_events, missing_events;  // worker/host/counters.hpp; none: not tried
  std::string counter_error;                                // why the first missing one cannot be counted
  GroupLimits groups;
  std::optional<SystemLimit> locked_memory, open_files;
  // Clock.
  std::string clock_source;
  std::optional<TimerConditions> timer;
  // Libraries and devices.
  std::vector<LibraryConditions> blas;
  std::optional<LibraryConditions> onednn;
  GpuState gpu;
};

// Reads everything that files report, below a root folder ("/" for this host; tests have trees of their
// own). Writes nothing; values of missing or unreadable files stay absent.
HostConditions conditions_under(const std::string& root);

// Only the control groups; conditions_under() includes them.
GroupLimits group_limits_under(const std::string& root);

// Adds values that only a trial on this host shows: cost of the clock, whether counters and memory files
// work, free bytes in /dev/shm, name of the hypervisor. Changes nothing on the host.
void add_capabilities(HostConditions& conditions);

// Name of the hypervisor ("KVM"), from its signature in CPUID. Empty: none, one with an unknown signature,
// or not x86. Part of add_capabilities().
std::string hypervisor_signature();

}  // namespace kernsweep
