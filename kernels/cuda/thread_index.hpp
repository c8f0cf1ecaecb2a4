// The items that a thread of a kernel processes: its own, then further ones in steps of the grid's size.
// For .cu files only; all kernels have one dimension.
#pragma once

#include <cstdint>

namespace kernsweep::cuda {

__device__ inline std::int64_t first_item() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__device__ inline std::int64_t items_apart() {
  return static_cast<std::int64_t>(gridDim.x) * blockDim.x;
}

}  // namespace kernsweep::cuda
