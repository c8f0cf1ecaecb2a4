// The cores, caches and NUMA nodes of this host, as needed to place jobs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

// One physical core that this process may use. `cpu` is the system's number of its first hardware thread;
// the other hardware threads of the core stay idle, so that a slot never shares its execution units.
struct HostCore {
  std::uint32_t cpu = 0;
  std::uint32_t numa_node = 0;
  std::uint32_t cache = 0;  // cores with equal numbers share a last-level cache
  std::uint32_t socket = 0;
  std::uint64_t cache_bytes = 0;  // of that cache; 0: as Topology::llc_bytes
};

struct Topology {
  // In the order of their position in the machine; only those of our cpuset, and of them those that a
  // cpu_set_t can name: numbers below 1,024. With a CPU quota at most as many whole cores as it allows, but
  // at least one.
  std::vector<HostCore> cores;
  std::optional<double> quota;  // in processors, if it is less than the cores
  std::uint32_t sockets = 1;
  std::uint32_t numa_nodes = 1;
  std::uint32_t threads_per_core = 1;
  std::uint64_t memory_bytes = 0;
  std::uint64_t l1d_bytes = 0, l2_bytes = 0, llc_bytes = 0;  // of one instance
  std::string cpu_model;
};

// For each of `cpus`, its share in bytes of its last-level cache: the size divided by the number of `cpus`
// that use this cache, rounded up, but at least the size of its L2. 0 for a core's other processors.
std::vector<std::uint64_t> cache_shares(const Topology& topology, const std::vector<std::uint32_t>& cpus);
// The sum of the shares: the bytes of all caches that a job on `cpus` uses. If none of `cpus` is known:
// llc_bytes.
std::uint64_t reached_cache_bytes(const Topology& topology, const std::vector<std::uint32_t>& cpus);

// Error: hwloc could not read the machine.
Result<Topology> read_topology();

// "0-3,8" for {0,1,2,3,8}.
std::string cpu_list_text(std::vector<std::uint32_t> cpus);

}  // namespace kernsweep
