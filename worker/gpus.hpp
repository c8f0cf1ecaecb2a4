// Lists the GPUs of this host, in a process of its own.
#pragma once

#include <map>
#include <string>

#include "shared/base/value.hpp"
#include "shared/wire/gpu.pb.h"
#include "worker/process/process.hpp"

namespace kernsweep {

// Starts that process; it sees only the GPUs that CUDA_VISIBLE_DEVICES allows.
Result<Child> ask_for_gpus();
// Waits for it, 90 s at most. Any failure is listed in Gpus.troubles.
wire::Gpus gpus_of(Result<Child>& child);

// `gpus` without those whose positions are in `lost`; these are moved to the list of lost ones, with the
// reason.
wire::Gpus gpus_left(const wire::Gpus& gpus, const std::map<std::uint32_t, std::string>& lost);

// The values of gpu.<key> for `requires`. gpu.count always exists, the others only if there is a GPU. If
// the GPUs differ, each number is the smallest one, and there is no name.
std::map<std::string, Value> gpu_facts(const wire::Gpus& gpus);

}  // namespace kernsweep
