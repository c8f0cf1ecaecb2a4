// cuBLASLt: the same product as in cublas.cpp, B first, by one of the algorithms of its heuristic.
//
// It fuses epilogues. Its bias has one number for each row of its D, which is a column of our C.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/cublas_library.hpp"
#include "kernels/cuda/gemm/gemm.hpp"
#include "kernels/cuda/gemm/operands.hpp"

namespace kernsweep::cuda {
namespace {

// Owns an object of the library.
template <class Handle>
using Owned = std::unique_ptr<std::remove_pointer_t<Handle>, cublasStatus_t (*)(Handle)>;

// 8-bit types. "cuBLAS", cublasLtMatmul: only "TN" in its own terms, with f8 in multiples of 16 bytes and
// s8 of 4. Newer versions support more for s8 on some GPUs that are not documented.
void check_8_bits(const GemmProblem& problem) {
  if (size_of(problem.dtype) != 1 || problem.is_empty() || problem.k == 0) return;
  if (problem.dtype == Dtype::f8e5m2)
    throw Failure(KS_UNSUPPORTED,
                  "cuBLASLt does not multiply f8e5m2 by f8e5m2; take f8e4m3, or the variant cuda_naive");
  const std::string_view type = name_of(problem.dtype);
  if (problem.trans_a || !problem.trans_b)
    throw Failure(KS_UNSUPPORTED,
                  fmt::format("cuBLASLt reads {} along k alone: set trans_a: n and trans_b: t", type));
  const std::int64_t piece = problem.dtype == Dtype::s8 ? 4 : 16;
  const std::int64_t in_c =
      problem.dtype == Dtype::s8 ? 4 : piece / static_cast<std::int64_t>(size_of(problem.out));
  if (problem.n % piece == 0 && problem.k % piece == 0 && problem.lda % piece == 0 &&
      problem.ldb % piece == 0 && problem.ldc % in_c == 0)
    return;
  throw Failure(
      KS_UNSUPPORTED,
      fmt::format("cuBLASLt reads {} by {} bytes: n ({}), k ({}), lda ({}) and ldb ({}) must be "
                  "multiples of {}, ldc ({}) of {}",
                  type, piece, problem.n, problem.k, problem.lda, problem.ldb, piece, problem.ldc, in_c));
}

void check_epilogue(const GemmProblem& problem) {
  if (problem.epilogue.is_none() || problem.is_empty()) return;
  if (problem.dtype == Dtype::s8)
    throw Failure(KS_UNSUPPORTED,
                  fmt::format("cuBLASLt has no epilogue {} for s8; set epilogue: none, or take the variant "
                              "onednn on a processor",
                              name_of(problem.epilogue)));
  if (problem.k > 0 || !problem.epilogue.has_bias) return;
  throw Failure(KS_UNSUPPORTED,
                "cuBLASLt adds no bias to a product of depth 0; set k, or take the variant naive");
}

cublasLtEpilogue_t epilogue_of(const Epilogue& epilogue) {
  switch (epilogue.activation) {
    case Activation::relu:
      return epilogue.has_bias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
    case Activation::gelu:
      return epilogue.has_bias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
    case Activation::none:
      break;
  }
  return epilogue.has_bias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
}

class GemmCublasLt : public GemmOperands {
 public:
  struct Settings {
    std::int64_t algorithm = 0;
    std::string library;
    std::int64_t workspace_bytes = 32 << 20;
    static auto params() {
      return std::vector{
          pack::param<&Settings::algorithm>(
              {.name = "algorithm",
               .summary =
                   "place in the heuristic's list of algorithms, the one that it thinks fastest being 0",
               .fallback = "0",
               .setting = true,
               .least = 0,
               .most = 999}),
          pack::param<&Settings::library>(
              {.name = "cublas.library",
               .summary =
                   "file name of cuBLASLt, as dlopen takes it; by default libcublasLt.so.13, else .12",
               .fallback = "",
               .setting = true}),
          pack::param<&Settings::workspace_bytes>(
              {.name = "workspace_bytes",
               .summary = "device memory that an algorithm may use in addition to the matrices",
               .fallback = "33554432",
               .setting = true,
               .least = 0})};
    }
  };

  static void can_run(const GemmProblem& problem) {
    if (problem.batch > INT32_MAX)
      throw Failure(KS_UNSUPPORTED, fmt::format("cuBLASLt cannot count a batch of {}", problem.batch));
    check_epilogue(problem);
    check_8_bits(problem);
  }

  static void find(const Settings& settings) { cublas_lt_api(settings.library); }

