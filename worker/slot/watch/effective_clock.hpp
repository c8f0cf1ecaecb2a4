// How fast this core really runs just now, without counters: virtual machines and locked-down hosts rarely
// let a process read them.
//
// A chain of integer additions, each needing the one before, takes one cycle for each on every x86-64 and
// aarch64 processor that we know of; so additions per nanosecond are the clock in GHz. Both operands are
// registers, because newer processors do an addition of a constant for nothing. One try takes about 9 us at
// 3.6 GHz and touches no memory. What interrupts a try makes it look slow, never fast: of two, the faster
// counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "shared/base/instant.hpp"

namespace kernsweep {

constexpr std::uint64_t kClockAdditions = 32'768;

// GHz. 0, which means "not known" wherever a clock is told, when no time passed or it went backwards.
double clock_ghz_of(std::uint64_t additions, Duration took);

// GHz of the calling thread's core. A try below 97 % of `expected_ghz` is made once more. 0 on a processor
// whose chain we do not know.
double effective_clock_ghz(double expected_ghz = 0);

// Whether the clock has settled: the last kProbes probes lie within kSpread of each other. Sees only
// numbers. A clock that is not known is never waited for.
class ClockStability {
 public:
  static constexpr std::size_t kProbes = 5;
  static constexpr double kSpread = 0.02;                           // (highest - lowest) / highest
  static constexpr Duration kApart = std::chrono::milliseconds(1);  // between probes, at least

  void add(double ghz);
  bool stable() const;
  double reference_ghz() const;  // the median of the last probes; 0: none is known

 private:
  std::deque<double> last_;
};

}  // namespace kernsweep
