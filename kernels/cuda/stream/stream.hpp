// The family stream (kernels/cpu/stream) on a GPU: the same parameters, work, tolerance and reference.
#pragma once

#include "kernels/api/pack.h"

namespace kernsweep::cuda {

extern const ks_variant kStreamCuda;    // our kernel: vectors of 16 bytes, `block` threads per block
extern const ks_variant kStreamMemcpy;  // cuMemcpyDtoDAsync, for op copy alone

extern const ks_family kStreamFamily;

}  // namespace kernsweep::cuda
