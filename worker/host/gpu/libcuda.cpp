// libcuda.so.1, declared here as far as it is needed: the toolkit's cuda.h is not on every machine that
// builds this. Source: CUDA Driver API reference, "Device Management", "Initialization", "Error Handling".
#include <array>
#include <cstdio>

#include "shared/utf8.hpp"
#include "shared/wire/gpu.pb.h"
#include "worker/host/gpu/driver_library.hpp"
#include "worker/host/gpu/gpus.hpp"

namespace kernsweep {
namespace {

using Status = int;  // CUresult
using Device = int;  // CUdevice
constexpr Status kSuccess = 0;
constexpr Status kNoDevice = 100;

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
      : init(library.function<Status(unsigned)>("cuInit")),
        version(library.function<Status(int*)>("cuDriverGetVersion")),
        error_name(library.function<Status(Status, const char**)>("cuGetErrorName")),
        count(library.function<Status(int*)>("cuDeviceGetCount")),
        device(library.function<Status(Device*, int)>("cuDeviceGet")),
        name(library.function<Status(char*, int, Device)>("cuDeviceGetName")),
        uuid(library.function<Status(Uuid*, Device)>("cuDeviceGetUuid_v2")),
        bytes(library.function<Status(std::size_t*, Device)>("cuDeviceTotalMem_v2")),
        attribute(library.function<Status(int*, int, Device)>("cuDeviceGetAttribute")),
        bus(library.function<Status(char*, int, Device)>("cuDeviceGetPCIBusId")) {}

  bool is_whole() const {
    return init && version && error_name && count && device && name && uuid && bytes && attribute && bus;
  }
  std::string text_of(Status status) const {
    const char* text = nullptr;
    if (error_name(status, &text) == kSuccess && text) return text;
    return "error " + std::to_string(status);
  }

  Status (*init)(unsigned);
  Status (*version)(int*);
  Status (*error_name)(Status, const char**);
  Status (*count)(int*);
  Status (*device)(Device*, int);
  Status (*name)(char*, int, Device);
  Status (*uuid)(Uuid*, Device);
  Status (*bytes)(std::size_t*, Device);
  Status (*attribute)(int*, int, Device);
  Status (*bus)(char*, int, Device);
};

// As NVML and nvidia-smi write it, without the kind that stands before it.
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

Status describe(const Driver& driver, int ordinal, wire::Gpu& out) {
  Device device = 0;
  if (const Status status = driver.device(&device, ordinal); status != kSuccess) return status;
  std::array<char, 256> text{};
  Uuid uuid{};
  std::size_t bytes = 0;
  if (const Status status = driver.name(text.data(), text.size(), device); status != kSuccess)
    return status;
  out.set_name(as_utf8(text.data()));
  if (const Status status = driver.uuid(&uuid, device); status != kSuccess) return status;
  out.set_uuid("GPU-" + text_of(uuid));
  if (const Status status = driver.bytes(&bytes, device); status != kSuccess) return status;
  out.set_memory_bytes(bytes);
  if (driver.bus(text.data(), text.size(), device) == kSuccess) out.set_pci(as_utf8(text.data()));
  const auto attribute = [&](int which) {
    int value = 0;
    return driver.attribute(&value, which, device) == kSuccess && value > 0 ? static_cast<unsigned>(value)
                                                                            : 0U;
  };
  out.set_capability_major(attribute(kCapabilityMajor));
  out.set_capability_minor(attribute(kCapabilityMinor));
  out.set_multiprocessors(attribute(kMultiprocessors));
  out.set_l2_bytes(attribute(kL2Bytes));
  return kSuccess;
}

}  // namespace

void add_cuda_devices(wire::Gpus& out) {
  const DriverLibrary library("libcuda.so.1");
  if (!library.is_open()) {
    out.set_none("no CUDA driver: " + as_utf8(library.error()));
    return;
  }
  const Driver driver(library);
  if (!driver.is_whole()) {
    out.add_troubles("the CUDA driver is too old: install NVIDIA's driver 450 or newer");
    return;
  }
  if (const Status status = driver.init(0); status != kSuccess) {
    if (status == kNoDevice) {
      out.set_none("CUDA shows no GPU: " + driver.text_of(status));
    } else {
      out.add_troubles("CUDA cannot be used: cuInit says " + driver.text_of(status));
    }
    return;
  }
  int version = 0;
  if (driver.version(&version) == kSuccess)
    out.set_cuda(std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10));
  int count = 0;
  Status status = driver.count(&count);
  for (int ordinal = 0; ordinal < count && status == kSuccess; ++ordinal) {
    wire::Gpu gpu;
    status = describe(driver, ordinal, gpu);
    if (status == kSuccess) *out.add_gpus() = std::move(gpu);
  }
  if (status != kSuccess) out.add_troubles("a GPU cannot be asked: " + driver.text_of(status));
}

wire::Gpus find_gpus() {
  wire::Gpus gpus;
  add_cuda_devices(gpus);
  if (gpus.gpus_size() > 0) add_management_state(gpus);
  return gpus;
}

}  // namespace kernsweep
