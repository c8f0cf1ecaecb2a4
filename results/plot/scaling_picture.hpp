// Speedup over threads as a picture.
#pragma once

#include "results/answer/scaling.hpp"
#include "results/plot/picture.hpp"

namespace kernsweep {

// One plot: the measured speedups of each series with their intervals, the fitted law of Amdahl if there
// are at least three numbers of threads, and the perfect speedup. Both axes are logarithmic from a factor
// of 8 in threads on. Requires a series.
Picture picture_of(const ScalingAnswer& answer);

}  // namespace kernsweep
