// Tiles in shared memory, by kernels of several sizes.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "kernels/cuda/fatbins.hpp"
#include "kernels/cuda/gemm/gemm.hpp"
#include "kernels/cuda/gemm/operands.hpp"
#include "kernels/cuda/gemm/tiled_shapes.hpp"

namespace kernsweep::cuda {
namespace {

const std::array kTiledParams = {
    ks_param_doc{"tile_m", KS_INTEGER, "128", "32|64|128", "rows of C of a block"},
    ks_param_doc{"tile_n", KS_INTEGER, "128", "32|64|128", "columns of C of a block"},
    ks_param_doc{"tile_k", KS_INTEGER, "16", "8|16|32|64", "products summed between two waits of a block"},
    ks_param_doc{"thread_tile", KS_INTEGER, "0", "0|4|8",
                 "rows and columns of C of a thread; 0: 8 where both tiles are 64 or more, else 4"},
};

struct TiledShape {
  std::int64_t m, n, thread;
};
#define KERNSWEEP_TILED_SHAPE(name, T, m, n, thread) TiledShape{m, n, thread},
constexpr TiledShape kTiledShapes[] = {KERNSWEEP_TILED_SHAPES(KERNSWEEP_TILED_SHAPE, , )};
#undef KERNSWEEP_TILED_SHAPE

struct Tiling {
  TiledShape shape;
  std::int64_t k;

  unsigned threads() const {
    return static_cast<unsigned>(shape.m / shape.thread * (shape.n / shape.thread));
  }
  // Bytes of both tiles, with the padding of each line.
  std::size_t shared_bytes(Dtype dtype) const {
    const std::size_t sum_bytes = dtype == Dtype::f64 ? 8 : 4;
    const std::int64_t elements = k * (shape.m + tiled_line<0> + shape.n + tiled_line<0>);
    return static_cast<std::size_t>(elements) * sum_bytes;
  }
};

Tiling tiling_of(const ks_params* params) {
  const Params point(params);
  Tiling tiling{
      {point.integer("tile_m", 128), point.integer("tile_n", 128), point.integer("thread_tile", 0)},
      point.integer("tile_k", 16)};
  if (tiling.shape.thread == 0)
    tiling.shape.thread = std::min(tiling.shape.m, tiling.shape.n) >= 64 ? 8 : 4;
  return tiling;
}

ks_status check_tiling(const Tiling& tiling, ks_why why) {
  std::string known;
  for (const TiledShape& shape : kTiledShapes) {
    if (shape.m == tiling.shape.m && shape.n == tiling.shape.n && shape.thread == tiling.shape.thread) {
      if (tiling.k == 8 || tiling.k == 16 || tiling.k == 32 || tiling.k == 64) return KS_OK;
      return refuse(KS_UNSUPPORTED, why,
                    fmt::format("tile_k is {}; cuda_tiled has 8, 16, 32 and 64", tiling.k));
    }
    known += fmt::format(" {}x{}/{}", shape.m, shape.n, shape.thread);
  }
  return refuse(KS_UNSUPPORTED, why,
                fmt::format("cuda_tiled has no tile_m {} with tile_n {} and thread_tile {}; it has{}",
                            tiling.shape.m, tiling.shape.n, tiling.shape.thread, known));
}

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
  static ks_status check(const ks_params* params, ks_why why) {
    GemmProblem read;
    if (const ks_status status = read_without_epilogue(params, read, "cuda_tiled", why); status != KS_OK)
      return status;
    if (const ks_status status = Params(params).check(kTiledParams.data(), kTiledParams.size(), why);
        status != KS_OK)
      return status;
    if (is_8bit_float(read.dtype))
      return refuse(KS_UNSUPPORTED, why,
                    fmt::format("cuda_tiled has no kernels for {}; cuda_naive and cublaslt multiply it",
                                read.dtype_name()));
    return check_tiling(tiling_of(params), why);
  }

  GemmTiled(const ks_params* params, const ks_context& context, const ks_tensor* inputs)
      : GemmOperands(params, context, inputs),
        tiling_(tiling_of(params)),
        module_(loaded(tiled_fatbin(problem.dtype))),
        kernel_(module_.kernel<GemmArguments>(fmt::format("gemm_tiled_{}_{}x{}_{}", name_of(problem.dtype),
                                                          tiling_.shape.m, tiling_.shape.n,
                                                          tiling_.shape.thread)
                                                  .c_str())) {
    const std::size_t shared = tiling_.shared_bytes(problem.dtype);
    allow_shared_bytes(kernel_, shared);
    const auto blocks = [](std::int64_t length, std::int64_t tile) { return (length + tile - 1) / tile; };
    grid_.blocks = static_cast<unsigned>(blocks(problem.n, tiling_.shape.n));
    grid_.block_threads = tiling_.threads();
    grid_.blocks_y =
        static_cast<unsigned>(std::min(blocks(problem.m, tiling_.shape.m), device.blocks_y_max));
    grid_.blocks_z = static_cast<unsigned>(std::min(problem.batch, device.blocks_y_max));
    grid_.shared_bytes = static_cast<unsigned>(shared);
  }

  void start() {
    GemmArguments given = arguments();
    while (1 << given.tile_k_log2 < tiling_.k) ++given.tile_k_log2;
    multiply_by(kernel_, grid_, given);
  }

  std::string description() const {
    return fmt::format("cuda_tiled tile={}x{}x{} thread_tile={} threads={} shared_bytes={}",
                       tiling_.shape.m, tiling_.shape.n, tiling_.k, tiling_.shape.thread,
                       grid_.block_threads, grid_.shared_bytes);
  }

 private:
  Tiling tiling_;
  const Module& module_;
  Kernel<GemmArguments> kernel_;
  Grid grid_;
};

}  // namespace

const ks_variant kGemmCudaTiled = device_variant<GemmTiled>(
    "cuda_tiled", "a GPU: tiles in shared memory and registers, their sizes to be swept; all but f8",
    kTiledParams.data(), kTiledParams.size());

}  // namespace kernsweep::cuda
