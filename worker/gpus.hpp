// The GPUs of this host, asked for in a process of its own.
#pragma once

#include <map>
#include <string>

#include "shared/base/value.hpp"
#include "shared/wire/gpu.pb.h"
#include "worker/process/process.hpp"

namespace kernsweep {

// Starts the process that looks; it sees what CUDA_VISIBLE_DEVICES leaves of them.
Result<Child> ask_for_gpus();
// Waits for it, 20 s at most. Whatever goes wrong is one of the `troubles`.
wire::Gpus gpus_of(Result<Child>& asked);

// Without those of these places, which are among its lost ones then, with the reason.
wire::Gpus gpus_left(const wire::Gpus& gpus, const std::map<std::uint32_t, std::string>& lost);

// What `requires` may ask as gpu.<key>: gpu.count always; the others where there is a GPU and all are
// alike. With different ones the least of each number, and no name.
std::map<std::string, Value> gpu_facts(const wire::Gpus& gpus);

}  // namespace kernsweep
