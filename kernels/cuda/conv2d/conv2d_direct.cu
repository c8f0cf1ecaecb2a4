// A thread for each element of the result; names end in the type of the images.
#include "kernels/cuda/conv2d/direct_kernel.hpp"
#include "kernels/cuda/thread_index.hpp"

using namespace kernsweep::cuda;

#define KERNSWEEP_CONV2D_DIRECT(name, T)                                                            \
  extern "C" __global__ void __launch_bounds__(256) conv2d_direct_##name(Conv2dArguments a) {       \
    for (std::int64_t i = first_item(); i < a.count; i += items_apart()) convolve_element<T>(a, i); \
  }

KERNSWEEP_CONV2D_DIRECT(f32, float)
KERNSWEEP_CONV2D_DIRECT(bf16, Bf16)
KERNSWEEP_CONV2D_DIRECT(f16, F16)
KERNSWEEP_CONV2D_DIRECT(s8, std::int8_t)
