// The kernels gemm_tensor_<dtype>_<a><b>_<tile m>x<tile n>, for .cu files only; <a> and <b> are n or t, as
// trans_a and trans_b.
//
// A block computes tile_m x tile_n elements of C, each warp a part of them, in registers of the tensor
// cores. Tiles of A and B are copied to shared memory two steps before they are multiplied (kTensorStages -
// 1), asynchronously; the block waits once per tile. Fragments are not loaded one step ahead: sums of 64 x
// 64 take half of a thread's registers. Where a multiprocessor holds two blocks of 128 x 128 (9.0 and 10.0,
// with 228 KB of shared memory), their eight warps hide the latency of loads; elsewhere it holds one.
#pragma once

#include "kernels/cuda/gemm/gemm_kernels.hpp"
#include "kernels/cuda/gemm/tensor_operand.hpp"
#include "kernels/cuda/gemm/tile_order.hpp"
#include "kernels/cuda/thread_block.hpp"

namespace kernsweep::cuda {
namespace {

template <class T, bool kTransA, bool kTransB, int kTileM, int kTileN, int kWarpM, int kWarpN>
class TensorGemm {
  static constexpr int kThreads = tensor_threads(kTileM, kTileN, kWarpM, kWarpN);
  static constexpr int kStageBytes = tensor_stage_bytes(kTileM, kTileN);
  static constexpr bool kAnyAlignment = tensor_any_alignment(kTileM);
  static constexpr int kSteps = kTensorDepthBytes / 32;
  static constexpr int kRows = kWarpM / 16, kColumns = kWarpN / 8;  // products of a warp per step
  static constexpr std::int64_t kDepth = kTensorDepthBytes / static_cast<int>(sizeof(T));
  using FragmentsA = Fragments<T, kTileM, !kTransA, true>;
  using FragmentsB = Fragments<T, kTileN, kTransB, false>;
  using Sums = Sum<T>[kRows][kColumns][4];

 public:
  static __device__ void multiply(const GemmArguments& g) {
    for (std::int64_t batch = blockIdx.y; batch < g.batch; batch += gridDim.y) multiply_batch(g, batch);
  }

 private:
  static __device__ int warp_row() {
    return static_cast<int>(threadIdx.x) / 32 / (kTileN / kWarpN) * kWarpM;
  }
  static __device__ int warp_column() {
    return static_cast<int>(threadIdx.x) / 32 % (kTileN / kWarpN) * kWarpN;
  }

  static __device__ void add_step(Sums& sums, const FragmentsA& from_a, const FragmentsB& from_b,
                                  SharedAddress stage, int step) {
    std::uint32_t a[kRows][4], b[kColumns / 2][4];
    KERNSWEEP_UNROLL
    for (int i = 0; i < kRows; ++i) from_a.load(a[i], stage, i, step);
    KERNSWEEP_UNROLL
    for (int j = 0; j < kColumns / 2; ++j) from_b.load(b[j], stage + kTileM * kTensorDepthBytes, j, step);
    KERNSWEEP_UNROLL
    for (int i = 0; i < kRows; ++i) {
      KERNSWEEP_UNROLL
      for (int j = 0; j < kColumns; ++j)
        multiply_add(T{}, sums[i][j], a[i], b[j / 2][j % 2 * 2], b[j / 2][j % 2 * 2 + 1]);
    }
  }

  static __device__ void multiply_batch(const GemmArguments& g, std::int64_t batch) {
    std::int64_t i = 0, j = 0;
    choose_tile<kTileM, kTileN>(g, i, j);
    const SharedAddress stages = shared_address(block_memory());
    TileCopies<T, kTileM, !kTransA, kThreads, kAnyAlignment> copies_a(
        static_cast<const T*>(g.a) + batch * g.at_a.batch_step,
        kTransA ? g.at_a.column_step : g.at_a.row_step, i, g.m, g.k, g.aligned);
    TileCopies<T, kTileN, kTransB, kThreads, kAnyAlignment> copies_b(
        static_cast<const T*>(g.b) + batch * g.at_b.batch_step,
        kTransB ? g.at_b.column_step : g.at_b.row_step, j, g.n, g.k, g.aligned);
    const std::int64_t tiles = (g.k + kDepth - 1) / kDepth;
    std::int64_t begun = 0;
    int next_stage = 0;  // to be filled
    const auto begin_tile = [&] {
      if (begun++ < tiles) {
        copies_a.begin(stages + next_stage * kStageBytes);
        copies_b.begin(stages + next_stage * kStageBytes + kTileM * kTensorDepthBytes);
      }
      end_copy_group();  // also an empty one, so that groups can be counted
      next_stage = next_stage + 1 == kTensorStages ? 0 : next_stage + 1;
    };

    block_wait();  // no thread reads the tiles of the former batch any more
    for (int stage = 0; stage < kTensorStages - 1; ++stage) begin_tile();
    const FragmentsA fragments_a(warp_row());
    const FragmentsB fragments_b(warp_column());
    Sums sums = {};
    int stage = 0;  // stage that is being multiplied
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      wait_for_copies<kTensorStages - 2>();
      block_wait();  // the tile is complete, and no thread reads the former one
      begin_tile();
      KERNSWEEP_UNROLL
      for (int step = 0; step < kSteps; ++step)
        add_step(sums, fragments_a, fragments_b, stages + stage * kStageBytes, step);
      stage = stage + 1 == kTensorStages ? 0 : stage + 1;
    }
    write(g, batch, i + warp_row(), j + warp_column(), sums);
  }

  static __device__ void write(const GemmArguments& g, std::int64_t batch, std::int64_t i0, std::int64_t j0,
                               const Sums& sums) {
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const bool in_pairs = g.at_c.row_step % 2 == 0 && g.at_c.batch_step % 2 == 0;
    KERNSWEEP_UNROLL
    for (int i = 0; i < 2 * kRows; ++i) {
      const std::int64_t row = i0 + 8 * i + lane / 4;
      KERNSWEEP_UNROLL
      for (int j = 0; j < kColumns; ++j) {
        const std::int64_t column = j0 + 8 * j + 2 * (lane % 4);
        const std::int64_t at = batch * g.at_c.batch_step + row * g.at_c.row_step + column;
        const Sum<T> first = sums[i / 2][j][i % 2 * 2], second = sums[i / 2][j][i % 2 * 2 + 1];
        if (row >= g.m || column >= g.n) continue;
        if (in_pairs && column + 1 < g.n) {
          store_pair(g.c, at, g.out, first, second);
        } else {
          store(g.c, at, g.out, first);
          if (column + 1 < g.n) store(g.c, at + 1, g.out, second);
        }
      }
    }
  }
};

}  // namespace
}  // namespace kernsweep::cuda

#define KERNSWEEP_GEMM_TENSOR(layout, name, T, trans_a, trans_b, tile_m, tile_n, warp_m, warp_n)   \
  extern "C" __global__ void __launch_bounds__(                                                    \
      kernsweep::cuda::tensor_threads(tile_m, tile_n, warp_m, warp_n), 1)                          \
      gemm_tensor_##name##_##layout##_##tile_m##x##tile_n(kernsweep::cuda::GemmArguments g) {      \
    kernsweep::cuda::TensorGemm<T, trans_a, trans_b, tile_m, tile_n, warp_m, warp_n>::multiply(g); \
  }
