// The family conv2d (kernels/reference/conv2d) on a GPU: the same parameters, work, tolerance and
// reference.
#pragma once

#include "kernels/api/pack.hpp"

namespace kernsweep::cuda {

pack::Variant conv2d_direct();  // our kernel: a thread for each element of the result
pack::Variant conv2d_cudnn();   // only if the pack was built with cuDNN's header

}  // namespace kernsweep::cuda
