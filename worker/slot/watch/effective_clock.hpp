// Measures the current clock of this core without performance counters, which virtual machines and
// locked-down hosts rarely allow to read.
//
// A chain of dependent integer additions takes one cycle for each addition on every known x86-64 and
// aarch64 processor, so additions per nanosecond are the clock in GHz. Both operands are registers,
// because newer processors eliminate the addition of a constant. One try takes about 9 us at 3.6 GHz and
// uses no memory. An interruption makes a try look slower, never faster, so the faster one of two counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "shared/base/instant.hpp"

namespace kernsweep {

constexpr std::uint64_t kClockAdditions = 32'768;

// In GHz. 0 means not known, here and for every clock: no time has passed, or it went backwards.
double clock_ghz_of(std::uint64_t additions, Duration took);

// GHz of the calling thread's core. A try below 97 % of `expected_ghz` is repeated. 0 on other processors
// than x86-64 and aarch64.
double effective_clock_ghz(double expected_ghz = 0);

// Whether the clock is stable: the last kProbes probes lie within kSpread of each other. Pure. A clock that
// is not known counts as stable.
class ClockStability {
 public:
  static constexpr std::size_t kProbes = 5;
  static constexpr double kSpread = 0.02;                           // (highest - lowest) / highest
  static constexpr Duration kApart = std::chrono::milliseconds(1);  // shortest time between probes

  void add(double ghz);
  bool stable() const;
  double reference_ghz() const;  // median of the last probes; 0: none is known

 private:
  std::deque<double> last_;
};

}  // namespace kernsweep
