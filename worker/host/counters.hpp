// Counts events of the processor, such as cycles and cache misses, of all threads of this process and of
// those that it has started: a group of events for each thread, switched on and off together. An event that
// the machine does not have is left out; without any event nothing fails.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "shared/text/metric_name.hpp"

namespace kernsweep {

// An event as Linux numbers it (perf_event_open(2): type and config), and as a metric.
struct CounterKind {
  const char* name;
  std::uint32_t type;
  std::uint64_t config;
};

// cycles, instructions, llc_misses, dtlb_misses, branch_misses; all in user mode.
std::span<const CounterKind> hardware_counters();

// A reading of a counter: events, the nanoseconds for which it was enabled while its thread ran, and the
// nanoseconds for which it counted.
struct CounterReading {
  std::uint64_t count = 0, wanted_ns = 0, counted_ns = 0;
};

// The system calls. One implementation is Linux, the other is for tests.
class CounterSystem {
 public:
  virtual ~CounterSystem() = default;
  // Threads of this process and of the living ones that it has started; the calling one first.
  virtual std::vector<int> threads() = 0;
  // How many may be open at a time, so that the measured kernel can open files, too.
  virtual std::size_t descriptors_max() = 0;
  // A counter that is not enabled yet, of a thread and of all that it starts from now on. `leader`:
  // descriptor of the first one of its group; -1: it is the first. Returns a descriptor, or an error number
  // below zero.
  virtual int open(const CounterKind& kind, int thread, int leader) = 0;
  // Enables or disables all counters of a group.
  virtual void enable(int leader, bool on) = 0;
  // Returns nothing if it cannot be read.
  virtual std::optional<CounterReading> read(int descriptor) = 0;
  virtual void close(int descriptor) = 0;
};

std::unique_ptr<CounterSystem> system_counters();

// The counts between on() and off(), over all threads.
struct CounterTotals {
  struct Event {
    std::string name;
    double count = 0;  // if it counted only a part of the time: scaled to all of it
  };
  std::vector<Event> events;
  double counted_share = 1;  // of the time: the lowest one of any event and thread
};

class Counters {
 public:
  // An event that counted for less of the time of a thread is left out.
  static constexpr double kCountedShareMin = 0.1;
  struct Missing {
    std::string name, why;
  };

  // `system` and `kinds` must outlive the object.
  Counters(CounterSystem& system, std::span<const CounterKind> kinds) : system_(system), kinds_(kinds) {}
  ~Counters() { close(); }
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;

  // Opens the counters of all existing threads, and closes earlier ones first; they are at 0, and off.
  // Threads and processes that these start later are counted, too, even after they have ended.
  void open();
  void on();
  void off();
  // Must be called when they are off. Events that could not be opened or read are left out.
  CounterTotals totals();
  void close();
  // Why events were not opened by the last open().
  const std::vector<Missing>& missing() const { return missing_; }

 private:
  bool open_group(int thread, bool is_first);
  void give_up(const std::string& why);

  CounterSystem& system_;
  std::span<const CounterKind> kinds_;
  std::vector<const CounterKind*> opened_;     // kinds of each group
  std::vector<std::vector<int>> descriptors_;  // one group for each thread, in the order of `opened_`
  std::vector<Missing> missing_;
};

// Per call, with units and directions; also instructions_per_cycle if both are known. Empty if `calls` is
// 0.
std::vector<CountedMetric> metrics_of(const CounterTotals& totals, double calls);
// Text for the user if counts are scaled by more than a hundredth.
std::optional<std::string> note_of(const CounterTotals& totals);

}  // namespace kernsweep