  // Multiplies once, which loads the kernels and shows what the library does not support.
  GemmCublasLt(const GemmProblem& given, const Settings& settings, pack::Setup& setup)
      : GemmOperands(given, setup), api_(cublas_lt_api(settings.library)), types_(cublas_types(problem)) {
    if (needs_no_product()) return;
    if (is_8bit_float(problem.dtype) && device.compute_major * 10 + device.compute_minor < 89)
      throw Failure(KS_UNSUPPORTED, fmt::format("{} has compute capability {}.{}; f8 needs 8.9 or later",
                                                device.name, device.compute_major, device.compute_minor));
    cublasLtHandle_t made = nullptr;
    cuda::check(api_.cublasLtCreate(&made), "starting cuBLASLt");
    handle_.reset(made);
    describe_operation();
    if (!problem.epilogue.is_none()) describe_epilogue(setup);
    // Row-major k x n (or n x k) is column-major n x k (or k x n).
    const std::int64_t columns_a = problem.trans_a ? problem.m : problem.k;
    const std::int64_t columns_b = problem.trans_b ? problem.k : problem.n;
    at_b_ = layout(types_.ab, columns_b, problem.stored_rows_b(), problem.ldb, problem.op_b().batch_stride);
    at_a_ = layout(types_.ab, columns_a, problem.stored_rows_a(), problem.lda, problem.op_a().batch_stride);
    at_c_ = layout(types_.c, problem.n, problem.m, problem.ldc, problem.m * problem.ldc);
    choose(settings.algorithm, static_cast<std::size_t>(settings.workspace_bytes));
    workspace_ = DeviceMemory(chosen_.workspaceSize, memory);
    multiply();
    stream.synchronize();
  }

  void start() {
    if (needs_no_product()) {
      fill_bytes(c.address(), 0, c.bytes(), stream);
    } else {
      multiply();
    }
  }

  std::string description() const {
    const std::string library =
        fmt::format("cuBLASLt {} file={}", cublas_version_text(api_.cublasLtGetVersion()), api_.file);
    if (needs_no_product()) return library;
    return fmt::format("{} algorithm id={} tile={} stages={} split_k={} waves={:.2f} workspace_bytes={}",
                       library, configured(CUBLASLT_ALGO_CONFIG_ID),
                       configured(CUBLASLT_ALGO_CONFIG_TILE_ID), configured(CUBLASLT_ALGO_CONFIG_STAGES_ID),
                       configured(CUBLASLT_ALGO_CONFIG_SPLITK_NUM), chosen_.wavesCount,
                       chosen_.workspaceSize);
  }

 private:
  template <class T>
  void set(cublasLtMatmulDescAttributes_t attribute, const T& value) {
    cuda::check(api_.cublasLtMatmulDescSetAttribute(operation_.get(), attribute, &value, sizeof value),
                "describing the product");
  }

  void describe_operation() {
    cublasLtMatmulDesc_t made = nullptr;
    cuda::check(api_.cublasLtMatmulDescCreate(&made, types_.compute, types_.scale),
                "describing the product");
    operation_ = {made, api_.cublasLtMatmulDescDestroy};
    const auto operation = [](bool transposed) { return transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
    set(CUBLASLT_MATMUL_DESC_TRANSA, operation(problem.trans_b));
    set(CUBLASLT_MATMUL_DESC_TRANSB, operation(problem.trans_a));
    if (!is_8bit_float(problem.dtype)) return;
    // f8 is scaled by a number in device memory: 1.
    const float one = 1;
    scale_ = DeviceMemory(sizeof one, memory);
    copy_to_device(scale_.address(), &one, sizeof one, stream);
    stream.synchronize();
    set(CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, static_cast<const void*>(scale_.address()));
    set(CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, static_cast<const void*>(scale_.address()));
  }

  // Must be called before algorithms are requested, because they depend on the bias' alignment.
  void describe_epilogue(const pack::Setup& setup) {
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue_of(problem.epilogue));
    if (!problem.epilogue.has_bias) return;
    bias_ = DeviceMemory(static_cast<std::size_t>(problem.n) * size_of(problem.bias_dtype()), memory);
    copy_to_device(bias_.address(), setup.tensor(2).data, bias_.bytes(), stream);
    stream.synchronize();
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, static_cast<const void*>(bias_.address()));
    set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, types_.bias);
  }

