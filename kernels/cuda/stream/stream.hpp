// The family stream (kernels/cpu/stream) on a GPU: the same parameters, work, tolerance and reference.
#pragma once

#include "kernels/api/pack.hpp"

namespace kernsweep::cuda {

pack::Variant stream_cuda();    // our kernel: vectors of 16 bytes, `block` threads per block
pack::Variant stream_memcpy();  // cuMemcpyDtoDAsync, only for op copy

}  // namespace kernsweep::cuda
