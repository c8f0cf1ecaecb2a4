// Time, chance and the record of one simulated run. Everything that happens is an event in one queue;
// everything random comes from one seed; everything decided goes into one hash.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <vector>

#include "shared/base/ids.hpp"
#include "shared/base/instant.hpp"

namespace kernsweep::simulation {

// splitmix64: a different, equally good sequence for every seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t x = state_ += 0x9E3779B97F4A7C15ULL;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
    return x ^ (x >> 31);
  }
  std::uint64_t below(std::uint64_t end) { return end == 0 ? 0 : next() % end; }
  bool chance(double p) { return static_cast<double>(next() >> 11) * 0x1p-53 < p; }
  Duration between(Duration low, Duration high) {
    return low + Duration(below(static_cast<std::uint64_t>((high - low).count()) + 1));
  }

 private:
  std::uint64_t state_;
};

class World {
 public:
  explicit World(std::uint64_t seed) : random(seed) {}

  Instant now;
  Random random;
  bool faults = true;  // crashes, hangs and broken connections may happen
  bool calm = false;   // nothing takes time but the jobs: for how long a sweep takes at best

  void after(Duration delay, std::function<void()> what) {
    events_.push({now + delay, ++order_, std::move(what)});
  }
  // False when nothing is left or the end has come.
  bool step(Instant end) {
    if (events_.empty() || events_.top().at > end || !violation.empty()) return false;
    std::function<void()> what = std::move(const_cast<Happening&>(events_.top()).what);
    now = events_.top().at;
    events_.pop();
    what();
    return true;
  }

  void note(std::uint64_t a, std::uint64_t b = 0) { hash = mix_hash(hash ^ a, b); }
  void note(const AttemptId& attempt) { note(std::hash<AttemptId>()(attempt)); }
  // The first promise that was broken; the run ends there.
  void violated(const std::string& what) {
    if (violation.empty()) violation = what + " at " + std::to_string(seconds(now.since_start)) + " s";
  }

  std::uint64_t hash = 0;
  std::string violation;

 private:
  struct Happening {
    Instant at;
    std::uint64_t order = 0;
    std::function<void()> what;
    bool operator<(const Happening& other) const {
      return at != other.at ? other.at < at : other.order < order;
    }
  };
  std::priority_queue<Happening> events_;
  std::uint64_t order_ = 0;
};

inline std::string text_of(const AttemptId& attempt) {
  return std::to_string(attempt.job.index) + "@" + std::to_string(attempt.job.host) + "#" +
         std::to_string(attempt.number);
}

}  // namespace kernsweep::simulation
