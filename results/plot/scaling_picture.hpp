// Speedup over threads as a picture.
#pragma once

#include "results/answer/scaling.hpp"
#include "results/plot/picture.hpp"

namespace kernsweep {

// One plot: the measured speedups of each series with their intervals, Amdahl's law as it was fitted, where
// three numbers of threads or more say something about it, and the speedup that would be perfect. Both axes
// are logarithmic from a factor of 8 in threads on. Requires a series.
Picture picture_of(const ScalingAnswer& answer);

}  // namespace kernsweep
