// The part of libnvidia-ml.so.1 that is used, declared here because its header is not on every build
// machine. Source: NVML API reference, and nvml.h of version 13. Internal to worker/host/gpu.
#pragma once

#include <optional>
#include <vector>

#include "worker/host/gpu/driver_library.hpp"

namespace kernsweep::nvml {

using Return = int;  // nvmlReturn_t
using Device = struct DeviceOfNvml*;
constexpr Return kSuccess = 0;
constexpr Return kInsufficientSize = 7;
constexpr Return kNotFound = 6;
constexpr Return kFunctionNotFound = 13;
constexpr Return kGpuIsLost = 15;
constexpr int kClockOfMultiprocessors = 1;  // nvmlClockType_t
constexpr int kClockOfMemory = 2;
constexpr int kSensorOfGpu = 0;  // nvmlTemperatureSensors_t
constexpr unsigned kEnabled = 1;

struct Reason {  // nvmlClocksEventReason..., without the reason "idle"
  unsigned long long bit;
  const char* name;
  bool slows;  // false: the reason is a clock or a limit that a user has set
};
constexpr Reason kReasons[] = {
    {0x002, "applications_clocks_setting", false},
    {0x004, "sw_power_cap", true},
    {0x008, "hw_slowdown", true},
    {0x010, "sync_boost", true},
    {0x020, "sw_thermal_slowdown", true},
    {0x040, "hw_thermal_slowdown", true},
    {0x080, "hw_power_brake_slowdown", true},
    {0x100, "display_clock_setting", false},
};

struct Process {  // nvmlProcessInfo_t of nvmlDeviceGetComputeRunningProcesses_v3
  unsigned pid;
  unsigned long long used_bytes;  // all bits: not known
  unsigned gpu_instance, compute_instance;
};

class Management {
 public:
  explicit Management(const DriverLibrary& library) : library_(library) {}

  // Calls a function that this version may not have; then the result is kFunctionNotFound.
  template <class... Arguments>
  Return call(const char* name, Arguments... arguments) const {
    auto* const function = library_.function<Return(Arguments...)>(name);
    return function ? function(arguments...) : kFunctionNotFound;
  }
  template <class Number>
  std::optional<Number> number(const char* name, Device device) const {
    Number value = 0;
    if (call(name, device, &value) != kSuccess) return std::nullopt;
    return value;
  }
  std::optional<unsigned> clock(const char* name, Device device, int which) const {
    unsigned mhz = 0;
    if (call(name, device, which, &mhz) != kSuccess) return std::nullopt;
    return mhz;
  }
  // Bits of kReasons.
  std::optional<unsigned long long> slowed_by(Device device) const {
    const auto now = number<unsigned long long>("nvmlDeviceGetCurrentClocksEventReasons", device);
    return now ? now : number<unsigned long long>("nvmlDeviceGetCurrentClocksThrottleReasons", device);
  }
  // Uncorrected errors of the GPU's memory, since the driver was loaded.
  std::optional<unsigned long long> uncorrected_errors(Device device) const {
    constexpr int kUncorrected = 1, kVolatile = 0;  // nvmlMemoryErrorType_t, nvmlEccCounterType_t
    unsigned long long errors = 0;
    if (call("nvmlDeviceGetTotalEccErrors", device, kUncorrected, kVolatile, &errors) != kSuccess)
      return std::nullopt;
    return errors;
  }
  // Processes that have a compute context on the GPU; nothing: the driver does not report them.
  std::optional<std::vector<Process>> processes(Device device) const {
    constexpr unsigned kMost = 4096;
    std::vector<Process> out(16);
    auto count = static_cast<unsigned>(out.size());
    const auto ask = [&] {
      return call("nvmlDeviceGetComputeRunningProcesses_v3", device, &count, out.data());
    };
    Return status = ask();
    if (status == kInsufficientSize && count <= kMost) {
      out.resize(count + 16);  // new processes may have started meanwhile
      count = static_cast<unsigned>(out.size());
      status = ask();
    }
    if (status != kSuccess) return std::nullopt;
    out.resize(count);
    return out;
  }

 private:
  const DriverLibrary& library_;
};

}  // namespace kernsweep::nvml
