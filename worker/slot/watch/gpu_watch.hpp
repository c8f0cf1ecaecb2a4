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

struct GpuSection {
  std::optional<double> clock_mhz;      // median of the looks
  std::optional<double> clock_low_mhz;  // the lowest one
  std::optional<double> memory_clock_mhz;
  std::optional<double> temperature_c;  // the highest
  std::optional<double> energy_j;       // from the first look to the last
  std::optional<double> power_w;        // mean over the same time
  std::uint64_t slowed_by = 0;          // all reasons of all looks
  double slowed_share = 0;              // share of the looks that have a reason of slowing_reasons()
  // The clock of the later half of the looks differs by at most kSteadyClock from that of the earlier half.
  // False if there were fewer than 4 looks.
  bool clock_steady = false;
  std::uint64_t ecc_errors = 0;       // uncorrected ones, while it was sampled
  std::uint64_t other_processes = 0;  // that had the GPUs open at a look; the most of all looks
};

class GpuWatch {
 public:
  static constexpr Duration kEvery = std::chrono::milliseconds(100);

  // `meter` must outlive the watch.
  explicit GpuWatch(GpuMeter& meter) : meter_(meter) {}

  void begin(Instant now);  // to be called when sampling begins or starts again
  void look(Instant now);   // reads the meter if a reading is due
  GpuSection end(Instant now);

 private:
  void read(Instant now);

  GpuMeter& meter_;
  std::vector<GpuReading> readings_;
  Instant first_, last_;
};

// The known conditions as metrics, with the names of ks_metric; unknown ones are left out. `calls`: the
// number of sampled calls; energy is per call.
std::vector<CountedMetric> metrics_of(const GpuSection& conditions, double calls);
// Texts for the user about conditions that lower the grade of a result to B. The power limit does not count
// as long as the clock is steady: it is the normal state of a GPU under heavy work.
std::vector<std::string> complaints(const GpuSection& conditions);
constexpr double kSteadyClock = 0.01;

}  // namespace kernsweep
