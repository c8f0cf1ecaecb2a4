// The family conv2d (kernels/reference/conv2d) on a GPU: the same parameters, work, tolerance and
// reference.
#pragma once

#include "kernels/api/pack.h"

namespace kernsweep::cuda {

extern const ks_variant kConv2dDirect;        // our kernel: a thread for each element of the result
extern const ks_variant kConv2dImplicitGemm;  // our kernel: tiles in shared memory
extern const ks_variant kConv2dCudnn;         // only where the pack was built with cuDNN's header

extern const ks_family kConv2dFamily;

}  // namespace kernsweep::cuda
