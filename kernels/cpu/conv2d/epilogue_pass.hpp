// The epilogue of a convolution in f32, by variants that can fuse it and by those that cannot.
#pragma once

#include "kernels/cpu/parallel/pack_team.hpp"
#include "kernels/reference/conv2d/problem.hpp"

namespace kernsweep::conv2d {

// Bias and relu over a result in the point's layout, on the threads of the team. Refused: they could not
// run. Does nothing if the problem has no epilogue.
void finish_convolution(const Problem& problem, const float* bias, float* y, Team& team);

}  // namespace kernsweep::conv2d
