#include "kernels/cuda/cublas_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <initializer_list>
#include <map>
#include <type_traits>

#include "kernels/cpu/libraries/library_file.hpp"
#include "kernels/cpu/libraries/params.hpp"
#include "kernels/cuda/cuda_memory.hpp"

namespace kernsweep::cuda {
namespace {

void* open_one_of(std::initializer_list<const char*> usual, const std::string& named) {
  std::string reasons;
  const auto open = [&](const char* file) {
    void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) reasons += (reasons.empty() ? "" : "; ") + std::string(dlerror());
    return library;
  };
  if (!named.empty()) {
    if (void* const library = open(named.c_str())) return library;
  } else {
    for (const char* file : usual)
      if (void* const library = open(file)) return library;
  }
  throw Failure(
      KS_UNSUPPORTED,
      fmt::format("{}; install cuBLAS of the CUDA Toolkit (Debian's and Ubuntu's package of NVIDIA: "
                  "libcublas-13-0), add its folder to LD_LIBRARY_PATH, or name the file in "
                  "cublas.library",
                  reasons));
}

template <class Function>
void find_in(void* library, Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr)
    throw Failure(
        KS_UNSUPPORTED,
        fmt::format("the cuBLAS that was opened has no {}; install one of CUDA 12 or later", name));
}

CublasApi load_cublas(const std::string& file_name) {
  void* const library = open_one_of({"libcublas.so.13", "libcublas.so.12"}, file_name);
  CublasApi api;
#define KERNSWEEP_CUBLAS_FIND(function, exported) find_in(library, api.function, exported);
  KERNSWEEP_CUBLAS_FUNCTIONS(KERNSWEEP_CUBLAS_FIND)
  find_in(library, api.cublasGemmEx, "cublasGemmEx");
  find_in(library, api.cublasGemmStridedBatchedEx, "cublasGemmStridedBatchedEx");
  api.file = file_of(reinterpret_cast<void*>(api.cublasCreate_v2));
  return api;
}

CublasLtApi load_cublas_lt(const std::string& file_name) {
  void* const library = open_one_of({"libcublasLt.so.13", "libcublasLt.so.12"}, file_name);
  CublasLtApi api;
  KERNSWEEP_CUBLASLT_FUNCTIONS(KERNSWEEP_CUBLAS_FIND)
#undef KERNSWEEP_CUBLAS_FIND
  api.file = file_of(reinterpret_cast<void*>(api.cublasLtCreate));
  return api;
}

const char* name_of_status(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case CUBLAS_STATUS_MAPPING_ERROR:
      return "CUBLAS_STATUS_MAPPING_ERROR";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_INTERNAL_ERROR:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    default:
      return "an unknown status of cuBLAS";
  }
}

cudaDataType_t cublas_type_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return CUDA_R_64F;
    case Dtype::bf16:
      return CUDA_R_16BF;
    case Dtype::f16:
      return CUDA_R_16F;
    case Dtype::s8:
      return CUDA_R_8I;
    case Dtype::s32:
      return CUDA_R_32I;
    case Dtype::f8e4m3:
      return CUDA_R_8F_E4M3;
    case Dtype::f8e5m2:
      return CUDA_R_8F_E5M2;
    default:
      return CUDA_R_32F;
  }
}

// An opened library is kept; a name that could not be opened is retried.
template <class Api>
const Api& opened(Api (*load)(const std::string&), const std::string& file_name) {
  static std::map<std::string, Api> all;
  const auto found = all.find(file_name);
  return found != all.end() ? found->second : all.emplace(file_name, load(file_name)).first->second;
}

}  // namespace

const CublasApi& cublas_api(const std::string& file_name) {
  return opened(&load_cublas, file_name);
}

const CublasLtApi& cublas_lt_api(const std::string& file_name) {
  return opened(&load_cublas_lt, file_name);
}

void check(cublasStatus_t status, const std::string& doing) {
  const char* const name = name_of_status(status);
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return;
    case CUBLAS_STATUS_NOT_INITIALIZED: {
      const NotStarted reason = why_not_started();
      throw Failure(reason.status, fmt::format("{} while {}; {}", name, doing, reason.remedy));
    }
    case CUBLAS_STATUS_NOT_SUPPORTED:
    case CUBLAS_STATUS_ARCH_MISMATCH:
      throw Failure(
          KS_UNSUPPORTED,
          fmt::format("{} while {}; this library and GPU cannot do it, take another variant", name, doing));
    case CUBLAS_STATUS_ALLOC_FAILED:
      throw Failure(KS_OUT_OF_MEMORY,
                    fmt::format("{} while {}; make the problem smaller, or take a GPU with more memory",
                                name, doing));
    default:
      throw Failure(
          KS_FAILED,
          fmt::format("{} while {}; to have the library's own words in a file, measure again with "
                      "the axes env.CUBLAS_LOGINFO_DBG: [1] and env.CUBLAS_LOGDEST_DBG: [FILE], "
                      "for cublaslt env.CUBLASLT_LOG_LEVEL: [2] and env.CUBLASLT_LOG_FILE: [FILE]",
                      name, doing));
  }
}

// CUBLAS_VERSION is 10000 major + 100 minor + patch from version 11 on.
std::string cublas_version_text(std::size_t version) {
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

CublasTypes cublas_types(const GemmProblem& problem) {
  const cudaDataType_t ab = cublas_type_of(problem.dtype), c = cublas_type_of(problem.out);
  const cudaDataType_t bias = cublas_type_of(problem.bias_dtype());
  if (problem.dtype == Dtype::f64) return {ab, c, bias, CUDA_R_64F, CUBLAS_COMPUTE_64F};
  if (problem.dtype == Dtype::s8) return {ab, c, bias, CUDA_R_32I, CUBLAS_COMPUTE_32I};
  return {ab, c, bias, CUDA_R_32F, problem.tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F};
}

}  // namespace kernsweep::cuda
