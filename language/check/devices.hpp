// The columns that ask for GPUs: `device`, cpu or gpu, and `gpus`, how many; without the second a job on a
// gpu gets one. Kernels see both as they see any other column.
#pragma once

#include <cstdint>
#include <string>

#include "shared/base/value.hpp"

namespace kernsweep {

class Expansion;

constexpr std::int64_t kGpusOfJobMax = 64;

// What is wrong with a value of that column; "": nothing.
std::string why_no_device(const std::string& column, const Value& value);

// Whether some point names a GPU.
bool asks_for_gpus(const Expansion& expansion);

// GPUs that a job gets; null: there is no such column.
std::uint32_t gpus_of(const Value* device, const Value* gpus);

}  // namespace kernsweep
