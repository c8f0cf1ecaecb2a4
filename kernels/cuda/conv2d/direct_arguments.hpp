// The parameters of a point of conv2d for our own kernels.
#pragma once

#include <string>

#include "kernels/cuda/conv2d/conv2d_arrays.hpp"
#include "kernels/cuda/conv2d/direct_kernel.hpp"

namespace kernsweep::cuda {

// As need_no_epilogue; also for dtype tf32, whose products our kernels do not compute.
void need_our_kernels(const conv2d::Problem& problem);

Conv2dArguments arguments_of(const conv2d::Problem& problem, const void* images, const void* weights,
                             void* results);

// The type in a kernel's name: "bf16".
std::string name_of_type(const conv2d::Problem& problem);

}  // namespace kernsweep::cuda
