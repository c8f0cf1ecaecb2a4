// The cores and GPUs of the host, in the form that the worker's core uses.
#pragma once

#include <string>

#include "shared/wire/gpu.pb.h"
#include "worker/core/core.hpp"
#include "worker/host/topology.hpp"

namespace kernsweep::worker {

HostLayout layout_of(const Topology& topology, const wire::Gpus& gpus);

// The UUIDs of the GPUs among `units`, in the form of CUDA_VISIBLE_DEVICES; "" if there are none.
std::string visible_gpus(const wire::Gpus& gpus, const UnitSet& units);
// Size of the caches that data of a job passes through, in bytes: the sum of the last-level caches that its
// cores reach, or the L2 of one of its GPUs if that is larger.
std::uint64_t cache_to_empty(const Topology& topology, const wire::Gpus& gpus, const UnitSet& units);
// One line for each GPU among `units`:
// "GPU-<uuid> NVIDIA H200, compute capability 9.0, 150121480192 bytes, driver 580.65.06, CUDA 13.0".
std::string text_of_gpus(const wire::Gpus& gpus, const UnitSet& units);

}  // namespace kernsweep::worker
