// cuBLAS uses column-major matrices. Our row-major A, B and C are A^T, B^T and C^T there, and C^T = op(B)^T
// op(A)^T. So it gets B first, n rows and m columns, and both operations unchanged.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <string>

#include "kernels/cuda/cublas_library.hpp"
#include "kernels/cuda/gemm/gemm.hpp"
#include "kernels/cuda/gemm/operands.hpp"

namespace kernsweep::cuda {
namespace {

// The size that NVIDIA recommends for Hopper ("cuBLAS", 13.0, section 2.1.7), and the smallest allowed.
constexpr std::int64_t kCublasWorkspace = 32 << 20, kCublasWorkspaceMin = 16 << 10;

const std::array kCublasParams = {
    ks_param_doc{"cublas.library", KS_TEXT, "", nullptr,
                 "file name of cuBLAS, as dlopen takes it; by default libcublas.so.13, else .12"},
    ks_param_doc{"workspace_bytes", KS_INTEGER, "33554432", nullptr,
                 "device memory that the library may use beside the matrices, 16384 at least"},
};

ks_status check_s8(const GemmProblem& problem, ks_why why) {
  const bool has_products = !problem.is_empty() && problem.k > 0;
  if (problem.dtype != Dtype::s8 || !has_products) return KS_OK;
  if (problem.lda % 4 == 0 && problem.ldb % 4 == 0) return KS_OK;
  return refuse(KS_UNSUPPORTED, why,
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
  static ks_status check(const ks_params* params, ks_why why) {
    GemmProblem read;
    if (const ks_status status = read_without_epilogue(params, read, "cublas", why); status != KS_OK)
      return status;
    const Params point(params);
    if (const ks_status status = point.check(kCublasParams.data(), kCublasParams.size(), why);
        status != KS_OK)
      return status;
    const std::int64_t workspace = point.integer("workspace_bytes", kCublasWorkspace);
    if (workspace < kCublasWorkspaceMin)
      return refuse(
          KS_BAD_PARAMETER, why,
          fmt::format("workspace_bytes is {}; cublas needs {} at least", workspace, kCublasWorkspaceMin));
    if (is_8bit_float(read.dtype))
      return refuse(KS_UNSUPPORTED, why,
                    fmt::format("cublasGemmEx has no {}; take the variant cublaslt", read.dtype_name()));
    for (const std::int64_t size : {read.batch, read.m, read.n, read.k, read.lda, read.ldb, read.ldc})
      if (size > std::numeric_limits<int>::max())
        return refuse(KS_UNSUPPORTED, why,
                      fmt::format("{} is more than the 32-bit integers of cuBLAS can say", size));
    return check_s8(read, why);
  }

  static void find(const ks_params* params) { cublas_api(Params(params).text("cublas.library", "")); }
  static void find() { cublas_api(""); }

  // Multiplies once, which loads the kernels and shows whether the library has one.
  GemmCublas(const ks_params* params, const ks_context& context, const ks_tensor* inputs)
      : GemmOperands(params, context, inputs),
        api_(cublas_api(Params(params).text("cublas.library", ""))),
        workspace_(static_cast<std::size_t>(Params(params).integer("workspace_bytes", kCublasWorkspace)),
                   memory),
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

const ks_variant kGemmCublas = device_variant<GemmCublas>(
    "cublas", "NVIDIA's cuBLAS, cublasGemmEx or cublasGemmStridedBatchedEx: all but f8",
    kCublasParams.data(), kCublasParams.size());

}  // namespace kernsweep::cuda
