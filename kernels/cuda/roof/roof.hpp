// The family roof (kernels/cpu/roof) on a GPU: the same parameters and output.
#pragma once

#include "kernels/api/pack.hpp"

namespace kernsweep::cuda {

pack::Variant roof_cuda();

}  // namespace kernsweep::cuda
