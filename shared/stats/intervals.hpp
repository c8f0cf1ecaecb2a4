// An interval, and bounds of a ratio from those of its logarithm. Pure.
#pragma once

namespace kernsweep {

struct Interval {
  double low = 0, high = 0;
};

// exp of bounds of a logarithm; held within e^-700 and e^700, so that a bound that is far away stays a
// number.
Interval exp_of(double low, double high);

}  // namespace kernsweep
