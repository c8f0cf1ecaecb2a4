// Elements of a convolution in the form in which kernels store them. Sums of floats are f32, those of whole
// numbers s32, which is also their stored type.
#pragma once

#include <cstdint>

#include "kernels/cuda/element_types.hpp"

namespace kernsweep::cuda {

template <class T>
struct Conv2dElement {
  using Sum = float;
  using Result = T;
};
template <>
struct Conv2dElement<std::int8_t> {
  using Sum = std::int32_t;
  using Result = std::int32_t;
};

// Rounds to the nearest value, ties to even.
KERNSWEEP_HOST_DEVICE inline void store_sum(float sum, float& to) {
  to = sum;
}
KERNSWEEP_HOST_DEVICE inline void store_sum(std::int32_t sum, std::int32_t& to) {
  to = sum;
}
KERNSWEEP_HOST_DEVICE inline void store_sum(float sum, F16& to) {
  to.bits = f16_bits_of(sum);
}
KERNSWEEP_HOST_DEVICE inline void store_sum(float sum, Bf16& to) {
  to.bits = bf16_bits_of(sum);
}

}  // namespace kernsweep::cuda
