// Elements of a convolution as kernels load, add and store them. Sums of floats are kept in f32, those of
// whole numbers in s32.
#pragma once

#include <cstdint>

#include "kernels/cuda/host_device.hpp"
#if !defined(__CUDA_ARCH__)
#include "shared/tensors/dtype.hpp"
#endif

namespace kernsweep::cuda {

struct Conv2dF16 {
  std::uint16_t bits;
};
struct Conv2dBf16 {
  std::uint16_t bits;
};

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

KERNSWEEP_HOST_DEVICE inline float widened(float value) {
  return value;
}

KERNSWEEP_HOST_DEVICE inline std::int32_t widened(std::int8_t value) {
  return value;
}

KERNSWEEP_HOST_DEVICE inline float widened(Conv2dF16 value) {
#if defined(__CUDA_ARCH__)
  float wide;
  asm("cvt.f32.f16 %0, %1;" : "=f"(wide) : "h"(value.bits));
  return wide;
#else
  return float_of_f16(value.bits);
#endif
}

KERNSWEEP_HOST_DEVICE inline float widened(Conv2dBf16 value) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(static_cast<unsigned>(value.bits) << 16);
#else
  return float_of_bf16(value.bits);
#endif
}

// To the nearest, ties to even.
KERNSWEEP_HOST_DEVICE inline void store_sum(float sum, float& to) {
  to = sum;
}

KERNSWEEP_HOST_DEVICE inline void store_sum(std::int32_t sum, std::int32_t& to) {
  to = sum;
}

KERNSWEEP_HOST_DEVICE inline void store_sum(float sum, Conv2dF16& to) {
#if defined(__CUDA_ARCH__)
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to.bits) : "f"(sum));
#else
  to.bits = f16_of(sum);
#endif
}

KERNSWEEP_HOST_DEVICE inline void store_sum(float sum, Conv2dBf16& to) {
#if defined(__CUDA_ARCH__)
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(to.bits) : "f"(sum));
#else
  to.bits = bf16_of(sum);
#endif
}

}  // namespace kernsweep::cuda
