// What NVML, NVIDIA's management library, reports of each GPU.
#include "worker/host/gpu/nvml.hpp"

#include <array>
#include <cstdio>
#include <vector>

#include "shared/text/utf8.hpp"
#include "shared/wire/gpu.pb.h"
#include "worker/host/gpu/gpus.hpp"

namespace kernsweep {
namespace {

using nvml::Management;

struct Memory {  // nvmlMemory_t
  unsigned long long total, free, used;
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

void add_processes(const Management& driver, nvml::Device device, wire::Gpu& out) {
  const auto processes = driver.processes(device);
  out.set_processes_known(processes.has_value());
  if (!processes) return;
  for (const nvml::Process& each : *processes) {
    wire::GpuProcess& process = *out.add_processes();
    process.set_pid(each.pid);
    process.set_name(name_of_process(each.pid));
    if (each.used_bytes != ~0ULL) process.set_memory_bytes(each.used_bytes);
  }
}

void describe(const Management& driver, nvml::Device device, wire::Gpu& out) {
  Memory memory{};
  if (driver.call("nvmlDeviceGetMemoryInfo", device, &memory) == nvml::kSuccess)
    out.set_memory_free_bytes(memory.free);
  const auto set = [](auto value, auto&& take) {
    if (value) take(*value);
  };
  const char* const kMax = "nvmlDeviceGetMaxClockInfo";
  const char* const kNow = "nvmlDeviceGetClockInfo";
  set(driver.clock(kMax, device, nvml::kClockOfMultiprocessors),
      [&](auto mhz) { out.set_clock_max_mhz(mhz); });
  set(driver.clock(kMax, device, nvml::kClockOfMemory),
      [&](auto mhz) { out.set_memory_clock_max_mhz(mhz); });
  set(driver.clock(kNow, device, nvml::kClockOfMultiprocessors), [&](auto mhz) { out.set_clock_mhz(mhz); });
  set(driver.clock(kNow, device, nvml::kClockOfMemory), [&](auto mhz) { out.set_memory_clock_mhz(mhz); });
  set(driver.clock("nvmlDeviceGetTemperature", device, nvml::kSensorOfGpu),
      [&](auto degrees) { out.set_temperature_c(degrees); });
  set(driver.number<unsigned>("nvmlDeviceGetPowerUsage", device),
      [&](auto milliwatts) { out.set_power_w(milliwatts * 1e-3); });
  set(driver.number<unsigned>("nvmlDeviceGetEnforcedPowerLimit", device),
      [&](auto milliwatts) { out.set_power_limit_w(milliwatts * 1e-3); });
  unsigned now = 0;
  unsigned after_reset = 0;
  if (driver.call("nvmlDeviceGetEccMode", device, &now, &after_reset) == nvml::kSuccess)
    out.set_ecc(now == nvml::kEnabled);
  if (driver.call("nvmlDeviceGetMigMode", device, &now, &after_reset) == nvml::kSuccess)
    out.set_mig(now == nvml::kEnabled);
  const auto slowed = driver.slowed_by(device);
  out.set_slowing_known(slowed.has_value());
  for (const nvml::Reason& reason : nvml::kReasons) {
    if (slowed && (*slowed & reason.bit)) out.add_slowed_by(reason.name);
  }
  add_processes(driver, device, out);
}

}  // namespace

void add_management_state(wire::Gpus& out) {
  const DriverLibrary library("libnvidia-ml.so.1");
  const Management driver(library);
  if (!library.is_open() || driver.call("nvmlInit_v2") != nvml::kSuccess) {
    out.add_troubles("clocks, power and other processes of GPUs are not known: " +
                     (library.is_open() ? "libnvidia-ml.so.1 does not start" : as_utf8(library.error())));
    return;
  }
  std::array<char, 96> text{};
  if (driver.call("nvmlSystemGetDriverVersion", text.data(), static_cast<unsigned>(text.size())) ==
      nvml::kSuccess)
    out.set_driver(as_utf8(text.data()));
  for (wire::Gpu& gpu : *out.mutable_gpus()) {
    nvml::Device device = nullptr;
    const auto find = [&](const std::string& uuid) {
      return driver.call("nvmlDeviceGetHandleByUUID", uuid.c_str(), &device) == nvml::kSuccess;
    };
    const std::string slice = "MIG" + gpu.uuid().substr(3);
    if (!find(gpu.uuid())) {
      if (!find(slice)) {
        out.add_troubles("libnvidia-ml.so.1 knows nothing of " + gpu.uuid());
        continue;
      }
      gpu.set_uuid(slice);
    }
    describe(driver, device, gpu);
    if (gpu.uuid() == slice) gpu.set_mig(true);
  }
  driver.call("nvmlShutdown");
}

}  // namespace kernsweep
