#include "kernels/cuda/cudnn_api.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <map>

#include "kernels/cuda/cuda_memory.hpp"

namespace kernsweep::cuda {
namespace {

CudnnApi load_cudnn(const std::string& library) {
  void* const opened = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (opened == nullptr) {
    throw Failure(
        KS_UNSUPPORTED,
        fmt::format("no cuDNN: {}; install cuDNN {} for CUDA {}, or name its file in the parameter "
                    "cudnn.library",
                    dlerror(), CUDNN_MAJOR, CUDART_VERSION / 1000));
  }
  CudnnApi api;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(opened, name));
    if (function == nullptr) {
      throw Failure(KS_UNSUPPORTED,
                    fmt::format("{} has no {}: it is not cuDNN {}; name one in cudnn.library", library,
                                name, CUDNN_MAJOR));
    }
  };
#define KERNSWEEP_CUDNN_FIND(function) find(api.function, #function);
  KERNSWEEP_CUDNN_FUNCTIONS(KERNSWEEP_CUDNN_FIND)
#undef KERNSWEEP_CUDNN_FIND
  return api;
}

ks_status status_of(cudnnStatus_t status) {
  switch (status) {
    // The library is incomplete, or does not match the driver or the GPU.
    case CUDNN_STATUS_SUBLIBRARY_VERSION_MISMATCH:
    case CUDNN_STATUS_SUBLIBRARY_LOADING_FAILED:
      return KS_UNSUPPORTED;
    case CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED:
    case CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED:
      return KS_OUT_OF_MEMORY;
    default:
      return status / 1000 == CUDNN_STATUS_NOT_SUPPORTED / 1000 ? KS_UNSUPPORTED : KS_FAILED;
  }
}

const char* remedy_of(cudnnStatus_t status) {
  switch (status_of(status)) {
    case KS_OUT_OF_MEMORY:
      return "make the problem smaller, or take a GPU with more memory";
    case KS_UNSUPPORTED:
      return status / 1000 == CUDNN_STATUS_NOT_SUPPORTED / 1000
                 ? "take another algorithm, layout or dtype"
                 : "install all of cuDNN, in one version, for this driver and GPU";
    default:
      return "look up the status in cuDNN's description; to have its own words in a file, measure again "
             "with the axes env.CUDNN_LOGLEVEL_DBG: [2] and env.CUDNN_LOGDEST_DBG: [FILE]";
  }
}

}  // namespace

void CudnnApi::check(cudnnStatus_t status, const std::string& doing) const {
  if (status == CUDNN_STATUS_SUCCESS) return;
  std::array<char, 256> detail{};
  cudnnGetLastErrorString(detail.data(), detail.size() - 1);
  const std::string in_detail = detail[0] == '\0' ? "" : fmt::format(" ({})", detail.data());
  const NotStarted reason = status == CUDNN_STATUS_NOT_INITIALIZED
                                ? why_not_started()
                                : NotStarted{status_of(status), remedy_of(status)};
  throw Failure(reason.status, fmt::format("{} while {}{}; {}", cudnnGetErrorString(status), doing,
                                           in_detail, reason.remedy));
}

// From 9 on, two digits for each part after the first; before, one for the minor version.
std::string CudnnApi::version() const {
  const std::size_t number = cudnnGetVersion();
  const std::size_t unit = number >= 90000 ? 10000 : 1000;
  return fmt::format("{}.{}.{}", number / unit, number % unit / 100, number % 100);
}

const CudnnApi& cudnn_api(const std::string& library) {
  static std::map<std::string, CudnnApi> loaded;  // without a lock: a slot computes on one thread
  auto found = loaded.find(library);
  if (found == loaded.end()) found = loaded.emplace(library, load_cudnn(library)).first;
  const CudnnApi& api = found->second;
  if (api.cudnnGetVersion() / 10000 == CUDNN_MAJOR) return api;
  throw Failure(KS_UNSUPPORTED, fmt::format("{} is cuDNN {}, the pack was built for {}; install that",
                                            library, api.version(), CUDNN_MAJOR));
}

}  // namespace kernsweep::cuda
