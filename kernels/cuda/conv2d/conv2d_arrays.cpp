#include "kernels/cuda/conv2d/conv2d_arrays.hpp"

#include <cstring>

namespace kernsweep::cuda {
namespace {

std::size_t bytes_of(std::int64_t elements, Dtype dtype) {
  return static_cast<std::size_t>(elements) * size_of(dtype);
}

}  // namespace

ks_status read_without_epilogue(const ks_params* params, conv2d::Problem& problem, ks_why why) {
  if (const ks_status status = conv2d::read_problem(params, problem, why); status != KS_OK) return status;
  if (problem.epilogue.is_none()) return KS_OK;
  return refuse(KS_UNSUPPORTED, why, "the convolutions for GPUs have no epilogue; take epilogue none");
}

std::vector<std::byte> weights_channels_last(const conv2d::Problem& problem, const void* weights) {
  const std::size_t size = size_of(problem.dtype);
  std::vector<std::byte> ordered(bytes_of(problem.weight_elements(), problem.dtype));
  const auto* from = static_cast<const std::byte*>(weights);
  const std::int64_t area = problem.kh * problem.kw;
  const std::int64_t channels = problem.group_in();
  for (std::int64_t o = 0; o < problem.c_out; ++o)
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t k = 0; k < area; ++k, from += size)
        std::memcpy(ordered.data() + bytes_of((o * area + k) * channels + c, problem.dtype), from, size);
  return ordered;
}

Conv2dArrays::Conv2dArrays(const ks_params* params, const ks_context& context, const ks_tensor* inputs,
                           WeightOrder (*order_of)(const conv2d::Problem&))
    : problem(read_checked(conv2d::read_problem, params)),
      images(bytes_of(problem.input_elements(), problem.dtype), memory),
      weights(bytes_of(problem.weight_elements(), problem.dtype), memory),
      results(bytes_of(problem.output_elements(), problem.output_dtype()), memory),
      result(host_memory(context, results.bytes())) {
  std::vector<std::byte> ordered;
  const void* given = inputs[1].data;
  if (order_of(problem) == WeightOrder::channels_last) {
    ordered = weights_channels_last(problem, given);
    given = ordered.data();
  }
  copy_to_device(images.address(), inputs[0].data, images.bytes(), stream);
  copy_to_device(weights.address(), given, weights.bytes(), stream);
  stream.synchronize();
}

void Conv2dArrays::output(ks_tensor& out) {
  copy_to_host(result, results.address(), results.bytes(), stream);
  stream.synchronize();
  conv2d::view_output(problem, result, ks_dtype_of(problem.output_dtype()), out);
}

}  // namespace kernsweep::cuda
