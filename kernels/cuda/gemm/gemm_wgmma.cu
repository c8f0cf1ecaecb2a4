// The kernels gemm_wgmma_<dtype>_<tile_n>: each warpgroup of a block computes 128 x 128 elements of C by
// wgmma.
#include "kernels/cuda/async_copies.hpp"
#include "kernels/cuda/element_types.hpp"
#include "kernels/cuda/gemm/gemm_kernels.hpp"
#include "kernels/cuda/gemm/wgmma_shape.hpp"
#include "kernels/cuda/thread_block.hpp"
#include "kernels/cuda/warpgroup_instructions.hpp"

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

// One thread's part of copying the tiles of one operand, in order along k. A tile has kLines lines of 128
// bytes, each 8 pieces of 16 bytes; piece p of line l is at p xor (l mod 8), which wgmma calls 128-byte
// swizzling.
template <class T, int kLines, int kThreads>
class TileCopies {
  static constexpr int kPieces = kWgmmaDepthBytes / 16;
  static constexpr int kPieceElements = 16 / static_cast<int>(sizeof(T));
  static constexpr int kDepth = kWgmmaDepthBytes / static_cast<int>(sizeof(T));
  static constexpr int kLinesAtOnce = kThreads / kPieces;
  static_assert(kLinesAtOnce % 8 == 0, "a thread's lines lie in the same order");

 public:
  // The tile's first line is `first` of `length` lines, which are `step` elements apart in `base`.
  __device__ TileCopies(const T* base, std::int64_t step, std::int64_t first, std::int64_t length,
                        std::int64_t depth)
      : step_(step), depth_left_(depth) {
    const int thread = static_cast<int>(threadIdx.x), piece = thread % kPieces;
    line_ = thread / kPieces;
    piece_ = piece * kPieceElements;
    const std::int64_t lines = length - first;
    lines_ = static_cast<int>(lines < kLines ? lines : kLines);
    from_ = base + (first + line_) * step + piece_;
    place_ = line_ * kWgmmaDepthBytes + (piece ^ (line_ & 7)) * 16;
  }

  // Begins to copy the next tile along k to `tile`; elements beyond the matrix become zero.
  __device__ void begin(SharedAddress tile) {
    const int in_line = static_cast<int>(depth_left_ < kDepth ? depth_left_ : kDepth) - piece_;
    const int elements = in_line < 0 ? 0 : in_line < kPieceElements ? in_line : kPieceElements;
    const T* from = from_;
    KERNSWEEP_UNROLL
    for (int i = 0; i < kLines / kLinesAtOnce; ++i) {
      const int valid = line_ + i * kLinesAtOnce < lines_ ? elements : 0;  // 0: the address is not read
      begin_copy_16(tile + place_ + i * kLinesAtOnce * kWgmmaDepthBytes, from,
                    valid * static_cast<int>(sizeof(T)));
      from = computed_here(from + kLinesAtOnce * step_);
    }
    depth_left_ = depth_left_ < kDepth ? 0 : depth_left_ - kDepth;
    from_ += std::int64_t{kDepth};
  }

 private:
  const T* from_;
  std::int64_t step_;
  std::int64_t depth_left_;
  int lines_;  // lines of the tile that are in the matrix
  int line_;   // first line of this thread
  int piece_;  // first element of its piece in a line
  int place_;
};

template <class T, int kTileN>
class WgmmaGemm {
  static constexpr int kThreads = wgmma_threads(kTileN);
  static constexpr int kStages = wgmma_stages(kTileN);
  static constexpr int kAhead = wgmma_products_ahead(kTileN);
  static constexpr int kStageBytes = wgmma_stage_bytes(kTileN);
  static constexpr int kBytesOfA = kWgmmaTileM * kWgmmaDepthBytes;
  static constexpr std::int64_t kDepth = kWgmmaDepthBytes / static_cast<int>(sizeof(T));
  using CopiesOfA = TileCopies<T, kWgmmaTileM, kThreads>;
  using CopiesOfB = TileCopies<T, kTileN, kThreads>;
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
    CopiesOfA copies_a(static_cast<const T*>(g.a) + batch * g.at_a.batch_step, g.at_a.row_step, i, g.m,
                       g.k);
    CopiesOfB copies_b(static_cast<const T*>(g.b) + batch * g.at_b.batch_step, g.at_b.column_step, j, g.n,
                       g.k);
    const std::int64_t tiles = (g.k + kDepth - 1) / kDepth;
    std::int64_t begun = 0;
    int next_stage = 0;  // to be filled
    const auto begin_tile = [&] {
      if (begun++ < tiles) {
        copies_a.begin(stages + next_stage * kStageBytes);
        copies_b.begin(stages + next_stage * kStageBytes + kBytesOfA);
      }
      end_copy_group();  // empty groups too, so that groups can be counted
      next_stage = next_stage + 1 == kStages ? 0 : next_stage + 1;
    };

    block_wait();  // no product still reads the tiles of the previous batch
    for (int stage = 0; stage < kStages - 1 - kAhead; ++stage) begin_tile();
    const int columns = static_cast<int>(threadIdx.x) / kWarpgroupThreads * kWarpgroupColumns;
    Half upper = {}, lower = {};
    int stage = 0;  // stage that is being multiplied
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      wait_for_copies<kStages - 2 - kAhead>();
      publish_to_tensor_cores();
      block_wait();  // the tile is complete, and no product reads the memory of the next one
      const SharedAddress a = stages + stage * kStageBytes;
      add_tile(upper, lower, a, a + kBytesOfA + columns * kWgmmaDepthBytes);
      begin_tile();  // runs during the product
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
    for (int step = 0; step < kWgmmaDepthBytes / 32; ++step) {
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
