// The range of numbers of each element type.
#pragma once

#include "shared/base/dtype.hpp"

namespace kernsweep {

// The largest finite number of a float type; of an integer type, its largest.
double largest_finite(Dtype dtype);

// Whole numbers that are all exactly representable: the full range of an integer type, +-2^(bits of
// fraction + 1) of a float type; s64 is cut to +-2^53, because bounds are given as doubles.
struct IntegerRange {
  double lowest, highest;
};
IntegerRange exact_integers(Dtype dtype);

// The smallest number of the float type >= x, the largest < x. Requires: is_float, |x| <= largest_finite.
double smallest_from(Dtype dtype, double x);
double largest_below(Dtype dtype, double x);

}  // namespace kernsweep
