// Counters that count what a test says, and fail as it says.
#pragma once

#include <cerrno>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "worker/host/counters.hpp"

namespace kernsweep::testing_host {

class FakeCounters : public CounterSystem {
 public:
  // Each event happens so often in each thread whose counters are on.
  void work(std::uint64_t events) {
    for (auto& [descriptor, each] : open_now) {
      if (!on.contains(each.leader)) continue;
      const double share = shares.contains(each.name) ? shares[each.name] : 1;
      each.reading.count += static_cast<std::uint64_t>(static_cast<double>(events) * share);
      each.reading.wanted_ns += 1000;
      each.reading.counted_ns += static_cast<std::uint64_t>(1000 * share);
    }
  }

  std::vector<int> threads() override { return ids; }
  std::size_t descriptors_max() override { return most; }
  int open(const CounterKind& kind, int thread, int leader) override {
    if (const int failed = error ? error(kind.name, thread) : 0) return -failed;
    if (leader >= 0 && (!open_now.contains(leader) || open_now[leader].thread != thread)) return -EBADF;
    ++last;
    open_now[last] = {kind.name, thread, leader < 0 ? last : leader, {}};
    return last;
  }
  void enable(int leader, bool is_on) override {
    if (is_on)
      on.insert(leader);
    else
      on.erase(leader);
  }
  std::optional<CounterReading> read(int descriptor) override {
    const Open& each = open_now.at(descriptor);
    return unreadable.contains(each.name) ? std::nullopt : std::optional(each.reading);
  }
  void close(int descriptor) override { open_now.erase(descriptor); }

  struct Open {
    std::string name;
    int thread = 0, leader = 0;
    CounterReading reading;
  };
  std::vector<int> ids{100};
  std::size_t most = 1000;
  std::function<int(const std::string& name, int thread)> error;  // 0: none
  std::map<std::string, double> shares;  // of the time in which an event is counted
  std::set<std::string> unreadable;
  std::map<int, Open> open_now;
  std::set<int> on;
  int last = 2;
};

}  // namespace kernsweep::testing_host
