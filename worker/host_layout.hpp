// The host as the worker's core sees it, made from what the machine and its driver say.
#pragma once

#include <string>

#include "shared/wire/gpu.pb.h"
#include "worker/core/core.hpp"
#include "worker/host/topology.hpp"

namespace kernsweep::worker {

HostLayout layout_of(const Topology& topology, const wire::Gpus& gpus);

// Those of the units that are GPUs.
// Their UUIDs, as CUDA_VISIBLE_DEVICES wants them; "": none.
std::string visible_gpus(const wire::Gpus& gpus, const UnitSet& units);
// The caches that data of a job meets, in bytes: those of the host's last level that its cores reach, all
// together, or a larger L2 of its GPUs.
std::uint64_t cache_to_empty(const Topology& topology, const wire::Gpus& gpus, const UnitSet& units);
// "GPU-<uuid> NVIDIA H200, compute capability 9.0, 150121480192 bytes, driver 580.65.06, CUDA 13.0", a line
// for each.
std::string text_of_gpus(const wire::Gpus& gpus, const UnitSet& units);

}  // namespace kernsweep::worker
