// cuBLAS and cuBLASLt, opened by name at run time, never linked.
//
// Like the driver, a library is opened by the first measurement that needs it (RTLD_LOCAL) and never
// closed. Both use CUDA's runtime internally, on the primary context of the driver, which open_device() has
// made current. Internal to the files cublas*, the only ones that include cublas.h.
#pragma once

#include <cublasLt.h>
#include <cublas_v2.h>

#include <string>

#include "kernels/api/pack.h"
#include "kernels/reference/gemm/gemm_problem.hpp"

namespace kernsweep::cuda {

// The functions, each with its type of the header and the name that the library exports.
#define KERNSWEEP_CUBLAS_FUNCTIONS(X)           \
  X(cublasCreate_v2, "cublasCreate_v2")         \
  X(cublasDestroy_v2, "cublasDestroy_v2")       \
  X(cublasGetVersion_v2, "cublasGetVersion_v2") \
  X(cublasSetMathMode, "cublasSetMathMode")     \
  X(cublasSetStream_v2, "cublasSetStream_v2")   \
  X(cublasSetWorkspace_v2, "cublasSetWorkspace_v2")

#define KERNSWEEP_CUBLASLT_FUNCTIONS(X)                                           \
  X(cublasLtCreate, "cublasLtCreate")                                             \
  X(cublasLtDestroy, "cublasLtDestroy")                                           \
  X(cublasLtGetVersion, "cublasLtGetVersion")                                     \
  X(cublasLtMatrixLayoutCreate, "cublasLtMatrixLayoutCreate")                     \
  X(cublasLtMatrixLayoutDestroy, "cublasLtMatrixLayoutDestroy")                   \
  X(cublasLtMatrixLayoutSetAttribute, "cublasLtMatrixLayoutSetAttribute")         \
  X(cublasLtMatmulDescCreate, "cublasLtMatmulDescCreate")                         \
  X(cublasLtMatmulDescDestroy, "cublasLtMatmulDescDestroy")                       \
  X(cublasLtMatmulDescSetAttribute, "cublasLtMatmulDescSetAttribute")             \
  X(cublasLtMatmulPreferenceCreate, "cublasLtMatmulPreferenceCreate")             \
  X(cublasLtMatmulPreferenceDestroy, "cublasLtMatmulPreferenceDestroy")           \
  X(cublasLtMatmulPreferenceSetAttribute, "cublasLtMatmulPreferenceSetAttribute") \
  X(cublasLtMatmulAlgoGetHeuristic, "cublasLtMatmulAlgoGetHeuristic")             \
  X(cublasLtMatmulAlgoConfigGetAttribute, "cublasLtMatmulAlgoConfigGetAttribute") \
  X(cublasLtMatmul, "cublasLtMatmul")

#define KERNSWEEP_CUBLAS_MEMBER(function, exported) decltype(&::function) function = nullptr;
// The header overloads these two for programs from before version 11, so their types are written out.
using CublasGemmEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n,
                                        int k, const void* alpha, const void* a, cudaDataType, int lda,
                                        const void* b, cudaDataType, int ldb, const void* beta, void* c,
                                        cudaDataType, int ldc, cublasComputeType_t, cublasGemmAlgo_t);
using CublasGemmStridedBatchedEx = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t,
                                                      int m, int n, int k, const void* alpha, const void* a,
                                                      cudaDataType, int lda, long long step_a,
                                                      const void* b, cudaDataType, int ldb,
                                                      long long step_b, const void* beta, void* c,
                                                      cudaDataType, int ldc, long long step_c, int batch,
                                                      cublasComputeType_t, cublasGemmAlgo_t);

struct CublasApi {
  KERNSWEEP_CUBLAS_FUNCTIONS(KERNSWEEP_CUBLAS_MEMBER)
  CublasGemmEx cublasGemmEx = nullptr;
  CublasGemmStridedBatchedEx cublasGemmStridedBatchedEx = nullptr;
  std::string file;  // path with links resolved
};
struct CublasLtApi {
  KERNSWEEP_CUBLASLT_FUNCTIONS(KERNSWEEP_CUBLAS_MEMBER)
  std::string file;
};
#undef KERNSWEEP_CUBLAS_MEMBER

// `file_name` as for dlopen; "": libcublas.so.13 or .12, libcublasLt.so.13 or .12. Throws Failure
// (KS_UNSUPPORTED, with what to install) if there is none, or a function is missing. The result lives as
// long as the process.
const CublasApi& cublas_api(const std::string& file_name);
const CublasLtApi& cublas_lt_api(const std::string& file_name);

// Throws Failure unless `status` is success; the reason has the status' name, `doing`, and what to do.
// KS_UNSUPPORTED if the library does not start, or the library or the GPU does not support it;
// KS_OUT_OF_MEMORY; KS_FAILED otherwise.
void check(cublasStatus_t status, const std::string& doing);

// "13.0.2" for 130002 (from version 13), "12.4.5" for 120405.
std::string cublas_version_text(std::size_t version);

// cuBLAS's names for the types of the operands, the result, the bias, and the factors alpha and beta, and
// for the type of the sums.
struct CublasTypes {
  cudaDataType_t ab, c, bias, scale;
  cublasComputeType_t compute;
};
CublasTypes cublas_types(const GemmProblem& problem);

// A factor (alpha = 1 or beta = 0) on the host, in every type that a factor can have.
struct CublasFactor {
  double f64;
  float f32;
  std::int32_t s32;

  explicit CublasFactor(int value)
      : f64(value), f32(static_cast<float>(value)), s32(static_cast<std::int32_t>(value)) {}
  const void* as(cudaDataType_t scale) const {
    if (scale == CUDA_R_64F) return &f64;
    return scale == CUDA_R_32I ? static_cast<const void*>(&s32) : &f32;
  }
};

}  // namespace kernsweep::cuda
