#include "kernels/cuda/cuda_driver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "kernels/cpu/libraries/params.hpp"
#include "kernels/cuda/cuda_api.hpp"

namespace kernsweep::cuda {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";

Api load() {
  void* const library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    throw Failure(
        KS_UNSUPPORTED,
        fmt::format("no CUDA driver: {}; install NVIDIA's driver, or measure where there is a GPU",
                    dlerror()));
  }
  Api api;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) {
      throw Failure(KS_UNSUPPORTED, fmt::format("{} has no {}: the driver is too old; install a newer one",
                                                kLibrary, name));
    }
  };
#define KERNSWEEP_CUDA_FIND(function, exported) find(api.function, exported);
  KERNSWEEP_CUDA_FUNCTIONS(KERNSWEEP_CUDA_FIND)
#undef KERNSWEEP_CUDA_FIND
  return api;
}

// Errors that the cuda.h of CUDA 12.0 does not have, but that newer drivers may return.
constexpr int kContained = 226, kTensorMemoryLeak = 721;

enum class Meaning { no_memory, no_device, in_use, driver_unfit, kernels_unfit, context_lost, other };

Meaning meaning_of(CUresult result) {
  switch (static_cast<int>(result)) {
    case CUDA_ERROR_OUT_OF_MEMORY:
      return Meaning::no_memory;
    case CUDA_ERROR_NO_DEVICE:
    case CUDA_ERROR_INVALID_DEVICE:
      return Meaning::no_device;
    case CUDA_ERROR_DEVICE_UNAVAILABLE:
      return Meaning::in_use;
    case CUDA_ERROR_STUB_LIBRARY:
    case CUDA_ERROR_DEVICE_NOT_LICENSED:
    case CUDA_ERROR_SYSTEM_NOT_READY:
    case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
    case CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE:
      return Meaning::driver_unfit;
    case CUDA_ERROR_NO_BINARY_FOR_GPU:
    case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    case CUDA_ERROR_JIT_COMPILER_NOT_FOUND:
    case CUDA_ERROR_NOT_SUPPORTED:
      return Meaning::kernels_unfit;
    // After these errors every call of the process fails with the same error: those for which cuda.h
    // requires that the process is terminated, and those after which the context or the GPU is lost.
    case CUDA_ERROR_ECC_UNCORRECTABLE:
    case CUDA_ERROR_NVLINK_UNCORRECTABLE:
    case kContained:
    case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_LAUNCH_TIMEOUT:
    case CUDA_ERROR_ASSERT:
    case CUDA_ERROR_HARDWARE_STACK_ERROR:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_INVALID_ADDRESS_SPACE:
    case CUDA_ERROR_INVALID_PC:
    case CUDA_ERROR_LAUNCH_FAILED:
    case kTensorMemoryLeak:
    case CUDA_ERROR_MPS_CLIENT_TERMINATED:
    case CUDA_ERROR_EXTERNAL_DEVICE:
    case CUDA_ERROR_UNKNOWN:
      return Meaning::context_lost;
    default:
      return Meaning::other;
  }
}

// Whether GPUs were assigned to this process by name: if none is found then, it has failed.
bool was_given_one() {
  const char* const visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible != nullptr && *visible != '\0';
}

ks_status status_of(Meaning meaning) {
  switch (meaning) {
    case Meaning::no_memory:
      return KS_OUT_OF_MEMORY;
    case Meaning::no_device:
      return was_given_one() ? KS_DEVICE_LOST : KS_UNSUPPORTED;
    case Meaning::in_use:
      return KS_FAILED;
    case Meaning::driver_unfit:
    case Meaning::kernels_unfit:
      return KS_UNSUPPORTED;
    case Meaning::context_lost:
      return KS_DEVICE_LOST;
    case Meaning::other:
      return KS_FAILED;
  }
  return KS_FAILED;
}

