// Element types of tensors: numbers, names, sizes and exact conversions.
//
// The numbers are those of ks_dtype in the pack interface; a test compares the two, because neither room
// may include the other. Header only and without dependencies, so that packs may include it. Every
// conversion rounds to nearest, ties to even, and keeps signed zeros, infinities, denormals and NaN (a NaN
// stays a NaN of the same sign, made quiet). A number that is too large becomes infinity, or the largest
// number in f8e4m3, which has no infinity. Nothing depends on the processor's rounding mode or f16
// hardware.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace kernsweep {

enum class Dtype : std::int32_t {
  f64 = 1,
  f32 = 2,
  bf16 = 3,
  f16 = 4,
  s8 = 5,
  u8 = 6,
  s32 = 7,
  s64 = 8,
  f8e4m3 = 9,
  f8e5m2 = 10
};

inline constexpr Dtype kAllDtypes[] = {Dtype::f64, Dtype::f32, Dtype::bf16, Dtype::f16,    Dtype::s8,
                                       Dtype::u8,  Dtype::s32, Dtype::s64,  Dtype::f8e4m3, Dtype::f8e5m2};

// The name in sweep files: "f64", "bf16", ...; "unknown" for a number that is not a Dtype.
constexpr std::string_view name_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
      return "f64";
    case Dtype::f32:
      return "f32";
    case Dtype::bf16:
      return "bf16";
    case Dtype::f16:
      return "f16";
    case Dtype::s8:
      return "s8";
    case Dtype::u8:
      return "u8";
    case Dtype::s32:
      return "s32";
    case Dtype::s64:
      return "s64";
    case Dtype::f8e4m3:
      return "f8e4m3";
    case Dtype::f8e5m2:
      return "f8e5m2";
  }
  return "unknown";
}

constexpr std::optional<Dtype> dtype_named(std::string_view name) {
  for (const Dtype dtype : kAllDtypes)
    if (name_of(dtype) == name) return dtype;
  return std::nullopt;
}

// The Dtype with this number (of ks_dtype, of a message); nothing when there is none.
constexpr std::optional<Dtype> dtype_numbered(std::int64_t number) {
  if (number < 1 || number > 10) return std::nullopt;
  return static_cast<Dtype>(number);
}

// Bytes per element; 0 for a number that is not a Dtype.
constexpr std::size_t size_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f64:
    case Dtype::s64:
      return 8;
    case Dtype::f32:
    case Dtype::s32:
      return 4;
    case Dtype::bf16:
    case Dtype::f16:
      return 2;
    case Dtype::s8:
    case Dtype::u8:
    case Dtype::f8e4m3:
    case Dtype::f8e5m2:
      return 1;
  }
  return 0;
}

constexpr bool is_8bit_float(Dtype dtype) {
  return dtype == Dtype::f8e4m3 || dtype == Dtype::f8e5m2;
}

constexpr bool is_float(Dtype dtype) {
  return dtype == Dtype::f64 || dtype == Dtype::f32 || dtype == Dtype::bf16 || dtype == Dtype::f16 ||
         is_8bit_float(dtype);
}

// bfloat16: the upper half of an f32. 8 bits of exponent, 7 of fraction.
constexpr float float_of_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

constexpr std::uint16_t bf16_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const std::uint32_t quiet = (bits >> 16) | 0x40u;  // rounding could carry a NaN into infinity
  return static_cast<std::uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
}

// IEEE 754 binary16: 5 bits of exponent (bias 15), 10 of fraction; denormals are multiples of 2^-24.
constexpr float float_of_f16(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 31u;
  const std::uint32_t fraction = bits & 0x3ffu;
  if (exponent == 31) {
    const std::uint32_t quiet = fraction == 0 ? 0u : 0x400000u;
    return std::bit_cast<float>(sign | 0x7f800000u | quiet | fraction << 13);
  }
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;  // exact
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | (exponent + 112u) << 23 | fraction << 13);
}

// Computes all cases and selects one without a branch, so that loops over it vectorise.
constexpr std::uint16_t f16_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000u;
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t nan = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
  // 2^-14 and larger; a carry out of the fraction raises the exponent.
  const std::uint32_t normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
  // Below 2^-14, f16 numbers are 2^-24 apart, as f32 numbers from 1/2 to 1 are: adding 1/2 rounds to them.
  const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
  const std::uint32_t denormal = std::bit_cast<std::uint32_t>(shifted) - std::bit_cast<std::uint32_t>(0.5f);
  std::uint32_t finite = magnitude < 0x38800000u ? denormal : normal;
  finite = magnitude >= 0x477ff000u ? 0x7c00u : finite;  // 65520 and more: infinity
  return static_cast<std::uint16_t>(sign | (magnitude > 0x7f800000u ? nan : finite));
}

namespace detail {
// The code of a magnitude (the bits of an f32 without its sign, not NaN) in a format with kFraction bits of
// fraction whose smallest normal number is 2^kLeast. The exponent has no upper bound here. Method: f16_of.
template <int kFraction, int kLeast>
constexpr std::uint32_t code_of(std::uint32_t magnitude) {
  constexpr std::uint32_t kCut = 23 - kFraction;
  constexpr std::uint32_t kRebias = std::uint32_t{126 + kLeast} << 23;
  const std::uint32_t normal =
      (magnitude + (1u << (kCut - 1)) - 1u + ((magnitude >> kCut) & 1u) - kRebias) >> kCut;
  // The power of two from which on f32 numbers are as far apart as the denormals of the format.
  constexpr std::uint32_t kOffset = std::uint32_t{150 + kLeast - kFraction} << 23;
  const float shifted = std::bit_cast<float>(magnitude) + std::bit_cast<float>(kOffset);
  const std::uint32_t denormal = std::bit_cast<std::uint32_t>(shifted) - kOffset;
  return magnitude < std::uint32_t{127 + kLeast} << 23 ? denormal : normal;
}
}  // namespace detail

