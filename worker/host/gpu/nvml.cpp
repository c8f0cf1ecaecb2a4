// libnvidia-ml.so.1, declared here as far as it is needed: its header is not on every
// machine that builds this. Source: NVML API
// reference, and nvml.h of version 13.
#include <array>
#include <cstdio>
#include <optional>
#include <vector>

#include "shared/utf8.hpp"
#include "shared/wire/gpu.pb.h"
#include "worker/host/gpu/driver_library.hpp"
#include "worker/host/gpu/gpus.hpp"

namespace kernsweep {
namespace {

using NvmlReturn = int;  // nvmlReturn_t
using NvmlDevice = struct DeviceOfNvml*;
constexpr NvmlReturn kNvmlSuccess = 0;
constexpr NvmlReturn kInsufficientSize = 7;
constexpr int kClockOfMultiprocessors = 1;  // nvmlClockType_t
constexpr int kClockOfMemory = 2;
constexpr int kSensorOfGpu = 0;  // nvmlTemperatureSensors_t
constexpr unsigned kEnabled = 1;

struct Memory {  // nvmlMemory_t
  unsigned long long total, free, used;
};
struct Process {  // nvmlProcessInfo_t of nvmlDeviceGetComputeRunningProcesses_v3
  unsigned pid;
  unsigned long long used_bytes;  // all bits: not known
  unsigned gpu_instance, compute_instance;
};

struct Reason {  // nvmlClocksEventReason..., without being idle, which slows nobody
  unsigned long long bit;
  const char* name;
};
constexpr Reason kReasons[] = {
    {0x002, "applications_clocks_setting"},
    {0x004, "sw_power_cap"},
    {0x008, "hw_slowdown"},
    {0x010, "sync_boost"},
    {0x020, "sw_thermal_slowdown"},
    {0x040, "hw_thermal_slowdown"},
    {0x080, "hw_power_brake_slowdown"},
    {0x100, "display_clock_setting"},
};

class Management {
 public:
  explicit Management(const DriverLibrary& library) : library_(library) {}

  // A function that this version may not have: then nothing is told.
  template <class... Arguments>
  NvmlReturn call(const char* name, Arguments... arguments) const {
    constexpr NvmlReturn kFunctionNotFound = 13;
    auto* const function = library_.function<NvmlReturn(Arguments...)>(name);
    return function ? function(arguments...) : kFunctionNotFound;
  }
  template <class Number>
  std::optional<Number> number(const char* name, NvmlDevice device) const {
    Number value = 0;
    if (call(name, device, &value) != kNvmlSuccess) return std::nullopt;
    return value;
  }
  std::optional<unsigned> clock(const char* name, NvmlDevice device, int which) const {
    unsigned mhz = 0;
    if (call(name, device, which, &mhz) != kNvmlSuccess) return std::nullopt;
    return mhz;
  }

