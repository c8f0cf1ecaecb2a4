// The kernels gemm_wgmma_<dtype>_<tile_n>: each warpgroup of a block computes 128 x 128 elements of C by
// wgmma. Tiles are copied to shared memory as for cuda_tensor; its order of pieces along k is what wgmma
// calls 128-byte swizzling.
#include "kernels/cuda/gemm/gemm_kernels.hpp"
#include "kernels/cuda/gemm/tensor_operand.hpp"
#include "kernels/cuda/gemm/tile_order.hpp"
#include "kernels/cuda/gemm/wgmma_shape.hpp"
#include "kernels/cuda/thread_block.hpp"
#include "kernels/cuda/warpgroup_instructions.hpp"

namespace kernsweep::cuda {
namespace {

template <class T, int kTileN>
class WgmmaGemm {
  static constexpr int kThreads = wgmma_threads(kTileN);
  static constexpr int kStages = wgmma_stages(kTileN);
  static constexpr int kAhead = wgmma_products_ahead(kTileN);
  static constexpr int kStageBytes = tensor_stage_bytes(kWgmmaTileM, kTileN);
  static constexpr int kBytesOfA = kWgmmaTileM * kTensorDepthBytes;
  static constexpr std::int64_t kDepth = kTensorDepthBytes / static_cast<int>(sizeof(T));
  using CopiesOfA = TileCopies<T, kWgmmaTileM, true, kThreads, false>;
  using CopiesOfB = TileCopies<T, kTileN, true, kThreads, false>;
  using Half = float[64];  // 64 rows of C, 128 columns

 public:
  static __device__ void multiply(const GemmArguments& g) {
    for (std::int64_t batch = blockIdx.y; batch < g.batch; batch += gridDim.y) multiply_batch(g, batch);
  }

 private:
  static __device__ void multiply_batch(const GemmArguments& g, std::int64_t batch) {
    std::int64_t i = 0, j = 0;
    choose_tile<kWgmmaTileM, kTileN>(g, i, j);
    const SharedAddress memory = shared_address(block_memory());
    const SharedAddress stages = (memory + kWgmmaAlignment - 1) / kWgmmaAlignment * kWgmmaAlignment;
    CopiesOfA copies_a(static_cast<const T*>(g.a) + batch * g.at_a.batch_step, g.at_a.row_step, i, g.m, g.k,
                       true);
    CopiesOfB copies_b(static_cast<const T*>(g.b) + batch * g.at_b.batch_step, g.at_b.column_step, j, g.n,
                       g.k, true);
    const std::int64_t tiles = (g.k + kDepth - 1) / kDepth;
    std::int64_t begun = 0;
    int next_stage = 0;  // to be filled
    const auto begin_tile = [&] {
      if (begun++ < tiles) {
        copies_a.begin(stages + next_stage * kStageBytes);
        copies_b.begin(stages + next_stage * kStageBytes + kBytesOfA);
      }
      end_copy_group();  // also an empty one, so that groups can be counted
      next_stage = next_stage + 1 == kStages ? 0 : next_stage + 1;
    };

    block_wait();  // no product reads the tiles of the former batch any more
    for (int stage = 0; stage < kStages - 1 - kAhead; ++stage) begin_tile();
    const int columns = static_cast<int>(threadIdx.x) / kWarpgroupThreads * kWarpgroupColumns;
    Half upper = {}, lower = {};
    int stage = 0;  // stage that is being multiplied
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      wait_for_copies<kStages - 2 - kAhead>();
      publish_to_tensor_cores();
      block_wait();  // the tile is complete, and no product reads the place of the next one
      const SharedAddress a = stages + stage * kStageBytes;
      add_tile(upper, lower, a, a + kBytesOfA + columns * kTensorDepthBytes);
      begin_tile();  // runs beside the product
      wait_for_products<kAhead>();
      keep_in_place(upper);
      keep_in_place(lower);
      stage = stage + 1 == kStages ? 0 : stage + 1;
    }
    wait_for_products<0>();
    keep_in_place(upper);
    keep_in_place(lower);
    write(g, batch, i, j + columns, upper);
    write(g, batch, i + 64, j + columns, lower);
  }

  static __device__ void add_tile(Half& upper, Half& lower, SharedAddress rows, SharedAddress columns) {
    keep_in_place(upper);
    keep_in_place(lower);
    begin_products();
    KERNSWEEP_UNROLL
    for (int step = 0; step < kTensorDepthBytes / 32; ++step) {
      const SharedAddress a = rows + 32 * step;
      const std::uint64_t b = warpgroup_operand(columns + 32 * step);
      add_product(T{}, upper, warpgroup_operand(a), b);
      add_product(T{}, lower, warpgroup_operand(a + kBytesOfA / 2), b);
    }
    end_products();
  }

  static __device__ void write(const GemmArguments& g, std::int64_t batch, std::int64_t i0, std::int64_t j0,
                               const Half& sums) {
    const int thread = static_cast<int>(threadIdx.x) % kWarpgroupThreads;
    const bool in_pairs = g.at_c.row_step % 2 == 0 && g.at_c.batch_step % 2 == 0;
    KERNSWEEP_UNROLL
    for (int i = 0; i < 64; i += 2) {
      const std::int64_t row = i0 + thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8;
      const std::int64_t column = j0 + i / 4 * 8 + thread % 4 * 2;
      const std::int64_t at = batch * g.at_c.batch_step + row * g.at_c.row_step + column;
      if (row >= g.m || column >= g.n) continue;
      if (in_pairs && column + 1 < g.n) {
        store_pair(g.c, at, g.out, sums[i], sums[i + 1]);
      } else {
        store(g.c, at, g.out, sums[i]);
        if (column + 1 < g.n) store(g.c, at + 1, g.out, sums[i + 1]);
      }
    }
  }
};

}  // namespace
}  // namespace kernsweep::cuda

using namespace kernsweep::cuda;

#define KERNSWEEP_WGMMA(dtype, T, tile_n, blocks)                             \
  extern "C" __global__ void __launch_bounds__(wgmma_threads(tile_n), blocks) \
      gemm_wgmma_##dtype##_##tile_n(GemmArguments g) {                        \
    WgmmaGemm<T, tile_n>::multiply(g);                                        \
  }

KERNSWEEP_WGMMA(bf16, Bf16, 128, 2)
KERNSWEEP_WGMMA(bf16, Bf16, 256, 1)
KERNSWEEP_WGMMA(f16, F16, 128, 2)
KERNSWEEP_WGMMA(f16, F16, 256, 1)
