// The family roof (kernels/cpu/roof) on a GPU: the same parameters and output.
#pragma once

#include "kernels/api/pack.h"

namespace kernsweep::cuda {

extern const ks_variant kRoofCuda;

extern const ks_family kRoofFamily;

}  // namespace kernsweep::cuda
