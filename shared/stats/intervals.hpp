// An interval, and bounds of a ratio from those of its logarithm. Pure.
#pragma once

namespace kernsweep {

struct Interval {
  double low = 0, high = 0;
};

// exp of bounds of a logarithm; clamped to e^-700 and e^700, so that a distant bound stays a number.
Interval exp_of(double low, double high);

}  // namespace kernsweep
