// The computation of one element of the result by one thread of conv2d_direct.cu, and its arguments.
#pragma once

#include <cstdint>

#include "kernels/cuda/conv2d/conv2d_elements.hpp"

namespace kernsweep::cuda {

// Distances in elements. Same as conv2d::ImageStrides, whose header is for the host only.
struct Conv2dStrides {
  std::int64_t n, c, h, w;
};

// Dense arrays in device memory: images and results in the point's layout, weights o i h w.
struct Conv2dArguments {
  const void* images;
  const void* weights;
  void* results;
  std::int64_t count;  // elements of the result
  std::int64_t h, w, kh, kw, h_out, w_out;
  std::int64_t stride, padding, dilation;
  std::int64_t c_out, group_in, group_out;  // channels of the whole result and of one group
  Conv2dStrides from;                       // strides of the images
  bool channels_last;
};

// Returns index mod extent, and divides index by extent. In 32 bits if possible, which is faster.
KERNSWEEP_HOST_DEVICE inline std::int64_t split_off(std::int64_t& index, std::int64_t extent) {
  std::int64_t rest = 0;
  if (((index | extent) >> 32) == 0) {
    const auto low = static_cast<std::uint32_t>(index);
    const auto by = static_cast<std::uint32_t>(extent);
    rest = low % by;
    index = low / by;
  } else {
    rest = index % extent;
    index /= extent;
  }
  return rest;
}

// Element `index` in the memory order of the result, so neighbouring threads store adjacent elements.
template <class T>
KERNSWEEP_HOST_DEVICE void convolve_element(const Conv2dArguments& a, std::int64_t index) {
  using Sum = typename Conv2dElement<T>::Sum;
  std::int64_t n = index, o = 0;
  if (a.channels_last) o = split_off(n, a.c_out);
  const std::int64_t j = split_off(n, a.w_out);
  const std::int64_t i = split_off(n, a.h_out);
  if (!a.channels_last) o = split_off(n, a.c_out);
  std::int64_t group = o;
  split_off(group, a.group_out);

  const T* image = static_cast<const T*>(a.images) + n * a.from.n + group * a.group_in * a.from.c;
  const T* weight = static_cast<const T*>(a.weights) + o * a.group_in * a.kh * a.kw;
  const std::int64_t top = i * a.stride - a.padding;
  const std::int64_t left = j * a.stride - a.padding;
  Sum sum = 0;
  for (std::int64_t c = 0; c < a.group_in; ++c, image += a.from.c) {
    for (std::int64_t r = 0; r < a.kh; ++r, weight += a.kw) {
      const std::int64_t y = top + r * a.dilation;
      if (y < 0 || y >= a.h) continue;
      for (std::int64_t s = 0; s < a.kw; ++s) {
        const std::int64_t x = left + s * a.dilation;
        if (x >= 0 && x < a.w) sum += widened(weight[s]) * widened(image[y * a.from.h + x * a.from.w]);
      }
    }
  }
  store_sum(sum, static_cast<typename Conv2dElement<T>::Result*>(a.results)[index]);
}

}  // namespace kernsweep::cuda
