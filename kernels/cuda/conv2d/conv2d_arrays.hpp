// Images, weights and results of a convolution in device memory, for every variant on a GPU.
#pragma once

#include <cstddef>
#include <vector>

#include "kernels/cuda/entries.hpp"
#include "kernels/reference/conv2d/problem.hpp"

namespace kernsweep::cuda {

// As given, or with the channels of an image innermost (o h w i), so that a sum over an nhwc image reads
// adjacent weights.
enum class WeightOrder { as_given, channels_last };

// Reads a point. KS_UNSUPPORTED for one with an epilogue, which none of the variants here computes.
ks_status read_without_epilogue(const ks_params* params, conv2d::Problem& problem, ks_why why);

// o i h w -> o h w i, elements of any type.
std::vector<std::byte> weights_channels_last(const conv2d::Problem& problem, const void* weights);

// The inputs copied to the device, and memory for the result on both sides. Reordering is not timed.
class Conv2dArrays : public DeviceWork {
 public:
  Conv2dArrays(const ks_params* params, const ks_context& context, const ks_tensor* inputs,
               WeightOrder (*order_of)(const conv2d::Problem&));

  // Copies the result to the host and sets a view of it.
  void output(ks_tensor& out);
  TimedStream& queue() { return stream; }

 protected:
  conv2d::Problem problem;
  DeviceMemory images, weights, results;
  void* result = nullptr;
  TimedStream stream;
};

}  // namespace kernsweep::cuda
