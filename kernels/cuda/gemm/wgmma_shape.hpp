// The tiles that the variant cuda_wgmma is compiled for, and the shared memory that they need.
#pragma once

namespace kernsweep::cuda {

inline constexpr int kWgmmaTileM = 128;
// A line of a tile (a row of A, a column of B) has 128 bytes along k: 64 elements of 2 bytes.
inline constexpr int kWgmmaDepthBytes = 128;
// Columns of a tile for one warpgroup, which computes all its rows. So tiles have 128 or 256 columns: a
// tile of 256 loads 24 KiB from L2 for as many products as one of 128 with 32 KiB.
inline constexpr int kWarpgroupColumns = 128;
inline constexpr int kWarpgroupThreads = 128;

constexpr int wgmma_threads(int tile_n) {
  return tile_n / kWarpgroupColumns * kWarpgroupThreads;
}
// With one warpgroup, two blocks fit on a multiprocessor: one multiplies while the other waits for its
// tiles. With two, only one block fits, so it begins a product before the previous one has ended.
constexpr int wgmma_products_ahead(int tile_n) {
  return tile_n == 256 ? 1 : 0;
}
// Number of tiles along k that are being copied or multiplied at a time.
constexpr int wgmma_stages(int tile_n) {
  return tile_n == 256 ? 4 : 3;
}
constexpr int wgmma_stage_bytes(int tile_n) {
  return (kWgmmaTileM + tile_n) * kWgmmaDepthBytes;
}
// Tiles begin at multiples of 1024 bytes, but the block's memory may not.
inline constexpr int kWgmmaAlignment = 1024;
constexpr int wgmma_shared_bytes(int tile_n) {
  return wgmma_stages(tile_n) * wgmma_stage_bytes(tile_n) + kWgmmaAlignment;
}

}  // namespace kernsweep::cuda
