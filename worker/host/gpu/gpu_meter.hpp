// Reads the state of the GPUs of a process while it measures: between samples, never within one. Changes no
// setting. Values that the driver does not report are absent.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kernsweep {

// For several GPUs: the lowest clocks, the highest temperature, all reasons, and the sums of the others.
struct GpuReading {
  std::optional<double> clock_mhz;  // of the multiprocessors
  std::optional<double> memory_clock_mhz;
  std::optional<double> temperature_c;
  std::optional<double> energy_j;           // joules since an arbitrary moment
  std::uint64_t slowed_by = 0;              // bits; see names_of_reasons()
  std::optional<std::uint64_t> ecc_errors;  // uncorrected ones, since the driver was loaded
  // Processes other than the calling one that have the GPU open. Absent also if the driver does not list
  // the calling process: in a PID namespace it has another number there.
  std::optional<std::uint64_t> other_processes;
};

class GpuMeter {
 public:
  virtual ~GpuMeter() = default;
  // Calls the driver a few times for each GPU: takes tens of microseconds, or more.
  virtual GpuReading read() = 0;
};

// For the GPUs with these UUIDs. Null if NVML is missing or has none of them. NVML stays open until the
// process ends.
std::unique_ptr<GpuMeter> meter_of_gpus(const std::vector<std::string>& uuids);

// NVML's names, such as "sw_power_cap". Being idle is not a reason.
std::vector<std::string> names_of_reasons(std::uint64_t slowed_by);
// Those bits of `slowed_by` that make a GPU slower than its configuration, so that a measurement is
// doubtful. Clocks and limits that a user has set are not among them.
std::uint64_t slowing_reasons(std::uint64_t slowed_by);
constexpr std::uint64_t kPowerLimit = 0x4;  // "sw_power_cap"

}  // namespace kernsweep
