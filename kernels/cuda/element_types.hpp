// Elements of short types for kernels: the bits with a type, the conversion to the type of the sums, and
// back. For host and GPU; the arithmetic is that of dtype.hpp, except f16 on the GPU, which uses its own
// instructions with the same results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernels/cuda/host_device.hpp"
#include "shared/base/dtype.hpp"

namespace kernsweep::cuda {

struct Bf16 {
  std::uint16_t bits;
};
struct F16 {
  std::uint16_t bits;
};
struct F8E4M3 {
  std::uint8_t bits;
};
struct F8E5M2 {
  std::uint8_t bits;
};

KERNSWEEP_HOST_DEVICE inline float f32_of_half_bits(std::uint16_t bits) {
#if defined(__CUDA_ARCH__)
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
  return value;
#else
  return float_of_f16(bits);
#endif
}

// Converts an element to the type of its sums, which is at least as wide.
KERNSWEEP_HOST_DEVICE inline double widened(double value) {
  return value;
}
KERNSWEEP_HOST_DEVICE inline float widened(float value) {
  return value;
}
KERNSWEEP_HOST_DEVICE inline float widened(Bf16 value) {
  return float_of_bf16(value.bits);
}
KERNSWEEP_HOST_DEVICE inline float widened(F16 value) {
  return f32_of_half_bits(value.bits);
}
KERNSWEEP_HOST_DEVICE inline float widened(F8E4M3 value) {
  return float_of_f8e4m3(value.bits);
}
KERNSWEEP_HOST_DEVICE inline float widened(F8E5M2 value) {
  return f32_of_half_bits(static_cast<std::uint16_t>(value.bits << 8));
}
KERNSWEEP_HOST_DEVICE inline std::int32_t widened(std::int8_t value) {
  return value;
}

template <class T>
using Sum = decltype(widened(T{}));

KERNSWEEP_HOST_DEVICE inline std::uint16_t bf16_bits_of(float value) {
#if defined(__CUDA_ARCH__)
  std::uint16_t bits;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
#else
  return bf16_of(value);
#endif
}

KERNSWEEP_HOST_DEVICE inline std::uint16_t f16_bits_of(float value) {
#if defined(__CUDA_ARCH__)
  std::uint16_t bits;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
  return bits;
#else
  return f16_of(value);
#endif
}

// Two adjacent results, written at once.
template <class T>
struct alignas(2 * sizeof(T)) Pair {
  T first, second;
};

// result[at] and result[at + 1], rounded to the type of the results. Requires that at is even.
KERNSWEEP_HOST_DEVICE inline void store_pair(void* result, std::int64_t at, Dtype type, float first,
                                             float second) {
  if (type == Dtype::bf16) {
    static_cast<Pair<std::uint16_t>*>(result)[at / 2] = {bf16_bits_of(first), bf16_bits_of(second)};
  } else if (type == Dtype::f16) {
    static_cast<Pair<std::uint16_t>*>(result)[at / 2] = {f16_bits_of(first), f16_bits_of(second)};
  } else {
    static_cast<Pair<float>*>(result)[at / 2] = {first, second};
  }
}
KERNSWEEP_HOST_DEVICE inline void store_pair(void* result, std::int64_t at, Dtype, std::int32_t first,
                                             std::int32_t second) {
  static_cast<Pair<std::int32_t>*>(result)[at / 2] = {first, second};
}

// result[at] = value, rounded to the type of the results.
KERNSWEEP_HOST_DEVICE inline void store(void* result, std::int64_t at, Dtype type, float value) {
  if (type == Dtype::bf16) {
    static_cast<std::uint16_t*>(result)[at] = bf16_bits_of(value);
  } else if (type == Dtype::f16) {
    static_cast<std::uint16_t*>(result)[at] = f16_bits_of(value);
  } else {
    static_cast<float*>(result)[at] = value;
  }
}
KERNSWEEP_HOST_DEVICE inline void store(void* result, std::int64_t at, Dtype, double value) {
  static_cast<double*>(result)[at] = value;
}
KERNSWEEP_HOST_DEVICE inline void store(void* result, std::int64_t at, Dtype, std::int32_t value) {
  static_cast<std::int32_t*>(result)[at] = value;
}

}  // namespace kernsweep::cuda
