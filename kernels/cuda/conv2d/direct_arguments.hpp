// The parameters of a point of conv2d for our own kernels.
#pragma once

#include <string>

#include "kernels/cuda/conv2d/conv2d_arrays.hpp"
#include "kernels/cuda/conv2d/direct_kernel.hpp"

namespace kernsweep::cuda {

// As read_without_epilogue; KS_UNSUPPORTED also for dtype tf32, whose products our kernels do not compute.
ks_status read_for_our_kernels(const ks_params* params, conv2d::Problem& problem, ks_why why);

Conv2dArguments arguments_of(const conv2d::Problem& problem, const void* images, const void* weights,
                             void* results);

// The type in a kernel's name: "bf16".
std::string name_of_type(const conv2d::Problem& problem);

}  // namespace kernsweep::cuda
