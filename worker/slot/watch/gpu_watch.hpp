// The state of a job's GPUs while it was sampled. Reads a meter between windows of samples, about ten times
// a second: clocks and temperatures do not change faster, and reading takes time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/instant.hpp"
#include "shared/text/metric_name.hpp"
#include "worker/host/gpu/gpu_meter.hpp"

namespace kernsweep {

struct GpuConditions {
  std::optional<double> clock_mhz;      // median of the looks
  std::optional<double> clock_low_mhz;  // the lowest one
  std::optional<double> memory_clock_mhz;
  std::optional<double> temperature_c;  // the highest
  std::optional<double> energy_j;       // from the first look to the last
  std::optional<double> power_w;        // mean over the same time
  std::uint64_t slowed_by = 0;          // at any look
  double slowed_share = 0;              // of the looks, those with a reason that slows
};

class GpuWatch {
 public:
  static constexpr Duration kEvery = std::chrono::milliseconds(100);

  // `meter` must outlive the watch.
  explicit GpuWatch(GpuMeter& meter) : meter_(meter) {}

  void begin(Instant now);  // sampling begins, or starts again
  void look(Instant now);   // reads the meter if it is time to
  GpuConditions end(Instant now);

 private:
  void read(Instant now);

  GpuMeter& meter_;
  std::vector<GpuReading> readings_;
  Instant first_, last_;
};

// What was counted, with the names of ks_metric; what is not known is left out.
std::vector<CountedMetric> metrics_of(const GpuConditions& conditions);
// What lowers the grade of a result to B, in words for people; nothing: nothing does.
std::optional<std::string> complaint(const GpuConditions& conditions);

}  // namespace kernsweep
