#include "kernels/cuda/conv2d/conv2d_arrays.hpp"

#include <cstring>

#include "kernels/cpu/libraries/params.hpp"

namespace kernsweep::cuda {
namespace {

std::size_t bytes_of(std::int64_t elements, Dtype dtype) {
  return static_cast<std::size_t>(elements) * size_of(dtype);
}

}  // namespace

void need_no_epilogue(const conv2d::Problem& problem) {
  if (!problem.epilogue.is_none())
    throw Failure(KS_UNSUPPORTED, "the convolutions for GPUs have no epilogue; take epilogue none");
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

Conv2dArrays::Conv2dArrays(const conv2d::Problem& given, WeightOrder order, pack::Setup& setup)
    : problem(given),
      images(bytes_of(problem.input_elements(), problem.dtype), memory),
      weights(bytes_of(problem.weight_elements(), problem.dtype), memory),
      results(bytes_of(problem.output_elements(), problem.output_dtype()), memory),
      result(setup.allocate<std::byte>(results.bytes()).data()) {
  std::vector<std::byte> ordered;
  const void* on_host = setup.tensor(1).data;
  if (order == WeightOrder::like_images && problem.channels_last) {
    ordered = weights_channels_last(problem, on_host);
    on_host = ordered.data();
  }
  copy_to_device(images.address(), setup.tensor(0).data, images.bytes(), stream);
  copy_to_device(weights.address(), on_host, weights.bytes(), stream);
  stream.synchronize();
}

ks_tensor Conv2dArrays::output() const {
  copy_to_host(result, results.address(), results.bytes(), stream);
  stream.synchronize();
  return problem.shown_result(result, ks_dtype_of(problem.output_dtype()));
}

}  // namespace kernsweep::cuda
