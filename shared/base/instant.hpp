// Time as a value. Cores get `now` as an argument and never read a clock; shells read it here.
#pragma once

#include <chrono>
#include <compare>

namespace kernsweep {

using namespace std::chrono_literals;  // so that 100ms is a Duration
using Duration = std::chrono::nanoseconds;

// A time of this machine's monotonic clock, or of a simulation; unrelated to the time of day.
struct Instant {
  Duration since_start{};
  friend auto operator<=>(Instant, Instant) = default;
  friend Instant operator+(Instant t, Duration d) { return Instant{t.since_start + d}; }
  friend Duration operator-(Instant a, Instant b) { return a.since_start - b.since_start; }
};

inline Instant monotonic_now() {
  return Instant{std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch())};
}

inline double seconds(Duration d) {
  return std::chrono::duration<double>(d).count();
}
inline Duration from_seconds(double s) {
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(s));
}

}  // namespace kernsweep
