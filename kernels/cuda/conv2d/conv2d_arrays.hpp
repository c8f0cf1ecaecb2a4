// Images, weights and results of a convolution in device memory, for every variant on a GPU.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/cuda/variant.hpp"
#include "kernels/reference/conv2d/problem.hpp"

namespace kernsweep::cuda {

// As given, or for nhwc with the channels of an image innermost (o h w i), so that a sum over an image
// reads adjacent weights.
enum class WeightOrder { as_given, like_images };

// Failure: KS_UNSUPPORTED for a point with an epilogue, which none of the variants here computes.
void need_no_epilogue(const conv2d::Problem& problem);

// o i h w -> o h w i, elements of any type.
std::vector<std::byte> weights_channels_last(const conv2d::Problem& problem, const void* weights);

// The inputs copied to the device, and memory for the result on both sides. Reordering is not timed.
class Conv2dArrays : public DeviceWork {
 public:
  using Problem = conv2d::Problem;
  Conv2dArrays(const conv2d::Problem& given, WeightOrder order, pack::Setup& setup);  // throws Failure

  // Copies the result to the host.
  ks_tensor output() const;
  TimedStream& queue() { return stream; }

 protected:
  conv2d::Problem problem;
  DeviceMemory images, weights, results;
  void* result;
  TimedStream stream;
};

}  // namespace kernsweep::cuda
