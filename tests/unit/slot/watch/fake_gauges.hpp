// Gauges that say what a test wants. Time passes only when the test, or a fake kernel, lets it.
#pragma once

#include <functional>

#include "worker/slot/watch/gauges.hpp"

namespace kernsweep::testing_slot {

class FakeGauges : public Gauges {
 public:
  Instant now() override { return time; }
  double clock_ghz(double expected_ghz) override {
    ++probes;
    expected = expected_ghz;
    return clock ? clock(probes) : ghz;
  }
  EdgeReading edge() override { return reading; }
  ProcessUse use() override { return usage; }
  std::optional<ThreadTimes> threads() override { return thread_times; }
  std::vector<ThreadWait> waits() override { return thread_waits; }
  std::optional<HostTimes> host_times() override {
    ++looks;
    return host;
  }
  std::optional<double> energy_j() override { return energy; }
  HostState host_state() override { return {}; }
  Throttling throttling() override { return throttled; }
  CounterSystem* counters() override { return counter_system; }

  Instant time{std::chrono::seconds(1000)};
  double ghz = 3;
  std::function<double(int probe)> clock;  // by the number of the probe, from 1; empty: always `ghz`
  int probes = 0, looks = 0;
  double expected = -1;
  EdgeReading reading{0, 0, 0, 0};
  ProcessUse usage;
  std::optional<ThreadTimes> thread_times;
  std::vector<ThreadWait> thread_waits;
  std::optional<HostTimes> host = HostTimes{};
  std::optional<double> energy;
  Throttling throttled;
  CounterSystem* counter_system = nullptr;
};

}  // namespace kernsweep::testing_slot