 private:
  const DriverLibrary& library_;
};

std::string name_of_process(unsigned pid) {
  std::array<char, 64> name{};
  const std::string path = "/proc/" + std::to_string(pid) + "/comm";
  std::FILE* const file = std::fopen(path.c_str(), "re");
  if (!file) return "";
  const std::size_t got = std::fread(name.data(), 1, name.size() - 1, file);
  std::fclose(file);
  std::string text(name.data(), got);
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return as_utf8(text);
}

void add_processes(const Management& nvml, NvmlDevice device, wire::Gpu& out) {
  constexpr unsigned kMost = 4096;
  std::vector<Process> processes(16);
  auto count = static_cast<unsigned>(processes.size());
  const auto ask = [&] {
    return nvml.call("nvmlDeviceGetComputeRunningProcesses_v3", device, &count, processes.data());
  };
  NvmlReturn told = ask();
  if (told == kInsufficientSize && count <= kMost) {
    processes.resize(count + 16);  // more may have come meanwhile
    count = static_cast<unsigned>(processes.size());
    told = ask();
  }
  out.set_processes_known(told == kNvmlSuccess);
  if (told != kNvmlSuccess) return;
  for (unsigned i = 0; i < count; ++i) {
    wire::GpuProcess& process = *out.add_processes();
    process.set_pid(processes[i].pid);
    process.set_name(name_of_process(processes[i].pid));
    if (processes[i].used_bytes != ~0ULL) process.set_memory_bytes(processes[i].used_bytes);
  }
}

void describe(const Management& nvml, NvmlDevice device, wire::Gpu& out) {
  Memory memory{};
  if (nvml.call("nvmlDeviceGetMemoryInfo", device, &memory) == kNvmlSuccess)
    out.set_memory_free_bytes(memory.free);
  const auto set = [](auto value, auto&& take) {
    if (value) take(*value);
  };
  const char* const kMax = "nvmlDeviceGetMaxClockInfo";
  const char* const kNow = "nvmlDeviceGetClockInfo";
  set(nvml.clock(kMax, device, kClockOfMultiprocessors), [&](auto mhz) { out.set_clock_max_mhz(mhz); });
  set(nvml.clock(kMax, device, kClockOfMemory), [&](auto mhz) { out.set_memory_clock_max_mhz(mhz); });
  set(nvml.clock(kNow, device, kClockOfMultiprocessors), [&](auto mhz) { out.set_clock_mhz(mhz); });
  set(nvml.clock(kNow, device, kClockOfMemory), [&](auto mhz) { out.set_memory_clock_mhz(mhz); });
  set(nvml.clock("nvmlDeviceGetTemperature", device, kSensorOfGpu),
      [&](auto degrees) { out.set_temperature_c(degrees); });
  set(nvml.number<unsigned>("nvmlDeviceGetPowerUsage", device),
      [&](auto milliwatts) { out.set_power_w(milliwatts * 1e-3); });
  set(nvml.number<unsigned>("nvmlDeviceGetEnforcedPowerLimit", device),
      [&](auto milliwatts) { out.set_power_limit_w(milliwatts * 1e-3); });
  unsigned now = 0;
  unsigned after_reset = 0;
  if (nvml.call("nvmlDeviceGetEccMode", device, &now, &after_reset) == kNvmlSuccess)
    out.set_ecc(now == kEnabled);
  if (nvml.call("nvmlDeviceGetMigMode", device, &now, &after_reset) == kNvmlSuccess)
    out.set_mig(now == kEnabled);
  auto slowed = nvml.number<unsigned long long>("nvmlDeviceGetCurrentClocksEventReasons", device);
  if (!slowed)
    slowed = nvml.number<unsigned long long>("nvmlDeviceGetCurrentClocksThrottleReasons", device);
  out.set_slowing_known(slowed.has_value());
  for (const Reason& reason : kReasons) {
    if (slowed && (*slowed & reason.bit)) out.add_slowed_by(reason.name);
  }
  add_processes(nvml, device, out);
}

}  // namespace

void add_management_state(wire::Gpus& out) {
  const DriverLibrary library("libnvidia-ml.so.1");
  const Management nvml(library);
  if (!library.is_open() || nvml.call("nvmlInit_v2") != kNvmlSuccess) {
    out.add_troubles("clocks, power and other processes of GPUs are not known: " +
                     (library.is_open() ? "libnvidia-ml.so.1 does not start" : as_utf8(library.error())));
    return;
  }
  std::array<char, 96> text{};
  if (nvml.call("nvmlSystemGetDriverVersion", text.data(), static_cast<unsigned>(text.size())) ==
      kNvmlSuccess)
    out.set_driver(as_utf8(text.data()));
  for (wire::Gpu& gpu : *out.mutable_gpus()) {
    NvmlDevice device = nullptr;
    const auto find = [&](const std::string& uuid) {
      return nvml.call("nvmlDeviceGetHandleByUUID", uuid.c_str(), &device) == kNvmlSuccess;
    };
    const std::string slice = "MIG" + gpu.uuid().substr(3);
    if (!find(gpu.uuid())) {
      if (!find(slice)) {
        out.add_troubles("libnvidia-ml.so.1 knows nothing of " + gpu.uuid());
        continue;
      }
      gpu.set_uuid(slice);
    }
    describe(nvml, device, gpu);
    if (gpu.uuid() == slice) gpu.set_mig(true);
  }
  nvml.call("nvmlShutdown");
}

}  // namespace kernsweep
