// The kernels gemm_tiled_<dtype>_<tile m>x<tile n>_<thread tile>, for .cu files only.
//
// A block computes tile_m x tile_n elements of C, a thread thread_tile x thread_tile of them in registers.
// Along k it proceeds by tile_k products: all threads load this part of A and B into shared memory,
// converted to the type of the sums, depth by depth; then each thread reads its elements of every depth,
// four at a time. A line of shared memory is padded by four elements, so that vectors are aligned and lines
// begin in different banks.
#pragma once

#include "kernels/cuda/element_types.hpp"
#include "kernels/cuda/gemm/gemm_kernels.hpp"
#include "kernels/cuda/gemm/tiled_shapes.hpp"
#include "kernels/cuda/thread_block.hpp"

namespace kernsweep::cuda {
namespace {

template <class T>
struct alignas(16) Four {
  T values[4];
};

// One operand's part of a tile: `length` lines (rows of A, columns of B), `line_step` apart, starting at
// `first`; its k depths are `depth_step` apart.
struct Slab {
  std::int64_t first, length, line_step, depth_step;
};

// Loads depths p to p + 2^depths_log2 - 1 to `to`; elements beyond the matrix become zero. Adjacent threads
// load adjacent elements.
template <int kLines, int kThreads, class T>
__device__ void bring(Sum<T>* to, const T* from, const Slab& slab, std::int64_t p, std::int64_t k,
                      int depths_log2) {
  const int depths = 1 << depths_log2;
  KERNSWEEP_UNROLL_TWO  // more would need registers of the sums
      for (int at = static_cast<int>(threadIdx.x); at < kLines * depths; at += kThreads) {
    const bool along_depth = slab.depth_step == 1;
    const int depth = along_depth ? at & (depths - 1) : at / kLines;
    const int line = along_depth ? at >> depths_log2 : at % kLines;
    const bool there = slab.first + line < slab.length && p + depth < k;
    to[depth * tiled_line<kLines> + line] =
        there ? widened(from[(slab.first + line) * slab.line_step + (p + depth) * slab.depth_step])
              : Sum<T>{0};
  }
}

// The lines of a tile that one thread multiplies: groups of four, 4 x (number of threads) apart.
template <int kLines, int kMine>
__device__ inline int line_of(int thread, int mine) {
  return mine / 4 * (4 * kLines / kMine) + 4 * thread + mine % 4;
}

template <int kLines, int kMine, class T>
__device__ inline void take(T (&mine)[kMine], const T* depth, int thread) {
  KERNSWEEP_UNROLL
  for (int i = 0; i < kMine; i += 4) {
    const Four<T> four = *reinterpret_cast<const Four<T>*>(depth + line_of<kLines, kMine>(thread, i));
    KERNSWEEP_UNROLL
    for (int e = 0; e < 4; ++e) mine[i + e] = four.values[e];
  }
}

template <class T, int kTileM, int kTileN, int kThreadTile>
struct TiledGemm {
  static constexpr int kAcross = kTileN / kThreadTile;  // threads per row of thread tiles
  static constexpr int kThreads = kTileM / kThreadTile * kAcross;
  using Sums = Sum<T>[kThreadTile][kThreadTile];

  static __device__ void add_depths(Sums& sums, const Sum<T>* a, const Sum<T>* b, int depths) {
    const int row = static_cast<int>(threadIdx.x) / kAcross;
    const int column = static_cast<int>(threadIdx.x) % kAcross;
    constexpr int kAtOnce = sizeof(Sum<T>) == 8 ? 4 : 8;  // as many as fit in registers
    for (int p = 0; p < depths; p += kAtOnce) {
      KERNSWEEP_UNROLL
      for (int q = 0; q < kAtOnce; ++q) {
        Sum<T> rows[kThreadTile], columns[kThreadTile];
        take<kTileM>(rows, a + (p + q) * tiled_line<kTileM>, row);
        take<kTileN>(columns, b + (p + q) * tiled_line<kTileN>, column);
        KERNSWEEP_UNROLL
        for (int i = 0; i < kThreadTile; ++i) {
          KERNSWEEP_UNROLL
          for (int j = 0; j < kThreadTile; ++j) sums[i][j] += rows[i] * columns[j];
        }
      }
    }
  }

  static __device__ void write(const GemmArguments& g, std::int64_t batch, std::int64_t i0, std::int64_t j0,
                               const Sums& sums) {
    KERNSWEEP_UNROLL
    for (int i = 0; i < kThreadTile; ++i) {
      const std::int64_t row =
          i0 + line_of<kTileM, kThreadTile>(static_cast<int>(threadIdx.x) / kAcross, i);
      KERNSWEEP_UNROLL
      for (int j = 0; j < kThreadTile; ++j) {
        const std::int64_t column =
            j0 + line_of<kTileN, kThreadTile>(static_cast<int>(threadIdx.x) % kAcross, j);
        if (row < g.m && column < g.n)
          store(g.c, batch * g.at_c.batch_step + row * g.at_c.row_step + column, g.out, sums[i][j]);
      }
    }
  }

  static __device__ void multiply_tile(const GemmArguments& g, std::int64_t batch, std::int64_t i0,
                                       std::int64_t j0) {
    const int depths = 1 << g.tile_k_log2;
    Sum<T>* const a_tile = reinterpret_cast<Sum<T>*>(block_memory());
    Sum<T>* const b_tile = a_tile + depths * tiled_line<kTileM>;
    const T* const a = static_cast<const T*>(g.a) + batch * g.at_a.batch_step;
    const T* const b = static_cast<const T*>(g.b) + batch * g.at_b.batch_step;
    Sums sums = {};
    for (std::int64_t p = 0; p < g.k; p += depths) {
      block_wait();  // no thread still reads the tiles
      bring<kTileM, kThreads>(a_tile, a, {i0, g.m, g.at_a.row_step, g.at_a.column_step}, p, g.k,
                              g.tile_k_log2);
      bring<kTileN, kThreads>(b_tile, b, {j0, g.n, g.at_b.column_step, g.at_b.row_step}, p, g.k,
                              g.tile_k_log2);
      block_wait();
      add_depths(sums, a_tile, b_tile, depths);
    }
    write(g, batch, i0, j0, sums);
  }

  static __device__ void multiply(const GemmArguments& g) {
    for (std::int64_t batch = blockIdx.z; batch < g.batch; batch += gridDim.z)
      for (std::int64_t i = std::int64_t{blockIdx.y} * kTileM; i < g.m;
           i += std::int64_t{gridDim.y} * kTileM)
        multiply_tile(g, batch, i, std::int64_t{blockIdx.x} * kTileN);
  }
};

}  // namespace
}  // namespace kernsweep::cuda

#define KERNSWEEP_GEMM_TILED(name, T, tile_m, tile_n, thread_tile)                                 \
  extern "C" __global__ void __launch_bounds__((tile_m / thread_tile) * (tile_n / thread_tile), 1) \
      gemm_tiled_##name##_##tile_m##x##tile_n##_##thread_tile(kernsweep::cuda::GemmArguments g) {  \
    kernsweep::cuda::TiledGemm<T, tile_m, tile_n, thread_tile>::multiply(g);                       \
  }
#define KERNSWEEP_GEMM_TILED_ALL(name, T) KERNSWEEP_TILED_SHAPES(KERNSWEEP_GEMM_TILED, name, T)
