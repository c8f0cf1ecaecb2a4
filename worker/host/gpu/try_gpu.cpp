// Checks whether a GPU still works: NVML's answer, and four words of memory through a CUDA context. The
// functions are declared here, as in libcuda.cpp. Source: CUDA Driver API reference, "Primary Context
// Management", "Memory Management"; NVML API reference, nvmlReturn_t.
#include <algorithm>
#include <array>

#include "shared/text/utf8.hpp"
#include "worker/host/gpu/driver_library.hpp"
#include "worker/host/gpu/gpus.hpp"
#include "worker/host/gpu/nvml.hpp"

namespace kernsweep {
namespace {

using Answer = GpuTrial::Answer;
using CudaStatus = int;         // CUresult
using CudaDevice = int;         // CUdevice
using Address = std::uint64_t;  // CUdeviceptr
using Context = struct ContextOfCuda*;
constexpr CudaStatus kOutOfMemory = 2;
constexpr CudaStatus kDeviceUnavailable = 46;  // exclusive mode, and another process uses it
// Errors of the server that shares a GPU among processes (MPS), which needs a moment after a process was
// killed.
constexpr CudaStatus kFirstOfMps = 805, kLastOfMps = 809;
constexpr std::uint32_t kPattern = 0x5AFEC0DE;

// kSuccess proves nothing: NVML may still list a failed GPU. kGpuIsLost may be about any GPU of the
// machine, because NVML returns it during the search (NVML API reference, nvmlDeviceGetHandleByUUID).
nvml::Return ask_management(const std::string& uuid) {
  const DriverLibrary library("libnvidia-ml.so.1");
  const nvml::Management driver(library);
  if (!library.is_open() || driver.call("nvmlInit_v2") != nvml::kSuccess) return nvml::kSuccess;
  nvml::Device device = nullptr;
  nvml::Return status = driver.call("nvmlDeviceGetHandleByUUID", uuid.c_str(), &device);
  unsigned degrees = 0;
  if (status == nvml::kGpuIsLost) status = nvml::kSuccess;
  if (device != nullptr)
    status = driver.call("nvmlDeviceGetTemperature", device, nvml::kSensorOfGpu, &degrees);
  driver.call("nvmlShutdown");
  return status;
}

struct Cuda {
  explicit Cuda(const DriverLibrary& library)
      : init(library.function<CudaStatus(unsigned)>("cuInit")),
        error_name(library.function<CudaStatus(CudaStatus, const char**)>("cuGetErrorName")),
        device(library.function<CudaStatus(CudaDevice*, int)>("cuDeviceGet")),
        retain(library.function<CudaStatus(Context*, CudaDevice)>("cuDevicePrimaryCtxRetain")),
        use(library.function<CudaStatus(Context)>("cuCtxSetCurrent")),
        allocate(library.function<CudaStatus(Address*, std::size_t)>("cuMemAlloc_v2")),
        to_device(library.function<CudaStatus(Address, const void*, std::size_t)>("cuMemcpyHtoD_v2")),
        to_host(library.function<CudaStatus(void*, Address, std::size_t)>("cuMemcpyDtoH_v2")) {}

  bool is_whole() const {
    return init && error_name && device && retain && use && allocate && to_device && to_host;
  }
  GpuTrial failed(const char* what, CudaStatus status) const {
    const char* name = nullptr;
    error_name(status, &name);
    const bool others = status == kOutOfMemory || status == kDeviceUnavailable ||
                        (status >= kFirstOfMps && status <= kLastOfMps);
    return {others ? Answer::unknown : Answer::lost,
            std::string(what) + ": " + (name ? name : "error " + std::to_string(status))};
  }

  CudaStatus (*init)(unsigned);
  CudaStatus (*error_name)(CudaStatus, const char**);
  CudaStatus (*device)(CudaDevice*, int);
  CudaStatus (*retain)(Context*, CudaDevice);
  CudaStatus (*use)(Context);
  CudaStatus (*allocate)(Address*, std::size_t);
  CudaStatus (*to_device)(Address, const void*, std::size_t);
  CudaStatus (*to_host)(void*, Address, std::size_t);
};

// The context and the memory are not released: the process ends after this.
GpuTrial compute_a_little() {
  const DriverLibrary library("libcuda.so.1");
  if (!library.is_open()) return {Answer::unknown, "no CUDA driver: " + as_utf8(library.error())};
  const Cuda cuda(library);
  if (!cuda.is_whole()) return {Answer::unknown, "the CUDA driver is too old"};
  if (const CudaStatus status = cuda.init(0)) return cuda.failed("CUDA cannot be used on it", status);
  CudaDevice device = 0;
  Context context = nullptr;
  Address memory = 0;
  std::array<std::uint32_t, 4> words{};
  words.fill(kPattern);
  if (const CudaStatus status = cuda.device(&device, 0))
    return cuda.failed("CUDA does not show it", status);
  CudaStatus status = cuda.retain(&context, device);
  if (status == 0) status = cuda.use(context);
  if (status != 0) return cuda.failed("no context can be made on it", status);
  status = cuda.allocate(&memory, sizeof words);
  if (status == 0) status = cuda.to_device(memory, words.data(), sizeof words);
  words.fill(0);
  if (status == 0) status = cuda.to_host(words.data(), memory, sizeof words);
  if (status != 0) return cuda.failed("its memory cannot be used", status);
  if (std::ranges::count(words, kPattern) != std::ssize(words))
    return {Answer::lost, "its memory does not keep what is written to it"};
  return {Answer::works, ""};
}

}  // namespace

GpuTrial try_gpu(const std::string& uuid) {
  const nvml::Return status = ask_management(uuid);
  if (status == nvml::kGpuIsLost) return {Answer::lost, "NVML says that it is lost"};
  GpuTrial trial = compute_a_little();
  // On some machines NVML has none of CUDA's UUIDs, so kNotFound alone proves nothing.
  if (trial.answer != Answer::works && status == nvml::kNotFound)
    return {Answer::lost, "NVML does not know it any more; " + trial.why};
  return trial;
}

}  // namespace kernsweep
