#include <hwloc.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <memory>
#include <numeric>

#include "worker/host/doctor/conditions.hpp"
#include "worker/host/group_events.hpp"
#include "worker/host/topology.hpp"

namespace kernsweep {
namespace {

using Machine = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, decltype(&hwloc_topology_destroy)>;

std::uint32_t position_above(hwloc_topology_t machine, hwloc_obj_t core, hwloc_obj_type_t type) {
  const hwloc_obj_t above = hwloc_get_ancestor_obj_by_type(machine, type, core);
  return above ? above->logical_index : 0;
}

// The outermost cache above the core: a machine without L3 still has a last-level cache.
hwloc_obj_t last_level_cache(hwloc_obj_t core) {
  hwloc_obj_t last = nullptr;
  for (hwloc_obj_t above = core; above; above = above->parent) {
    if (hwloc_obj_type_is_dcache(above->type)) last = above;
  }
  return last;
}

std::uint64_t cache_bytes(hwloc_topology_t machine, hwloc_obj_type_t type) {
  const hwloc_obj_t cache = hwloc_get_obj_by_type(machine, type, 0);
  return cache ? cache->attr->cache.size : 0;
}

std::uint32_t numa_node_of(hwloc_topology_t machine, hwloc_obj_t core) {
  for (hwloc_obj_t node = nullptr;
       (node = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_NUMANODE, node));) {
    if (hwloc_bitmap_intersects(node->cpuset, core->cpuset)) return node->os_index;
  }
  return 0;
}

std::string model_of(hwloc_topology_t machine) {
  const hwloc_obj_t package = hwloc_get_obj_by_type(machine, HWLOC_OBJ_PACKAGE, 0);
  const char* model = package ? hwloc_obj_get_info_by_name(package, "CPUModel") : nullptr;
  return model ? model : "unknown";
}

void add_cores(hwloc_topology_t machine, Topology& out) {
  std::map<hwloc_obj_t, std::uint32_t> caches;
  for (hwloc_obj_t core = nullptr; (core = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_CORE, core));) {
    HostCore found;
    const int first = hwloc_bitmap_first(core->cpuset);
    if (first < 0 || first >= CPU_SETSIZE) continue;
    found.cpu = static_cast<std::uint32_t>(first);
    found.numa_node = numa_node_of(machine, core);
    found.socket = position_above(machine, core, HWLOC_OBJ_PACKAGE);
    const hwloc_obj_t cache = last_level_cache(core);
    // hwloc numbers caches separately for each level, and cores may have different last levels.
    found.cache = caches.emplace(cache, static_cast<std::uint32_t>(caches.size())).first->second;
    if (cache) out.llc_bytes = found.cache_bytes = cache->attr->cache.size;
    const int threads = hwloc_bitmap_weight(core->cpuset);
    out.threads_per_core = std::max(out.threads_per_core, static_cast<std::uint32_t>(std::max(threads, 1)));
    out.cores.push_back(found);
  }
}

}  // namespace

Result<Topology> read_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0)
    return failure("cannot read this machine's topology: hwloc_topology_init failed");
  const Machine machine(raw, &hwloc_topology_destroy);
  // Without HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED, cores outside our cpuset (cgroup) are left out.
  if (hwloc_topology_load(machine.get()) != 0) {
    return failure("cannot read this machine's topology: hwloc found nothing under /sys; is /sys mounted?");
  }
  hwloc_bitmap_t bound = hwloc_bitmap_alloc();
  if (hwloc_get_cpubind(machine.get(), bound, HWLOC_CPUBIND_PROCESS) == 0 && !hwloc_bitmap_iszero(bound)) {
    hwloc_topology_restrict(machine.get(), bound, 0);  // stay within the mask set by taskset or Slurm
  }
  hwloc_bitmap_free(bound);

  Topology out;
  add_cores(machine.get(), out);
  if (out.cores.empty())
    return failure(
        "this machine shows no processor core that may be used, of those with a number below 1,024; check "
        "the cpuset");
  const auto quota = group_limits_under("/").cpus;
  if (quota && *quota < static_cast<double>(out.cores.size())) {
    out.quota = quota;
    out.cores.resize(cores_within(*quota, out.cores.size()));
  }
  const auto count = [&](hwloc_obj_type_t type) {
    return static_cast<std::uint32_t>(std::max(1, hwloc_get_nbobjs_by_type(machine.get(), type)));
  };
  out.sockets = count(HWLOC_OBJ_PACKAGE);
  out.numa_nodes = count(HWLOC_OBJ_NUMANODE);
  // On virtual machines, memory that was added later may be in no NUMA node: use the system's total.
  const auto pages = static_cast<std::uint64_t>(std::max(0L, sysconf(_SC_PHYS_PAGES)));
  const std::uint64_t system_bytes = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  out.memory_bytes = std::max<std::uint64_t>(hwloc_get_root_obj(machine.get())->total_memory, system_bytes);
  out.l1d_bytes = cache_bytes(machine.get(), HWLOC_OBJ_L1CACHE);
  out.l2_bytes = cache_bytes(machine.get(), HWLOC_OBJ_L2CACHE);
  out.cpu_model = model_of(machine.get());
  return out;
}

std::vector<std::uint64_t> cache_shares(const Topology& topology, const std::vector<std::uint32_t>& cpus) {
  std::map<std::uint32_t, const HostCore*> cores;
  for (const HostCore& core : topology.cores) cores.emplace(core.cpu, &core);
  std::map<std::uint32_t, std::uint64_t> sharing;  // cores of `cpus` for each cache
  for (const std::uint32_t cpu : cpus)
    if (const auto core = cores.find(cpu); core != cores.end()) ++sharing[core->second->cache];
  std::vector<std::uint64_t> shares;
  for (const std::uint32_t cpu : cpus) {
    shares.push_back(0);
    const auto core = cores.find(cpu);
    if (core == cores.end()) continue;
    const std::uint64_t own = core->second->cache_bytes;
    const std::uint64_t bytes = own > 0 ? own : topology.llc_bytes, among = sharing[core->second->cache];
    shares.back() = std::max((bytes + among - 1) / among, topology.l2_bytes);
  }
  return shares;
}

std::uint64_t reached_cache_bytes(const Topology& topology, const std::vector<std::uint32_t>& cpus) {
  const auto shares = cache_shares(topology, cpus);
  const std::uint64_t sum = std::accumulate(shares.begin(), shares.end(), std::uint64_t{0});
  return sum > 0 ? sum : topology.llc_bytes;
}

std::string cpu_list_text(std::vector<std::uint32_t> cpus) {
  std::sort(cpus.begin(), cpus.end());
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (last > i) text += "-" + std::to_string(cpus[last]);
    i = last + 1;
  }
  return text;
}

}  // namespace kernsweep