const char* remedy_of(Meaning meaning) {
  switch (meaning) {
    case Meaning::no_memory:
      return "make the problem smaller, or take a GPU with more memory";
    case Meaning::no_device:
      return "no GPU can be used; look at nvidia-smi and CUDA_VISIBLE_DEVICES";
    case Meaning::in_use:
      return "another process has this GPU for itself (its compute mode is exclusive); look at nvidia-smi";
    case Meaning::driver_unfit:
      return "the driver does not work here; look at nvidia-smi, and restart the host after an update";
    case Meaning::kernels_unfit:
      return "this driver and GPU cannot do it; install a newer driver, or take another GPU";
    case Meaning::context_lost:
      return "this process can compute nothing more on its GPU; measure on in a new one, and look into the "
             "kernel's log for the cause";
    case Meaning::other:
      return "look up the error's name in the description of the CUDA driver API";
  }
  return "";
}

std::string name_of(CUresult result) {
  const char* name = nullptr;
  if (api().cuGetErrorName(result, &name) != CUDA_SUCCESS || name == nullptr)
    return fmt::format("CUDA error {}", static_cast<int>(result));
  return name;
}

std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

// Initialises the driver; repeated calls cost nothing. Returns its version, as cuDriverGetVersion does.
int require_driver() {
  check(api().cuInit(0), "starting the CUDA driver");
  int version = 0;
  check(api().cuDriverGetVersion(&version), "asking for the driver's version");
  if (version / 1000 < CUDA_VERSION / 1000) {
    throw Failure(
        KS_UNSUPPORTED,
        fmt::format("the driver is for CUDA {}, the pack was built with {}: install a newer driver, "
                    "or build with an older CUDA Toolkit",
                    version_text(version), version_text(CUDA_VERSION)));
  }
  int devices = 0;
  check(api().cuDeviceGetCount(&devices), "counting the GPUs");
  if (devices == 0) check(CUDA_ERROR_NO_DEVICE, "counting the GPUs");
  return version;
}

int attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  check(api().cuDeviceGetAttribute(&value, which, device), "asking for the GPU's properties");
  return value;
}

struct Opened {
  CUcontext context = nullptr;
  Device device;
};

Opened open_first() {
  Opened opened;
  opened.device.driver_version = require_driver();
  CUdevice device = 0;
  check(api().cuDeviceGet(&device, 0), "choosing the first GPU");
  std::array<char, 256> name{};
  check(api().cuDeviceGetName(name.data(), static_cast<int>(name.size() - 1), device),
        "asking for the GPU's name");
  opened.device.name = name.data();
  opened.device.compute_major = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  opened.device.compute_minor = attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  opened.device.multiprocessors = attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  opened.device.multiprocessor_threads =
      attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
  opened.device.l2_bytes = static_cast<std::size_t>(attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));
  opened.device.blocks_y_max = std::min(attribute(device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                                        attribute(device, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z));
  check(api().cuDevicePrimaryCtxRetain(&opened.context, device), "opening the GPU");
  return opened;
}

}  // namespace

const Api& api() {
  static const Api loaded = load();  // retried after a failure
  return loaded;
}

void check(CUresult result, const std::string& doing) {
  if (result == CUDA_SUCCESS) return;
  const Meaning meaning = meaning_of(result);
  throw Failure(status_of(meaning),
                fmt::format("{} while {}; {}", name_of(result), doing, remedy_of(meaning)));
}

ks_status available(ks_why why) {
  try {
    require_driver();
    return KS_OK;
  } catch (const Failure& failure) {
    return refuse(failure.status(), why, failure.what());
  } catch (const std::exception& error) {
    return refuse(KS_UNSUPPORTED, why, error.what());
  }
}

const Device& open_device() {
  static const Opened opened = open_first();
  check(api().cuCtxSetCurrent(opened.context), "turning to the GPU");
  return opened.device;
}

std::optional<std::string> why_lost() {
  try {
    check(api().cuCtxSynchronize(), "waiting for the GPU");
  } catch (const Failure& failure) {
    if (failure.status() == KS_DEVICE_LOST) return failure.what();
  }
  return std::nullopt;
}

std::string describe(const Device& device) {
  return fmt::format("{}, compute capability {}.{}, {} multiprocessors, driver for CUDA {}", device.name,
                     device.compute_major, device.compute_minor, device.multiprocessors,
                     version_text(device.driver_version));
}

}  // namespace kernsweep::cuda
