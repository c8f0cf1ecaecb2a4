// The epilogue of a convolution in f32, by variants that can fuse it and by those that cannot.
#pragma once

#include "kernels/api/pack.h"
#include "kernels/cpu/libraries/params.hpp"
#include "kernels/cpu/parallel/tbb.hpp"
#include "kernels/reference/conv2d/problem.hpp"

namespace kernsweep::conv2d {

// The parameter `epilogue_by` of variants that can do both.
inline constexpr ks_param_doc kEpilogueBy = {
    "epilogue_by", KS_TEXT, "fused", "fused|pass",
    "fused: bias and relu in the convolution; pass: over its result, read and written once more"};
bool is_fused(const Params& params);

// Bias and relu over a result that lies in the point's layout, on the threads of the team. KS_FAILED if
// they could not run. Does nothing if the problem has no epilogue.
ks_status finish_convolution(const Problem& problem, const float* bias, float* y, Team& team);

}  // namespace kernsweep::conv2d
