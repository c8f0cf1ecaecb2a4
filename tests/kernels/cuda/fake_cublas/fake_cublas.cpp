// libcublas.so.13.
#include <cublas_v2.h>
#include <fmt/format.h>

#include "tests/kernels/cuda/fake_cublas/fake_product.hpp"

using namespace kernsweep::testing::fake_cublas;
using kernsweep::testing::fake_cuda::number_of;
using kernsweep::testing::fake_cuda::require_device_range;

namespace {

struct Handle {
  CUstream stream = nullptr;
  bool has_workspace = false;
  bool keeps_sums = false;  // in their own type
};

Matrix stored(const void* data, cudaDataType_t type, cublasOperation_t operation, std::int64_t rows,
              std::int64_t columns, std::int64_t leading, std::int64_t step) {
  if (operation != CUBLAS_OP_N && operation != CUBLAS_OP_T) misuse("an operation that is not simulated");
  if (operation == CUBLAS_OP_T) std::swap(rows, columns);
  return {data, type, rows, columns, leading, step};
}

}  // namespace

cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  if (state().simulation.create_status != 0)
    return static_cast<cublasStatus_t>(state().simulation.create_status);
  if (kernsweep::testing::fake_cuda::standing() != CUDA_SUCCESS) misuse("cublasCreate without a context");
  *handle = reinterpret_cast<cublasHandle_t>(made(new Handle));
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  return destroy<Handle>(handle);
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int* version) {
  known<Handle>(handle);
  *version = 130102;
  return CUBLAS_STATUS_SUCCESS;
}

// Takes the workspace away, as the real one does.
cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  Handle& here = known<Handle>(handle);
  here.stream = stream;
  here.has_workspace = false;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace, size_t bytes) {
  require_device_range(number_of(workspace), bytes, "cublasSetWorkspace");
  if (number_of(workspace) % 256 != 0) return CUBLAS_STATUS_INVALID_VALUE;
  known<Handle>(handle).has_workspace = bytes >= 16384;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  known<Handle>(handle).keeps_sums = (mode & CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) != 0;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k, const void* alpha,
                                          const void* a, cudaDataType a_type, int lda, long long step_a,
                                          const void* b, cudaDataType b_type, int ldb, long long step_b,
                                          const void* beta, void* c, cudaDataType c_type, int ldc,
                                          long long step_c, int batch, cublasComputeType_t compute,
                                          cublasGemmAlgo_t algorithm) {
  const Handle& here = known<Handle>(handle);
  if (!here.has_workspace) misuse("cuBLAS without the workspace that it was to have");
  if (!here.keeps_sums) misuse("parts of a sum may be rounded to the type of the results");
  if (algorithm != CUBLAS_GEMM_DEFAULT) misuse("an algorithm of cuBLAS");
  if (a_type == CUDA_R_8F_E4M3 || a_type == CUDA_R_8F_E5M2) return CUBLAS_STATUS_NOT_SUPPORTED;
  state().last_call = "GemmStridedBatchedEx";
  const cudaDataType_t scale = compute == CUBLAS_COMPUTE_64F   ? CUDA_R_64F
                               : compute == CUBLAS_COMPUTE_32I ? CUDA_R_32I
                                                               : CUDA_R_32F;
  return multiply({.operation_a = transa,
                   .operation_b = transb,
                   .a = stored(a, a_type, transa, m, k, lda, step_a),
                   .b = stored(b, b_type, transb, k, n, ldb, step_b),
                   .c = {c, c_type, m, n, ldc, step_c},
                   .batch = batch,
                   .compute = compute,
                   .scale = scale,
                   .alpha = alpha,
                   .beta = beta},
                  here.stream);
}

#undef cublasGemmEx
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb,
                            int m, int n, int k, const void* alpha, const void* a, cudaDataType a_type,
                            int lda, const void* b, cudaDataType b_type, int ldb, const void* beta, void* c,
                            cudaDataType c_type, int ldc, cublasComputeType_t compute,
                            cublasGemmAlgo_t algorithm) {
  const cublasStatus_t status =
      cublasGemmStridedBatchedEx(handle, transa, transb, m, n, k, alpha, a, a_type, lda, 0, b, b_type, ldb,
                                 0, beta, c, c_type, ldc, 0, 1, compute, algorithm);
  state().last_call = "GemmEx";
  return status;
}
