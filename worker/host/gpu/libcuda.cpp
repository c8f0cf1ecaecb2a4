// libcuda.so.1, declared here as far as it is needed: the toolkit's cuda.h is not on every machine that
// builds this. Source: CUDA Driver API reference, "Device Management", "Initialization", "Error Handling".
#include <array>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>

#include "shared/text/utf8.hpp"
#include "shared/wire/gpu.pb.h"
#include "worker/host/gpu/driver_library.hpp"
#include "worker/host/gpu/gpus.hpp"

namespace kernsweep {
namespace {

using CudaStatus = int;  // CUresult
using CudaDevice = int;  // CUdevice
constexpr CudaStatus kCudaSuccess = 0;
constexpr CudaStatus kNoDevice = 100;

// CUdevice_attribute.
constexpr int kMultiprocessors = 16;
constexpr int kL2Bytes = 38;
constexpr int kCapabilityMajor = 75;
constexpr int kCapabilityMinor = 76;

struct Uuid {
  unsigned char bytes[16];
};

struct Driver {
  explicit Driver(const DriverLibrary& library)
      : init(library.function<CudaStatus(unsigned)>("cuInit")),
        version(library.function<CudaStatus(int*)>("cuDriverGetVersion")),
        error_name(library.function<CudaStatus(CudaStatus, const char**)>("cuGetErrorName")),
        count(library.function<CudaStatus(int*)>("cuDeviceGetCount")),
        device(library.function<CudaStatus(CudaDevice*, int)>("cuDeviceGet")),
        name(library.function<CudaStatus(char*, int, CudaDevice)>("cuDeviceGetName")),
        uuid(library.function<CudaStatus(Uuid*, CudaDevice)>("cuDeviceGetUuid_v2")),
        bytes(library.function<CudaStatus(std::size_t*, CudaDevice)>("cuDeviceTotalMem_v2")),
        attribute(library.function<CudaStatus(int*, int, CudaDevice)>("cuDeviceGetAttribute")),
        bus(library.function<CudaStatus(char*, int, CudaDevice)>("cuDeviceGetPCIBusId")) {}

  bool is_whole() const {
    return init && version && error_name && count && device && name && uuid && bytes && attribute && bus;
  }
  std::string text_of(CudaStatus status) const {
    const char* text = nullptr;
    if (error_name(status, &text) == kCudaSuccess && text) return text;
    return "error " + std::to_string(status);
  }

  CudaStatus (*init)(unsigned);
  CudaStatus (*version)(int*);
  CudaStatus (*error_name)(CudaStatus, const char**);
  CudaStatus (*count)(int*);
  CudaStatus (*device)(CudaDevice*, int);
  CudaStatus (*name)(char*, int, CudaDevice);
  CudaStatus (*uuid)(Uuid*, CudaDevice);
  CudaStatus (*bytes)(std::size_t*, CudaDevice);
  CudaStatus (*attribute)(int*, int, CudaDevice);
  CudaStatus (*bus)(char*, int, CudaDevice);
};

// In the form of NVML and nvidia-smi, without the prefix "GPU-".
std::string text_of(const Uuid& uuid) {
  std::string text;
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    char pair[3];
    std::snprintf(pair, sizeof pair, "%02x", uuid.bytes[i]);
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += pair;
  }
  return text;
}

// Linux: Documentation/ABI/testing/sysfs-bus-pci. The file has -1 if the node is not known.
std::optional<std::uint32_t> numa_node_of_bus(std::string pci) {
  for (char& c : pci) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  std::ifstream file("/sys/bus/pci/devices/" + pci + "/numa_node");
  int node = -1;
  if (!(file >> node) || node < 0) return std::nullopt;
  return static_cast<std::uint32_t>(node);
}

CudaStatus describe(const Driver& driver, int ordinal, wire::Gpu& out) {
  CudaDevice device = 0;
  if (const CudaStatus status = driver.device(&device, ordinal); status != kCudaSuccess) return status;
  std::array<char, 256> text{};
  Uuid uuid{};
  std::size_t bytes = 0;
  if (const CudaStatus status = driver.name(text.data(), text.size(), device); status != kCudaSuccess)
    return status;
  out.set_name(as_utf8(text.data()));
  if (const CudaStatus status = driver.uuid(&uuid, device); status != kCudaSuccess) return status;
  out.set_uuid("GPU-" + text_of(uuid));
  if (const CudaStatus status = driver.bytes(&bytes, device); status != kCudaSuccess) return status;
  out.set_memory_bytes(bytes);
  if (driver.bus(text.data(), text.size(), device) == kCudaSuccess) {
    out.set_pci(as_utf8(text.data()));
    if (const auto node = numa_node_of_bus(out.pci())) out.set_numa_node(*node);
  }
  const auto attribute = [&](int which) {
    int value = 0;
    return driver.attribute(&value, which, device) == kCudaSuccess && value > 0
               ? static_cast<unsigned>(value)
               : 0U;
  };
  out.set_capability_tenths(10 * attribute(kCapabilityMajor) + attribute(kCapabilityMinor));
  out.set_multiprocessors(attribute(kMultiprocessors));
  out.set_l2_bytes(attribute(kL2Bytes));
  return kCudaSuccess;
}

}  // namespace

void add_cuda_devices(wire::Gpus& out) {
  const DriverLibrary library("libcuda.so.1");
  if (!library.is_open()) {
    const bool missing = library.error().find("No such file") != std::string::npos;
    const std::string why = "no CUDA driver: " + as_utf8(library.error());
    missing ? out.set_none(why) : out.add_troubles(why);
    return;
  }
  const Driver driver(library);
  if (!driver.is_whole()) {
    out.add_troubles("the CUDA driver is too old: install NVIDIA's driver 470 or newer");
    return;
  }
  if (const CudaStatus status = driver.init(0); status != kCudaSuccess) {
    if (status == kNoDevice) {
      out.set_none("CUDA shows no GPU: " + driver.text_of(status));
    } else {
      out.add_troubles("CUDA cannot be used: cuInit says " + driver.text_of(status));
    }
    return;
  }
  int version = 0;
  if (driver.version(&version) == kCudaSuccess)
    out.set_cuda(std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10));
  int count = 0;
  if (const CudaStatus status = driver.count(&count); status != kCudaSuccess)
    out.add_troubles("the GPUs cannot be counted: " + driver.text_of(status));
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    wire::Gpu gpu;
    const CudaStatus status = describe(driver, ordinal, gpu);
    if (status == kCudaSuccess) {
      *out.add_gpus() = std::move(gpu);
    } else {
      out.add_troubles("GPU " + std::to_string(ordinal) + " cannot be asked: " + driver.text_of(status));
    }
  }
}

wire::Gpus find_gpus() {
  wire::Gpus gpus;
  add_cuda_devices(gpus);
  if (gpus.gpus_size() > 0) add_management_state(gpus);
  return gpus;
}

}  // namespace kernsweep
