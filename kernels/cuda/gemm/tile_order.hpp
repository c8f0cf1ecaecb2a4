// Which tile of C a block computes, for .cu files only.
#pragma once

#include "kernels/cuda/gemm/gemm_kernels.hpp"

namespace kernsweep::cuda {
namespace {

// Blocks that run at the same time compute tiles of few rows and few columns of C, so that most of A and B
// is in L2: eight rows of tiles, column by column. Sets i and j to the tile's first row and column.
template <int kTileM, int kTileN>
__device__ void choose_tile(const GemmArguments& g, std::int64_t& i, std::int64_t& j) {
  constexpr std::int64_t kRowsTogether = 8;
  const std::int64_t rows = (g.m + kTileM - 1) / kTileM, columns = (g.n + kTileN - 1) / kTileN;
  const std::int64_t band = blockIdx.x / (kRowsTogether * columns);
  const std::int64_t within = blockIdx.x % (kRowsTogether * columns);
  const std::int64_t rows_left = rows - band * kRowsTogether;
  const std::int64_t band_rows = rows_left < kRowsTogether ? rows_left : kRowsTogether;
  i = (band * kRowsTogether + within % band_rows) * kTileM;
  j = within / band_rows * kTileN;
}

}  // namespace
}  // namespace kernsweep::cuda
