// The machine state that a watched section reads, between windows of samples and never within one. The real
// gauges read the system; tests implement their own.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared/base/instant.hpp"
#include "worker/host/counters.hpp"
#include "worker/host/gpu/gpu_meter.hpp"
#include "worker/host/group_events.hpp"
#include "worker/slot/watch/core_looks.hpp"
#include "worker/slot/watch/disturbance.hpp"
#include "worker/slot/watch/host_times.hpp"
#include "worker/slot/watch/thread_work.hpp"

namespace kernsweep {

// Totals of this process since it started.
struct ProcessUse {
  double cpu_s = 0;  // user and system, all threads, and of all processes that it has started
  std::uint64_t minor_faults = 0;
};

// Read once per job, after its section. Nothing: not readable.
struct HostState {
  std::optional<double> load_1min;
  std::optional<double> temperature_c;  // the hottest thermal zone
};

class Gauges {
 public:
  virtual ~Gauges() = default;
  virtual Instant now() = 0;
  // GHz; 0: not known. Takes about 10 us, twice that if the clock seems slower than `expected_ghz`.
  virtual double clock_ghz(double expected_ghz) = 0;
  // All readings except the clock, for the measuring thread. Takes about two microseconds.
  virtual EdgeReading edge() = 0;
  virtual ProcessUse use() = 0;
  // Must be called once before and once after the samples.
  virtual std::optional<ThreadTimes> threads() = 0;
  // For a job with several threads, all of this process; empty: not known.
  virtual std::vector<ThreadWait> waits() { return {}; }
  // Looks at the cores of all threads of the job from now on, until end_looks().
  virtual void begin_looks() {}
  virtual std::vector<CoreLook> end_looks() { return {}; }
  // Takes about 20 us on a small host, much more on one with hundreds of processors.
  virtual std::optional<HostTimes> host_times() = 0;
  // Energy of the processor packages, in joules since an arbitrary moment. Nothing: not readable.
  virtual std::optional<double> energy_j() = 0;
  virtual HostState host_state() = 0;
  // Throttling by the quotas of this process; costs nothing without quotas.
  virtual Throttling throttling() { return {}; }
  // From now on no switches are counted, because this process computes instead of the slot; its processor
  // time counts even if the system does not list its parent. 0: only this process again. It must outlive
  // the gauges.
  virtual void add_process(int) {}
  // The meter of the slot's GPUs; null: it has none, or they cannot be read.
  virtual GpuMeter* gpus() { return nullptr; }
  // For counting events of the processor; null: another process than this one and those below it is
  // measured.
  virtual CounterSystem* counters() { return nullptr; }
};

// The gauges of this process and host. `own`: the processors that the slot is bound to; `gpus`: UUIDs of
// its GPUs.
std::unique_ptr<Gauges> system_gauges(std::vector<std::uint32_t> own, const std::vector<std::string>& gpus);

// Energy in joules between two readings of counters that wrap at `ranges`; all in microjoules, one entry
// per package. Nothing if the lists are empty or differ in length, or a counter exceeds its range.
std::optional<double> energy_gained_j(const std::vector<std::uint64_t>& before,
                                      const std::vector<std::uint64_t>& after,
                                      const std::vector<std::uint64_t>& ranges);

}  // namespace kernsweep
