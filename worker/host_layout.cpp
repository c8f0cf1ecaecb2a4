#include "worker/host_layout.hpp"

#include <algorithm>

#include "shared/lists/gpu_lines.hpp"

namespace kernsweep::worker {

HostLayout layout_of(const Topology& topology, const wire::Gpus& gpus) {
  HostLayout layout;
  const std::size_t cores = topology.cores.size();
  layout.cores = static_cast<std::uint32_t>(cores);
  for (const HostCore& core : topology.cores) {
    UnitSet numa;
    UnitSet cache;
    for (std::size_t other = 0; other < cores; ++other) {
      numa.set(other, topology.cores[other].numa_node == core.numa_node);
      cache.set(other, topology.cores[other].cache == core.cache);
    }
    layout.numa_of.push_back(numa);
    layout.cache_of.push_back(cache);
  }
  layout.gpus = static_cast<std::uint32_t>(gpus.gpus_size());
  for (const wire::Gpu& gpu : gpus.gpus()) {
    UnitSet near;
    for (std::size_t core = 0; core < cores && gpu.has_numa_node(); ++core)
      near.set(core, topology.cores[core].numa_node == gpu.numa_node());
    layout.near.push_back(near);
  }
  return layout;
}

namespace {

template <class Take>
void each_of(const wire::Gpus& gpus, const UnitSet& units, Take take) {
  for (int gpu = 0; gpu < gpus.gpus_size(); ++gpu) {
    if (units[kCoresMax + static_cast<std::size_t>(gpu)]) take(gpus.gpus(gpu));
  }
}

}  // namespace

std::string visible_gpus(const wire::Gpus& gpus, const UnitSet& units) {
  std::string uuids;
  each_of(gpus, units, [&](const wire::Gpu& gpu) { uuids += (uuids.empty() ? "" : ",") + gpu.uuid(); });
  return uuids;
}

std::uint64_t cache_to_empty(const Topology& topology, const wire::Gpus& gpus, const UnitSet& units) {
  std::vector<std::uint32_t> cpus;
  for (std::size_t core = 0; core < topology.cores.size(); ++core)
    if (units.test(core)) cpus.push_back(topology.cores[core].cpu);
  std::uint64_t bytes = reached_cache_bytes(topology, cpus);
  each_of(gpus, units, [&](const wire::Gpu& gpu) { bytes = std::max(bytes, gpu.l2_bytes()); });
  return bytes;
}

std::string text_of_gpus(const wire::Gpus& gpus, const UnitSet& units) {
  std::string text;
  each_of(gpus, units, [&](const wire::Gpu& gpu) {
    const std::uint32_t tenths = gpu.capability_tenths();
    std::string rest = "compute capability " + std::to_string(tenths / 10) + "." +
                       std::to_string(tenths % 10) + ", " + std::to_string(gpu.memory_bytes()) + " bytes";
    if (!gpus.driver().empty()) rest += ", driver " + gpus.driver();
    if (!gpus.cuda().empty()) rest += ", CUDA " + gpus.cuda();
    append_gpu(text, {gpu.uuid(), gpu.name(), std::move(rest)});
  });
  return text;
}

}  // namespace kernsweep::worker
