#include "kernels/cpu/conv2d/epilogue_pass.hpp"

namespace kernsweep::conv2d {
namespace {

// results[j] = relu(results[j] + bias[j]) for `count` neighbours; without relu, or without bias (null).
void finish_neighbours(float* results, const float* bias, std::int64_t count, bool relu) {
  if (bias != nullptr)
    for (std::int64_t j = 0; j < count; ++j) results[j] += bias[j];
  if (relu)
    for (std::int64_t j = 0; j < count; ++j) results[j] = results[j] < 0 ? 0 : results[j];
}

// The same with one number for all of them.
void finish_channel(float* results, float bias, std::int64_t count, bool relu) {
  if (!relu) {
    for (std::int64_t j = 0; j < count; ++j) results[j] += bias;
    return;
  }
  for (std::int64_t j = 0; j < count; ++j) {
    const float sum = results[j] + bias;
    results[j] = sum < 0 ? 0 : sum;
  }
}

}  // namespace

void finish_convolution(const Problem& p, const float* bias, float* y, Team& team) {
  if (p.epilogue.is_none()) return;
  const bool relu = p.epilogue.activation == Activation::relu;
  if (p.channels_last)
    on_each(team, p.batch * p.h_out, [&, bias](std::int64_t row) {
      for (std::int64_t pixel = row * p.w_out; pixel < (row + 1) * p.w_out; ++pixel)
        finish_neighbours(y + pixel * p.c_out, bias, p.c_out, relu);
    });
  else
    on_each(team, p.batch * p.c_out, [&, bias](std::int64_t plane) {
      finish_channel(y + plane * p.pixels_out(), bias == nullptr ? 0 : bias[plane % p.c_out],
                     p.pixels_out(), relu);
    });
}

}  // namespace kernsweep::conv2d