// OCP E4M3: 4 bits of exponent (bias 7), 3 of fraction; denormals are multiples of 2^-9. No infinity;
// S.1111.111 is NaN, so 448 is the largest number.
constexpr float float_of_f8e4m3(std::uint8_t bits) {
  const std::uint32_t sign = (bits & 0x80u) << 24;
  const std::uint32_t code = bits & 0x7fu;
  if (code == 0x7f) return std::bit_cast<float>(sign | 0x7fc00000u);
  if (code < 8) {
    const float magnitude = static_cast<float>(code) * 0x1p-9f;  // exact
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((code << 20) + (120u << 23)));
}

// Saturates: infinity, and a number that rounds to more than 448, becomes 448. So does __NV_SATFINITE of
// CUDA ("CUDA Math API", __nv_fp8_e4m3), its instruction cvt.rn.satfinite, and PyTorch since 2.12
// (pytorch/pytorch#178817). The specification allows NaN as well ("OCP 8-bit Floating Point Specification",
// 1.0, 2023, section 5.2).
constexpr std::uint8_t f8e4m3_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t code = detail::code_of<3, -6>(magnitude);
  const std::uint32_t finite = code > 0x7eu ? 0x7eu : code;
  return static_cast<std::uint8_t>((bits >> 24 & 0x80u) | (magnitude > 0x7f800000u ? 0x7fu : finite));
}

// OCP E5M2: the upper half of an f16. 5 bits of exponent (bias 15), 2 of fraction; denormals are multiples
// of 2^-16, the largest number is 57344.
constexpr float float_of_f8e5m2(std::uint8_t bits) {
  return float_of_f16(static_cast<std::uint16_t>(bits << 8));
}

// 61440 and more becomes infinity: the rule of IEEE 754, and PyTorch's for this type (__NV_NOSAT of CUDA;
// its __NV_SATFINITE would give 57344).
constexpr std::uint8_t f8e5m2_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  const std::uint32_t code = detail::code_of<2, -14>(magnitude);
  const std::uint32_t finite = code > 0x7cu ? 0x7cu : code;
  const std::uint32_t nan = 0x7eu | (magnitude >> 21 & 1u);
  return static_cast<std::uint8_t>((bits >> 24 & 0x80u) | (magnitude > 0x7f800000u ? nan : finite));
}

// The f32 next to `value` whose last bit is odd, or `value` itself when it is an f32: rounding that to a
// shorter format gives what rounding `value` at once would give (Boldo and Melquiond 2008), so f64 -> bf16
// is exact too.
constexpr float float_rounded_to_odd(double value) {
  if (value != value) return static_cast<float>(value);
  // Beyond the range of f32 the conversion would be undefined; the odd neighbour there is the largest f32.
  constexpr double kMax = 0x1.fffffep127;
  if (value > kMax || value < -kMax) {
    const bool infinite = value - value != 0.0;
    const std::uint32_t sign = value < 0 ? 0x80000000u : 0u;
    return std::bit_cast<float>(sign | (infinite ? 0x7f800000u : 0x7f7fffffu));
  }
  const float nearest = static_cast<float>(value);
  const auto bits = std::bit_cast<std::uint32_t>(nearest);
  const double back = nearest;
  if (back == value || (bits & 1u) != 0) return nearest;
  const bool too_large = (back < 0 ? -back : back) > (value < 0 ? -value : value);
  return std::bit_cast<float>(too_large ? bits - 1u : bits + 1u);
}

constexpr std::uint16_t bf16_of(double value) {
  return bf16_of(float_rounded_to_odd(value));
}
constexpr std::uint16_t f16_of(double value) {
  return f16_of(float_rounded_to_odd(value));
}
constexpr std::uint8_t f8e4m3_of(double value) {
  return f8e4m3_of(float_rounded_to_odd(value));
}
constexpr std::uint8_t f8e5m2_of(double value) {
  return f8e5m2_of(float_rounded_to_odd(value));
}

namespace detail {
template <class T>
T element_at(const void* data, std::int64_t index) {
  T element;
  std::memcpy(&element, static_cast<const std::byte*>(data) + index * static_cast<std::int64_t>(sizeof(T)),
              sizeof(T));
  return element;
}
}  // namespace detail

// Element `index` of a dense array. Exact, except for s64 beyond 2^53, which rounds. `data` need not be
// aligned.
inline double element_as_double(Dtype dtype, const void* data, std::int64_t index) {
  switch (dtype) {
    case Dtype::f64:
      return detail::element_at<double>(data, index);
    case Dtype::f32:
      return static_cast<double>(detail::element_at<float>(data, index));
    case Dtype::bf16:
      return static_cast<double>(float_of_bf16(detail::element_at<std::uint16_t>(data, index)));
    case Dtype::f16:
      return static_cast<double>(float_of_f16(detail::element_at<std::uint16_t>(data, index)));
    case Dtype::s8:
      return detail::element_at<std::int8_t>(data, index);
    case Dtype::u8:
      return detail::element_at<std::uint8_t>(data, index);
    case Dtype::s32:
      return detail::element_at<std::int32_t>(data, index);
    case Dtype::s64:
      return static_cast<double>(detail::element_at<std::int64_t>(data, index));
    case Dtype::f8e4m3:
      return static_cast<double>(float_of_f8e4m3(detail::element_at<std::uint8_t>(data, index)));
    case Dtype::f8e5m2:
      return static_cast<double>(float_of_f8e5m2(detail::element_at<std::uint8_t>(data, index)));
  }
  return 0.0;
}

}  // namespace kernsweep
