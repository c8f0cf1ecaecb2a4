// cuBLAS uses column-major matrices. Our row-major A, B and C are A^T, B^T and C^T there, and C^T = op(B)^T
// op(A)^T. So it gets B first, n rows and m columns, and both operations unchanged.
#include <fmt/format.h>

#include <limits>
#include <string>

#include "kernels/cuda/cublas_library.hpp"
#include "kernels/cuda/gemm/gemm.hpp"
#include "kernels/cuda/gemm/operands.hpp"

namespace kernsweep::cuda {
namespace {

void check_s8(const GemmProblem& problem) {
  const bool has_products = !problem.is_empty() && problem.k > 0;
  if (problem.dtype == Dtype::s8 && has_products && (problem.lda % 4 != 0 || problem.ldb % 4 != 0))
    throw Failure(
        KS_UNSUPPORTED,
        fmt::format("cuBLAS reads s8 by 4 bytes: lda is {} and ldb {}, both must be multiples of 4",
                    problem.lda, problem.ldb));
}

class CublasHandle {
 public:
  explicit CublasHandle(const CublasApi& api) : api_(api) {
    check(api_.cublasCreate_v2(&handle_), "starting cuBLAS");
  }
  CublasHandle(const CublasHandle&) = delete;
  CublasHandle& operator=(const CublasHandle&) = delete;
  ~CublasHandle() { api_.cublasDestroy_v2(handle_); }
  cublasHandle_t get() const { return handle_; }

 private:
  const CublasApi& api_;
  cublasHandle_t handle_ = nullptr;
};

class GemmCublas : public GemmOperands {
 public:
  struct Settings {
    std::string library;
    std::int64_t workspace_bytes = 32 << 20;  // what NVIDIA recommends for Hopper ("cuBLAS", 13.0, 2.1.7)
    static auto params() {
      return std::vector{
          pack::param<&Settings::library>(
              {.name = "cublas.library",
               .summary = "file name of cuBLAS, as dlopen takes it; by default libcublas.so.13, else .12",
               .fallback = "",
               .setting = true}),
          pack::param<&Settings::workspace_bytes>(
              {.name = "workspace_bytes",
               .summary =
                   "device memory that the library may use in addition to the matrices, 16384 at least",
               .fallback = "33554432",
               .setting = true,
               .least = 16 << 10})};
    }
  };

  static void can_run(const GemmProblem& problem) {
    need_no_epilogue(problem, "cublas");
    if (is_8bit_float(problem.dtype))
      throw Failure(KS_UNSUPPORTED,
                    fmt::format("cublasGemmEx has no {}; take the variant cublaslt", problem.dtype_name()));
    for (const std::int64_t size :
         {problem.batch, problem.m, problem.n, problem.k, problem.lda, problem.ldb, problem.ldc})
      if (size > std::numeric_limits<int>::max())
        throw Failure(KS_UNSUPPORTED,
                      fmt::format("{} is more than the 32-bit integers of cuBLAS can say", size));
    check_s8(problem);
  }

  static void find(const Settings& settings) { cublas_api(settings.library); }

  // Multiplies once, which loads the kernels and shows whether the library has one.
  GemmCublas(const GemmProblem& given, const Settings& settings, pack::Setup& setup)
      : GemmOperands(given, setup),
        api_(cublas_api(settings.library)),
        workspace_(static_cast<std::size_t>(settings.workspace_bytes), memory),
        handle_(api_) {
    cuda::check(api_.cublasSetStream_v2(handle_.get(), stream.get()), "giving cuBLAS a stream");
    cuda::check(api_.cublasSetWorkspace_v2(handle_.get(), workspace_.address(), workspace_.bytes()),
                "giving cuBLAS its workspace");
    // Partial sums along k are added before they are rounded to the type of the results.
    constexpr auto kMode =
        static_cast<cublasMath_t>(CUBLAS_DEFAULT_MATH | CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
    cuda::check(api_.cublasSetMathMode(handle_.get(), kMode), "giving cuBLAS its mode");
    multiply();
    stream.synchronize();
  }

  void start() { multiply(); }

  std::string description() const {
    int version = 0;
    cuda::check(api_.cublasGetVersion_v2(handle_.get(), &version), "asking for cuBLAS's version");
    return fmt::format("cuBLAS {} workspace_bytes={} file={}",
                       cublas_version_text(static_cast<std::size_t>(version)), workspace_.bytes(),
                       api_.file);
  }

 private:
  void multiply() const {
    if (needs_no_product()) return fill_bytes(c.address(), 0, c.bytes(), stream);
    const CublasTypes types = cublas_types(problem);
    static const CublasFactor one(1), zero(0);
    const auto operation = [](bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
    const auto whole = [](std::int64_t size) { return static_cast<int>(size); };
    const cublasOperation_t first = operation(problem.trans_b), second = operation(problem.trans_a);
    if (problem.batch == 1)
      return cuda::check(api_.cublasGemmEx(handle_.get(), first, second, whole(problem.n), whole(problem.m),
                                           whole(problem.k), one.as(types.scale), b.address(), types.ab,
                                           whole(problem.ldb), a.address(), types.ab, whole(problem.lda),
                                           zero.as(types.scale), c.address(), types.c, whole(problem.ldc),
                                           types.compute, CUBLAS_GEMM_DEFAULT),
                         "multiplying");
    cuda::check(
        api_.cublasGemmStridedBatchedEx(
            handle_.get(), first, second, whole(problem.n), whole(problem.m), whole(problem.k),
            one.as(types.scale), b.address(), types.ab, whole(problem.ldb), problem.op_b().batch_stride,
            a.address(), types.ab, whole(problem.lda), problem.op_a().batch_stride, zero.as(types.scale),
            c.address(), types.c, whole(problem.ldc), problem.m * problem.ldc, whole(problem.batch),
            types.compute, CUBLAS_GEMM_DEFAULT),
        "multiplying");
  }

  const CublasApi& api_;
  DeviceMemory workspace_;
  CublasHandle handle_;
  LastWait last_wait_{stream};  // waits for work of a product that failed
};

}  // namespace

pack::Variant gemm_cublas() {
  return device_variant<GemmCublas>(
      "cublas", "NVIDIA's cuBLAS, cublasGemmEx or cublasGemmStridedBatchedEx: all but f8");
}

}  // namespace kernsweep::cuda
