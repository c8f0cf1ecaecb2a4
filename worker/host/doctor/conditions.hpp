// The state of a host as far as it decides how good numbers from it can be: what `kernsweep doctor` judges.
// Plain values, read once by conditions_under() and completed by the few measurements below; who judges
// (checks.hpp) reads nothing else. Absent means: this system does not show it. Linux fills all of it.
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
  std::optional<std::uint64_t> min_khz, max_khz;         // what the policy allows
  std::optional<std::uint64_t> lowest_khz, highest_khz;  // what the hardware can do
  std::vector<std::uint32_t> siblings;                   // hardware threads of its core, itself included
};

// One kind of cache; a machine of equal cores has one for each level and type.
struct CacheConditions {
  std::uint32_t level = 0;
  std::string type;  // the kernel's word: Data, Instruction, Unified
  std::uint64_t bytes = 0;
  std::uint32_t line_bytes = 0;
  std::uint32_t sharing = 0;  // processors that one of them serves

  friend auto operator<=>(const CacheConditions&, const CacheConditions&) = default;
};

// Limits by control groups, of either version, over all groups that this process is in.
struct GroupLimits {
  std::optional<double> cpus;   // quota over period: processors' worth of time
  std::uint64_t throttled = 0;  // periods in which the quota was used up, so far
  std::optional<std::uint64_t> memory_bytes, memory_left_bytes;
  std::string cpuset;  // "0-3"; empty: not shown
};

// A process that computed while we looked; `cpus` is its share of time, 1 for a whole processor.
struct BusyProcess {
  std::int64_t pid = 0;
  std::string name;
  double cpus = 0;
};

// What others did during a short window in which we slept, on the processors that we may use.
struct Disturbance {
  double window_s = 0;
  double busy_cpus = 0;    // sum over the processors, without stolen time
  double steal_share = 0;  // of the processors' time
  std::uint64_t swapped_pages = 0;
  std::vector<BusyProcess> busiest;  // descending; only who used 2 % of a processor or more
};

struct TimerConditions {
  double cost_s = 0;        // of one reading
  double resolution_s = 0;  // least step between two readings that differ
};

struct SystemLimit {
  std::optional<std::uint64_t> soft, hard;  // absent: unlimited
};

// One CBLAS library, or oneDNN, as a slot with a clean environment finds it.
struct LibraryConditions {
  struct Tried {
    std::string variable, value, runtime;  // `runtime` under that setting; empty: it did not work
  };
  std::string name;               // what a sweep writes: "libblas.so.3", or a path
  std::vector<std::string> also;  // other names that lead to the same file
  std::string runtime;            // what it says of itself (pack.h, `runtime`); empty: it could not be used
  std::string reason;             // why not
  std::vector<Tried> tried;       // settings that could help, in the order of trial
};

struct GpuConditions {
  std::vector<std::string> devices;        // "NVIDIA 0000:01:00.0"
  std::string nvidia_driver;               // version text; empty: not loaded
  std::string libcuda;                     // where it was found; empty: nowhere
  std::shared_ptr<const wire::Gpus> told;  // by the driver; null: it was not asked
};

struct HostConditions {
  // Processors.
  std::vector<CpuConditions> cpus;
  std::uint32_t cpus_online = 0;
  std::string cpu_vendor, cpu_model;
  std::string cpu_family, cpu_model_number, cpu_stepping;  // on ARM: architecture, part, variant.revision
  std::set<CacheConditions> caches;                        // every kind that some processor has
  std::set<std::string> instructions;                      // the kernel's names: "avx512f"
  std::optional<bool> turbo, smt_active;
  std::map<std::string, std::string> vulnerabilities;  // "meltdown" -> "Mitigation: PTI"
  // Virtualisation.
  bool hypervisor_flag = false;
  std::string hypervisor, container;  // names; empty: none seen
  std::optional<double> steal_since_boot;
  // Load.
  std::optional<double> load_average;  // of the last minute
  std::optional<Disturbance> disturbance;
  // Memory.
  std::optional<std::uint64_t> memory_bytes, available_bytes, swap_bytes, swap_used_bytes;
  std::string huge_pages, shared_huge_pages;  // the choice in brackets: "madvise"
  std::optional<std::int64_t> numa_balancing;
  std::uint32_t numa_nodes = 1;
  std::vector<std::string> numa_layout;  // "node0 cpus 0-3 distance 10 21"; none: not shown
  std::optional<std::uint64_t> shm_free_bytes;
  std::optional<bool> memory_files;  // memfd_create and opening the file through /proc work
  // Kernel and limits.
  std::string kernel_release, kernel_build, distribution;
  std::optional<std::int64_t> address_randomisation, perf_paranoid;
  std::string counter_error;  // why counting cycles failed
  std::optional<bool> counters_readable;
  GroupLimits groups;
  std::optional<SystemLimit> locked_memory, open_files;
  // Clock.
  std::string clock_source;
  std::optional<TimerConditions> timer;
  // Libraries and devices.
  std::vector<LibraryConditions> blas;
  std::optional<LibraryConditions> onednn;
  GpuConditions gpu;
};

// Everything that files say, below a root folder ("/" for this host; tests have trees of their own). Reads,
// never writes; what is missing or unreadable stays absent.
HostConditions conditions_under(const std::string& root);

// The control groups alone; part of the above.
GroupLimits group_limits_under(const std::string& root);

// What only this very host can tell by trying, changing nothing: the clock's cost, whether counters and
// memory files work, room in /dev/shm, the hypervisor's name.
void add_capabilities(HostConditions& conditions);

// What the hypervisor calls itself in the processor's identification; empty: there is none, or it is
// silent. Part of the above.
std::string hypervisor_signature();

}  // namespace kernsweep
