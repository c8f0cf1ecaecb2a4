// Tiles in shared memory, by kernels of several sizes.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/cuda/fatbins.hpp"
#include "kernels/cuda/gemm/gemm.hpp"
#include "kernels/cuda/gemm/operands.hpp"
#include "kernels/cuda/gemm/tiled_shapes.hpp"

namespace kernsweep::cuda {
namespace {

struct TiledShape {
  std::int64_t m, n, thread;
};
#define KERNSWEEP_TILED_SHAPE(name, T, m, n, thread) TiledShape{m, n, thread},
constexpr TiledShape kTiledShapes[] = {KERNSWEEP_TILED_SHAPES(KERNSWEEP_TILED_SHAPE, , )};
#undef KERNSWEEP_TILED_SHAPE

// The settings.
struct Tiling {
  std::int64_t m = 128, n = 128, k = 16, thread = 0;

  static std::vector<pack::Param<Tiling>> params() {
    using pack::param;
    return {
        param<&Tiling::m>({.name = "tile_m",
                           .summary = "rows of C of a block",
                           .fallback = "128",
                           .choices = "32|64|128",
                           .setting = true}),
        param<&Tiling::n>({.name = "tile_n",
                           .summary = "columns of C of a block",
                           .fallback = "128",
                           .choices = "32|64|128",
                           .setting = true}),
        param<&Tiling::k>({.name = "tile_k",
                           .summary = "products summed between two waits of a block",
                           .fallback = "16",
                           .choices = "8|16|32|64",
                           .setting = true}),
        param<&Tiling::thread>(
            {.name = "thread_tile",
             .summary = "rows and columns of C of a thread; 0: 8 where both tiles are 64 or more, else 4",
             .fallback = "0",
             .choices = "0|4|8",
             .setting = true})};
  }

  void check() {
    if (thread == 0) thread = std::min(m, n) >= 64 ? 8 : 4;
    std::string known;
    for (const TiledShape& shape : kTiledShapes) {
      if (shape.m == m && shape.n == n && shape.thread == thread) {
        if (k == 8 || k == 16 || k == 32 || k == 64) return;
        throw Failure(KS_UNSUPPORTED, fmt::format("tile_k is {}; cuda_tiled has 8, 16, 32 and 64", k));
      }
      known += fmt::format(" {}x{}/{}", shape.m, shape.n, shape.thread);
    }
    throw Failure(KS_UNSUPPORTED,
                  fmt::format("cuda_tiled has no tile_m {} with tile_n {} and thread_tile {}; it has{}", m,
                              n, thread, known));
  }

  unsigned threads() const { return static_cast<unsigned>(m / thread * (n / thread)); }
  // Bytes of both tiles, with the padding of each line.
  std::size_t shared_bytes(Dtype dtype) const {
    const std::size_t sum_bytes = dtype == Dtype::f64 ? 8 : 4;
    const std::int64_t elements = k * (m + tiled_line<0> + n + tiled_line<0>);
    return static_cast<std::size_t>(elements) * sum_bytes;
  }
};

const unsigned char* tiled_fatbin(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return kernsweep_fatbin_gemm_tiled_f64;
    case Dtype::bf16:
      return kernsweep_fatbin_gemm_tiled_bf16;
    case Dtype::f16:
      return kernsweep_fatbin_gemm_tiled_f16;
    case Dtype::s8:
      return kernsweep_fatbin_gemm_tiled_s8;
    default:
      return kernsweep_fatbin_gemm_tiled_f32;
  }
}

class GemmTiled : public GemmOperands {
 public:
  using Settings = Tiling;
  static void can_run(const GemmProblem& problem) {
    need_no_epilogue(problem, "cuda_tiled");
    if (is_8bit_float(problem.dtype))
      throw Failure(KS_UNSUPPORTED,
                    fmt::format("cuda_tiled has no kernels for {}; cuda_naive and cublaslt multiply it",
                                problem.dtype_name()));
  }

  GemmTiled(const GemmProblem& given, const Tiling& tiling, pack::Setup& setup)
      : GemmOperands(given, setup),
        tiling_(tiling),
        module_(loaded(tiled_fatbin(problem.dtype))),
        kernel_(module_.kernel<GemmArguments>(fmt::format("gemm_tiled_{}_{}x{}_{}", name_of(problem.dtype),
                                                          tiling_.m, tiling_.n, tiling_.thread)
                                                  .c_str())) {
    const std::size_t shared = tiling_.shared_bytes(problem.dtype);
    allow_shared_bytes(kernel_, shared);
    const auto blocks = [](std::int64_t length, std::int64_t tile) { return (length + tile - 1) / tile; };
    grid_.blocks = static_cast<unsigned>(blocks(problem.n, tiling_.n));
    grid_.block_threads = tiling_.threads();
    grid_.blocks_y = static_cast<unsigned>(std::min(blocks(problem.m, tiling_.m), device.blocks_y_max));
    grid_.blocks_z = static_cast<unsigned>(std::min(problem.batch, device.blocks_y_max));
    grid_.shared_bytes = static_cast<unsigned>(shared);
  }

  void start() {
    GemmArguments given = arguments();
    while (1 << given.tile_k_log2 < tiling_.k) ++given.tile_k_log2;
    multiply_by(kernel_, grid_, given);
  }

  std::string description() const {
    return fmt::format("cuda_tiled tile={}x{}x{} thread_tile={} threads={} shared_bytes={}", tiling_.m,
                       tiling_.n, tiling_.k, tiling_.thread, grid_.block_threads, grid_.shared_bytes);
  }

 private:
  Tiling tiling_;
  const Module& module_;
  Kernel<GemmArguments> kernel_;
  Grid grid_;
};

}  // namespace

pack::Variant gemm_cuda_tiled() {
  return device_variant<GemmTiled>(
      "cuda_tiled", "a GPU: tiles in shared memory and registers, their sizes to be swept; all but f8");
}

}  // namespace kernsweep::cuda
