// libcublasLt.so.13.
#include <cublasLt.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tests/kernels/cuda/fake_cublas/fake_product.hpp"

using namespace kernsweep::testing::fake_cublas;
using kernsweep::testing::fake_cuda::number_of;
using kernsweep::testing::fake_cuda::require_device_range;

namespace {

struct LtHandle {};

struct Operation {
  cublasComputeType_t compute;
  cudaDataType_t scale;
  cublasOperation_t a = CUBLAS_OP_N, b = CUBLAS_OP_N;
  const float *scale_a = nullptr, *scale_b = nullptr;
  Epilogue epilogue = {};
};

struct Layout {
  Matrix matrix;
  std::int32_t batch = 1;
};

struct Preference {
  std::size_t workspace_bytes = 0;
  std::uint32_t reduction = CUBLASLT_REDUCTION_SCHEME_MASK;
};

constexpr std::uint64_t kFirstAlgorithm = 40;

// Each algorithm after the first wants so much more.
std::size_t workspace_of(std::uint64_t algorithm) {
  return static_cast<std::size_t>(algorithm - kFirstAlgorithm) * 4096;
}

bool is_simulated(cublasLtEpilogue_t kind) {
  switch (kind) {
    case CUBLASLT_EPILOGUE_DEFAULT:
    case CUBLASLT_EPILOGUE_BIAS:
    case CUBLASLT_EPILOGUE_RELU:
    case CUBLASLT_EPILOGUE_RELU_BIAS:
    case CUBLASLT_EPILOGUE_GELU:
    case CUBLASLT_EPILOGUE_GELU_BIAS:
      return true;
    default:
      return false;
  }
}

template <class T>
void take(T& value, const void* from, std::size_t bytes) {
  if (bytes != sizeof value) misuse(fmt::format("an attribute of {} bytes, not {}", bytes, sizeof value));
  std::memcpy(&value, from, sizeof value);
}

}  // namespace

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  if (state().simulation.create_status != 0)
    return static_cast<cublasStatus_t>(state().simulation.create_status);
  if (kernsweep::testing::fake_cuda::standing() != CUDA_SUCCESS) misuse("cublasLtCreate without a context");
  *handle = reinterpret_cast<cublasLtHandle_t>(made(new LtHandle));
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  return destroy<LtHandle>(handle);
}

size_t cublasLtGetVersion() {
  return 130102;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t* layout, cudaDataType type,
                                          std::uint64_t rows, std::uint64_t columns, std::int64_t leading) {
  *layout = reinterpret_cast<cublasLtMatrixLayout_t>(made(new Layout{
      {nullptr, type, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns), leading, 0}}));
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return destroy<Layout>(layout);
}

cublasStatus_t cublasLtMatrixLayoutSetAttribute(cublasLtMatrixLayout_t layout,
                                                cublasLtMatrixLayoutAttribute_t attribute,
                                                const void* value, size_t bytes) {
  Layout& here = known<Layout>(layout);
  if (attribute == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT) {
    take(here.batch, value, bytes);
  } else if (attribute == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET) {
    take(here.matrix.batch_step, value, bytes);
  } else {
    misuse("an attribute of a layout that is not simulated");
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t* operation, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  *operation = reinterpret_cast<cublasLtMatmulDesc_t>(made(new Operation{compute, scale}));
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t operation) {
  return destroy<Operation>(operation);
}

cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t operation,
                                              cublasLtMatmulDescAttributes_t attribute, const void* value,
                                              size_t bytes) {
  Operation& here = known<Operation>(operation);
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      take(here.a, value, bytes);
      return CUBLAS_STATUS_SUCCESS;
    case CUBLASLT_MATMUL_DESC_TRANSB:
      take(here.b, value, bytes);
      return CUBLAS_STATUS_SUCCESS;
    case CUBLASLT_MATMUL_DESC_A_SCALE_POINTER:
      take(here.scale_a, value, bytes);
      return CUBLAS_STATUS_SUCCESS;
    case CUBLASLT_MATMUL_DESC_B_SCALE_POINTER:
      take(here.scale_b, value, bytes);
      return CUBLAS_STATUS_SUCCESS;
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      take(here.epilogue.kind, value, bytes);
      return is_simulated(here.epilogue.kind) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      take(here.epilogue.bias, value, bytes);
      return CUBLAS_STATUS_SUCCESS;
    case CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE:
      take(here.epilogue.bias_type, value, bytes);
      return CUBLAS_STATUS_SUCCESS;
    default:
      misuse("an attribute of a product that is not simulated");
  }
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t* preference) {
  *preference = reinterpret_cast<cublasLtMatmulPreference_t>(made(new Preference));
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return destroy<Preference>(preference);
}

cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t attribute,
                                                    const void* value, size_t bytes) {
  Preference& known_one = known<Preference>(preference);
  if (attribute == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES) {
    take(known_one.workspace_bytes, value, bytes);
  } else if (attribute == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK) {
    take(known_one.reduction, value, bytes);
  } else {
    misuse("a preference that is not simulated");
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int requested,
                                              cublasLtMatmulHeuristicResult_t results[], int* count) {
  known<LtHandle>(handle);
  const Epilogue& epilogue = known<Operation>(operation).epilogue;
  if (has_bias(epilogue) && epilogue.bias == nullptr)
    misuse("algorithms are asked for before the bias is known, whose alignment they depend on");
  for (const cublasLtMatrixLayout_t layout : {a, b, c, d}) known<Layout>(layout);
  *count = 0;
  if (requested < 1) return CUBLAS_STATUS_INVALID_VALUE;
  if (known<Preference>(preference).reduction != CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE)
    misuse("parts of a sum may be rounded to the type of the results");
  for (int i = 0; i < state().simulation.algorithms && *count < requested; ++i) {
    const std::uint64_t algorithm = kFirstAlgorithm + static_cast<std::uint64_t>(i);
    if (workspace_of(algorithm) > known<Preference>(preference).workspace_bytes) continue;
    cublasLtMatmulHeuristicResult_t& result = results[(*count)++];
    result = {};
    result.algo.data[0] = algorithm;
    result.workspaceSize = workspace_of(algorithm);
    result.wavesCount = 0.5F;
  }
  return *count > 0 ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_SUPPORTED;
}

cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t* algorithm,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute,
                                                    void* value, size_t bytes, size_t* written) {
  if (attribute != CUBLASLT_ALGO_CONFIG_ID) return CUBLAS_STATUS_INVALID_VALUE;
  const auto id = static_cast<std::int32_t>(algorithm->data[0]);
  if (bytes != sizeof id) return CUBLAS_STATUS_INVALID_VALUE;
  std::memcpy(value, &id, sizeof id);
  *written = sizeof id;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation, const void* alpha,
                              const void* a, cublasLtMatrixLayout_t at_a, const void* b,
                              cublasLtMatrixLayout_t at_b, const void* beta, const void* c,
                              cublasLtMatrixLayout_t at_c, void* d, cublasLtMatrixLayout_t at_d,
                              const cublasLtMatmulAlgo_t* algorithm, void* workspace,
                              size_t workspace_bytes, cudaStream_t stream) {
  known<LtHandle>(handle);
  const Operation& here = known<Operation>(operation);
  const auto placed = [](cublasLtMatrixLayout_t layout, const void* data) {
    Matrix matrix = known<Layout>(layout).matrix;
    matrix.data = data;
    return matrix;
  };
  if (c != d || at_c != at_d) misuse("C and D that differ");
  const std::uint64_t id = algorithm->data[0];
  if (id < kFirstAlgorithm ||
      id >= kFirstAlgorithm + static_cast<std::uint64_t>(state().simulation.algorithms))
    misuse("an algorithm that the heuristic has not named");
  if (workspace_bytes < workspace_of(id)) return CUBLAS_STATUS_INVALID_VALUE;
  if (workspace_bytes > 0) require_device_range(number_of(workspace), workspace_bytes, "workspace");
  const std::int32_t batch = known<Layout>(at_c).batch;
  if (known<Layout>(at_a).batch != batch || known<Layout>(at_b).batch != batch)
    misuse("batches of different length");
  state().last_call = fmt::format("LtMatmul {}", id);
  // "Only the TN format is supported", as NVIDIA describes it.
  const bool along_k = here.a == CUBLAS_OP_T && here.b == CUBLAS_OP_N;
  if (known<Layout>(at_a).matrix.type == CUDA_R_8I && !along_k) return CUBLAS_STATUS_NOT_SUPPORTED;
  return multiply({.operation_a = here.a,
                   .operation_b = here.b,
                   .a = placed(at_a, a),
                   .b = placed(at_b, b),
                   .c = placed(at_c, d),
                   .batch = batch,
                   .compute = here.compute,
                   .scale = here.scale,
                   .alpha = alpha,
                   .beta = beta,
                   .scale_a = here.scale_a,
                   .scale_b = here.scale_b,
                   .epilogue = here.epilogue},
                  stream);
}
