// The tile that the variant cuda_wgmma is compiled for, and the shared memory that it needs.
#pragma once

#include "kernels/cuda/gemm/tensor_shapes.hpp"

namespace kernsweep::cuda {

// Of both directions. One warpgroup computes it: two blocks on a multiprocessor, so that one multiplies
// while the other waits for its tiles.
inline constexpr int kWgmmaTile = 128;
inline constexpr int kWgmmaThreads = 128;
// Tiles begin at multiples of 1024 bytes, the block's memory need not.
inline constexpr int kWgmmaAlignment = 1024;
inline constexpr int kWgmmaSharedBytes =
    kTensorStages * tensor_stage_bytes(kWgmmaTile, kWgmmaTile) + kWgmmaAlignment;

}  // namespace kernsweep::cuda
