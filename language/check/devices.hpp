// The columns that request GPUs: `device`, cpu or gpu, and `gpus`, the number; without `gpus`, a job with
// `device: gpu` gets one. Kernels get both columns like any other.
#pragma once

#include <cstdint>
#include <string>

#include "shared/base/value.hpp"

namespace kernsweep {

class Expansion;

constexpr std::int64_t kGpusOfJobMax = 64;

// The error of a value of the column `device` or `gpus`; empty if it is valid.
std::string why_no_device(const std::string& column, const Value& value);

// Whether a value of these columns requests a GPU, on an axis or in an included point.
bool asks_for_gpus(const Expansion& expansion);

// Number of GPUs that a job gets, 0 to kGpusOfJobMax. A null pointer: the sweep has no such column.
std::uint32_t gpus_of(const Value* device, const Value* gpus);

}  // namespace kernsweep
