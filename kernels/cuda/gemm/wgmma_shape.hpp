// The tiles that the variant cuda_wgmma is compiled for, and the shared memory that they need.
#pragma once

#include "kernels/cuda/gemm/tensor_shapes.hpp"

namespace kernsweep::cuda {

inline constexpr int kWgmmaTileM = 128;
// A warpgroup computes so many columns of a tile, all its rows. So tiles have 128 columns, or 256: these
// bring 24 KiB from L2 for what the others bring 32 KiB for.
inline constexpr int kWarpgroupColumns = 128;
inline constexpr int kWarpgroupThreads = 128;

constexpr int wgmma_threads(int tile_n) {
  return tile_n / kWarpgroupColumns * kWarpgroupThreads;
}
// Of one warpgroup two blocks are on a multiprocessor, so that one multiplies while the other waits for its
// tiles. Of two there is room for one block, which therefore begins a product before the one before it has
// ended.
constexpr int wgmma_products_ahead(int tile_n) {
  return tile_n == 256 ? 1 : 0;
}
constexpr int wgmma_stages(int tile_n) {
  return tile_n == 256 ? 4 : kTensorStages;
}
// Tiles begin at multiples of 1024 bytes, the block's memory need not.
inline constexpr int kWgmmaAlignment = 1024;
constexpr int wgmma_shared_bytes(int tile_n) {
  return wgmma_stages(tile_n) * tensor_stage_bytes(kWgmmaTileM, tile_n) + kWgmmaAlignment;
}

}  // namespace kernsweep::cuda
