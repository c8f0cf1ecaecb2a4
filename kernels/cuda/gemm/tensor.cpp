// Our own kernels for tensor cores, by mma.sync: Ampere's instructions, which Hopper has too.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/cuda/fatbins.hpp"
#include "kernels/cuda/gemm/gemm.hpp"
#include "kernels/cuda/gemm/operands.hpp"
#include "kernels/cuda/gemm/tensor_shapes.hpp"

namespace kernsweep::cuda {
namespace {

struct TensorShape {
  int m, n, warp_m, warp_n;
};
#define KERNSWEEP_TENSOR_SHAPE(m, n, warp_m, warp_n) TensorShape{m, n, warp_m, warp_n},
constexpr TensorShape kTensorShapes[] = {KERNSWEEP_TENSOR_SHAPES(KERNSWEEP_TENSOR_SHAPE)};
#undef KERNSWEEP_TENSOR_SHAPE

struct TensorSettings {
  std::int64_t m = 128, n = 128;
  const TensorShape* shape = nullptr;  // as `check` found it

  static std::vector<pack::Param<TensorSettings>> params() {
    using pack::param;
    return {param<&TensorSettings::m>({.name = "tile_m",
                                       .summary = "rows of C of a block",
                                       .fallback = "128",
                                       .choices = "64|128",
                                       .setting = true}),
            param<&TensorSettings::n>({.name = "tile_n",
                                       .summary = "columns of C of a block",
                                       .fallback = "128",
                                       .choices = "64|128",
                                       .setting = true})};
  }
  void check() {
    for (const TensorShape& each : kTensorShapes)
      if (each.m == m && each.n == n) shape = &each;
    if (shape == nullptr)
      throw Failure(KS_UNSUPPORTED, "cuda_tensor has tiles of 64 x 64 and 128 x 128: set both alike");
  }
};

// Whether each row in memory begins at a multiple of 16 bytes, which the asynchronous copies require.
bool is_aligned(const GemmProblem& problem) {
  const std::int64_t elements = 16 / static_cast<std::int64_t>(size_of(problem.dtype));
  return problem.lda % elements == 0 && problem.ldb % elements == 0;
}

struct TensorCode {
  const unsigned char* fatbin;  // null: none for the type
  const char* instruction;
};

TensorCode tensor_code(const GemmProblem& problem) {
  if (problem.tf32) return {kernsweep_fatbin_gemm_tensor_tf32, "mma.sync m16n8k8 tf32"};
  switch (problem.dtype) {
    case Dtype::bf16:
      return {kernsweep_fatbin_gemm_tensor_bf16, "mma.sync m16n8k16 bf16"};
    case Dtype::f16:
      return {kernsweep_fatbin_gemm_tensor_f16, "mma.sync m16n8k16 f16"};
    case Dtype::s8:
      return {kernsweep_fatbin_gemm_tensor_s8, "mma.sync m16n8k32 s8"};
    default:
      return {nullptr, ""};
  }
}

class GemmTensor : public GemmOperands {
 public:
  using Settings = TensorSettings;
  static void can_run(const GemmProblem& problem, const Settings& settings) {
    need_no_epilogue(problem, "cuda_tensor");
    if (tensor_code(problem).fatbin == nullptr)
      throw Failure(KS_UNSUPPORTED, fmt::format("cuda_tensor multiplies bf16, f16, tf32 and s8, not {}",
                                                problem.dtype_name()));
    if (problem.dtype == Dtype::s8 && (problem.trans_a || !problem.trans_b))
      throw Failure(KS_UNSUPPORTED, "cuda_tensor takes s8 along k alone: set trans_a: n and trans_b: t");
    if (!is_aligned(problem) && !tensor_any_alignment(settings.shape->m))
      throw Failure(KS_UNSUPPORTED,
                    fmt::format("rows of A or B do not begin at multiples of 16 bytes (lda {}, ldb {}): "
                                "choose leading dimensions that do, or set tile_m: 64 and tile_n: 64",
                                problem.lda, problem.ldb));
  }

  GemmTensor(const GemmProblem& given, const Settings& settings, pack::Setup& setup)
      : GemmOperands(given, setup),
        shape_(*settings.shape),
        module_(loaded(tensor_code(problem).fatbin)),
        kernel_(module_.kernel<GemmArguments>(fmt::format("gemm_tensor_{}_{}{}_{}x{}", problem.dtype_name(),
                                                          problem.trans_a ? 't' : 'n',
                                                          problem.trans_b ? 't' : 'n', shape_.m, shape_.n)
                                                  .c_str())) {
    const int shared = kTensorStages * tensor_stage_bytes(shape_.m, shape_.n);
    allow_shared_bytes(kernel_, static_cast<std::size_t>(shared));
    const auto blocks = [](std::int64_t length, int tile) { return (length + tile - 1) / tile; };
    grid_.blocks = static_cast<unsigned>(blocks(problem.m, shape_.m) * blocks(problem.n, shape_.n));
    grid_.block_threads =
        static_cast<unsigned>(tensor_threads(shape_.m, shape_.n, shape_.warp_m, shape_.warp_n));
    grid_.blocks_y = static_cast<unsigned>(std::min(problem.batch, device.blocks_y_max));
    grid_.shared_bytes = static_cast<unsigned>(shared);
  }

  void start() {
    GemmArguments given = arguments();
    given.aligned = is_aligned(problem);
    multiply_by(kernel_, grid_, given);
  }

  std::string description() const {
    return fmt::format("cuda_tensor {} tile={}x{}x{} warp={}x{} stages={} threads={} shared_bytes={}",
                       tensor_code(problem).instruction, shape_.m, shape_.n,
                       kTensorDepthBytes / static_cast<int>(size_of(problem.dtype)), shape_.warp_m,
                       shape_.warp_n, kTensorStages, grid_.block_threads, grid_.shared_bytes);
  }

 private:
  TensorShape shape_;
  const Module& module_;
  Kernel<GemmArguments> kernel_;
  Grid grid_;
};

}  // namespace

pack::Variant gemm_cuda_tensor() {
  return device_variant<GemmTensor>(
      "cuda_tensor", "a GPU: our own kernels for tensor cores, by mma.sync; bf16, f16, tf32, s8");
}

}  // namespace kernsweep::cuda
