// The tiles that the variant cuda_tensor is compiled for, and the shared memory that they need.
#pragma once

#include <cstdint>

// X(tile_m, tile_n, warp_m, warp_n) for each: a block's part of C, and a warp's.
#define KERNSWEEP_TENSOR_SHAPES(X) \
  X(64, 64, 32, 32)                \
  X(128, 128, 64, 64)

namespace kernsweep::cuda {

// A line of a tile of A or B has 128 bytes along k for every type: 64 bf16, 32 tf32, 128 s8.
inline constexpr int kTensorDepthBytes = 128;
// Number of tiles along k that are being copied or multiplied at a time.
inline constexpr int kTensorStages = 3;

// Whether rows of A and B may have any alignment. The code for it would cost the large tiles registers.
constexpr bool tensor_any_alignment(int tile_m) {
  return tile_m <= 64;
}

constexpr int tensor_stage_bytes(int tile_m, int tile_n) {
  return (tile_m + tile_n) * kTensorDepthBytes;
}

constexpr int tensor_threads(int tile_m, int tile_n, int warp_m, int warp_n) {
  return tile_m / warp_m * (tile_n / warp_n) * 32;
}

}  // namespace kernsweep::cuda
