// What the GPUs of a process are like while it measures: asked between samples, never within one.
//
// Looks only, as everything in this room does. Where a driver does not tell something, it is not known.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kernsweep {

// Of several GPUs the worst: the lowest clocks, the highest temperature, whatever slows one of them; energy
// is that of all together.
struct GpuReading {
  std::optional<double> clock_mhz;  // of the multiprocessors
  std::optional<double> memory_clock_mhz;
  std::optional<double> temperature_c;
  std::optional<double> energy_j;  // since some moment
  std::uint64_t slowed_by = 0;     // names_of_reasons() tells
};

class GpuMeter {
 public:
  virtual ~GpuMeter() = default;
  // A few calls of the driver for each GPU: tens of microseconds, or more.
  virtual GpuReading read() = 0;
};

// Of these GPUs, by UUID. Null: their management library is not there, or knows none of them. Stays open
// for the life of the process.
std::unique_ptr<GpuMeter> meter_of_gpus(const std::vector<std::string>& uuids);

// NVML's words, "sw_power_cap" and the like; being idle is none.
std::vector<std::string> names_of_reasons(std::uint64_t slowed_by);
// Those of them that make a card slower than it is by itself, and so a measurement doubtful. A clock or a
// limit that somebody has set is none.
std::uint64_t slowing_reasons(std::uint64_t slowed_by);

}  // namespace kernsweep
