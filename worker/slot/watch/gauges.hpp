// What a watched section reads about the machine, between windows of samples and never within one. The real
// gauges read the system; tests implement their own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/instant.hpp"
#include "worker/host/gpu/gpu_meter.hpp"
#include "worker/slot/watch/disturbance.hpp"
#include "worker/slot/watch/host_times.hpp"
#include "worker/slot/watch/thread_work.hpp"

namespace kernsweep {

// Of this process since it started.
struct ProcessUse {
  double cpu_s = 0;  // user and system, all threads, and of children that have ended
  std::uint64_t minor_faults = 0;
};

// What is read once a job, after its section. Nothing: not readable here.
struct HostState {
  std::optional<double> load_1min;
  std::optional<double> temperature_c;  // the hottest thermal zone
};

class Gauges {
 public:
  virtual ~Gauges() = default;
  virtual Instant now() = 0;
  // GHz; 0: not known. About 10 us, twice that when it looks slower than `expected_ghz`.
  virtual double clock_ghz(double expected_ghz) = 0;
  // All but the clock. Below a microsecond.
  virtual EdgeReading edge() = 0;
  virtual ProcessUse use() = 0;
  // Once before and once after the samples.
  virtual std::optional<ThreadTimes> threads() = 0;
  // Some 20 us on a small host, much more on one of hundreds of processors.
  virtual std::optional<HostTimes> host_times() = 0;
  // Energy that the processor packages have used, in joules since some moment. Nothing: not readable.
  virtual std::optional<double> energy_j() = 0;
  virtual HostState host_state() = 0;
  // Of the slot's GPUs; null: it has none, or they cannot be read.
  virtual GpuMeter* gpus() { return nullptr; }
};

// Of this process and host. `own`: the processors that the slot is bound to; `gpus`: UUIDs of those that it
// has.
std::unique_ptr<Gauges> system_gauges(std::vector<std::uint32_t> own, const std::vector<std::string>& gpus);

// The energy in joules that counters which wrap at `ranges` gained from `before` to `after`; all in
// microjoules, one entry per package. Nothing if the lists differ in length.
std::optional<double> energy_gained_j(const std::vector<std::uint64_t>& before,
                                      const std::vector<std::uint64_t>& after,
                                      const std::vector<std::uint64_t>& ranges);

}  // namespace kernsweep