  Owned<cublasLtMatrixLayout_t> layout(cudaDataType_t type, std::int64_t rows, std::int64_t columns,
                                       std::int64_t leading, std::int64_t batch_step) const {
    cublasLtMatrixLayout_t made = nullptr;
    cuda::check(api_.cublasLtMatrixLayoutCreate(&made, type, static_cast<std::uint64_t>(rows),
                                                static_cast<std::uint64_t>(columns), leading),
                "describing a matrix");
    Owned<cublasLtMatrixLayout_t> owned{made, api_.cublasLtMatrixLayoutDestroy};
    if (problem.batch == 1) return owned;
    const auto batch = static_cast<std::int32_t>(problem.batch);
    cuda::check(api_.cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch,
                                                      sizeof batch),
                "describing a matrix");
    cuda::check(api_.cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                                      &batch_step, sizeof batch_step),
                "describing a matrix");
    return owned;
  }

  void choose(std::int64_t algorithm, std::size_t workspace_bytes) {
    cublasLtMatmulPreference_t made = nullptr;
    cuda::check(api_.cublasLtMatmulPreferenceCreate(&made), "asking for algorithms");
    const Owned<cublasLtMatmulPreference_t> preference{made, api_.cublasLtMatmulPreferenceDestroy};
    cuda::check(api_.cublasLtMatmulPreferenceSetAttribute(made, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                                          &workspace_bytes, sizeof workspace_bytes),
                "asking for algorithms");
    // Partial sums along k are added before they are rounded to the type of the results.
    const std::uint32_t reduction = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
    cuda::check(api_.cublasLtMatmulPreferenceSetAttribute(made, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                                                          &reduction, sizeof reduction),
                "asking for algorithms");
    const auto wanted = static_cast<std::size_t>(algorithm) + 1;
    std::vector<cublasLtMatmulHeuristicResult_t> known(wanted);
    int count = 0;
    cuda::check(api_.cublasLtMatmulAlgoGetHeuristic(handle_.get(), operation_.get(), at_b_.get(),
                                                    at_a_.get(), at_c_.get(), at_c_.get(), preference.get(),
                                                    static_cast<int>(wanted), known.data(), &count),
                "asking for algorithms");
    if (static_cast<std::size_t>(count) < wanted)
      throw Failure(KS_UNSUPPORTED, fmt::format("cuBLASLt knows {} algorithms for this product: algorithm "
                                                "must be below that, it is {}",
                                                count, algorithm));
    chosen_ = known.back();
    cuda::check(chosen_.state, fmt::format("choosing algorithm {}", algorithm));
  }

  void multiply() const {
    static const CublasFactor one(1), zero(0);
    cuda::check(api_.cublasLtMatmul(handle_.get(), operation_.get(), one.as(types_.scale), b.address(),
                                    at_b_.get(), a.address(), at_a_.get(), zero.as(types_.scale),
                                    c.address(), at_c_.get(), c.address(), at_c_.get(), &chosen_.algo,
                                    workspace_.address(), workspace_.bytes(), stream.get()),
                "multiplying");
  }

  // A number of the algorithm; -1 if it has none.
  int configured(cublasLtMatmulAlgoConfigAttributes_t attribute) const {
    int value = -1;
    std::size_t written = 0;
    const cublasStatus_t status =
        api_.cublasLtMatmulAlgoConfigGetAttribute(&chosen_.algo, attribute, &value, sizeof value, &written);
    return status == CUBLAS_STATUS_SUCCESS ? value : -1;
  }

  const CublasLtApi& api_;
  CublasTypes types_;
  Owned<cublasLtHandle_t> handle_{nullptr, api_.cublasLtDestroy};
  Owned<cublasLtMatmulDesc_t> operation_{nullptr, api_.cublasLtMatmulDescDestroy};
  Owned<cublasLtMatrixLayout_t> at_a_{nullptr, api_.cublasLtMatrixLayoutDestroy};
  Owned<cublasLtMatrixLayout_t> at_b_{nullptr, api_.cublasLtMatrixLayoutDestroy};
  Owned<cublasLtMatrixLayout_t> at_c_{nullptr, api_.cublasLtMatrixLayoutDestroy};
  cublasLtMatmulHeuristicResult_t chosen_{};
  DeviceMemory scale_, bias_, workspace_;
  LastWait last_wait_{stream};  // waits for work of a product that failed
};

}  // namespace

pack::Variant gemm_cublaslt() {
  return device_variant<GemmCublasLt>(
      "cublaslt", "NVIDIA's cuBLASLt, cublasLtMatmul, the algorithm to be swept: all but f8e5m2");
}

}  // namespace kernsweep::cuda
