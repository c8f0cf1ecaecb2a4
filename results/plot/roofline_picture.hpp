// Results under the roofs of their hosts as a picture (the model: results/roofs/roofline.hpp).
#pragma once

#include "results/answer/roof_shares.hpp"
#include "results/plot/picture.hpp"

namespace kernsweep {

// A plot for each host and number of threads: GFLOP/s over operations per byte, both logarithmic; a mark
// for each point, a rising line for each level of memory, a level one for the peak of each data type that
// points have. Requires a host with points. `shares`: those that the points are from.
Picture picture_of(const RooflinePoints& found, const BestAnswer& shares);

}  // namespace kernsweep
