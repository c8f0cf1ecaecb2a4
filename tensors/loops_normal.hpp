// Normal floats by the method of Box and Muller ("A note on the generation of random normal deviates",
// 1958): two elements are the coordinates of a point whose direction is uniform and whose distance is
// sqrt(-2 ln u).
//
// Why this method: it needs no table and no branch, and never draws an element again, so it vectorises on
// every processor. Its logarithm, sine and cosine are our own polynomials, because the last bits of libm
// differ between versions and hosts. Each interpolates its function at the Chebyshev points of its interval
// (relative errors of at most 2e-7 for f32, 1e-13 for f64 and, from 16 bits, 2e-5: too small to be visible
// in a sample). Nothing is fused; a GPU gets the same bits from the same operations. Internal, see
// loops_body.hpp.
#pragma once

#include "tensors/loops_words.hpp"

namespace kernsweep {
namespace {

// c[0] + c[1] x + ..., by Estrin's scheme: pairs of terms, then pairs of pairs. The chain of operations is
// half as long as Horner's.
template <class Float, std::size_t n>
[[gnu::always_inline]] inline Float polynomial(Float x, const Float (&c)[n]) {
  static_assert(n == 3 || n == 4 || n == 6 || n == 8);
  const Float x2 = x * x;
  if constexpr (n == 3) {
    return (c[0] + c[1] * x) + c[2] * x2;
  } else {
    const Float low = (c[0] + c[1] * x) + (c[2] + c[3] * x) * x2;
    if constexpr (n == 4) return low;
    const Float x4 = x2 * x2;
    if constexpr (n == 6) return low + (c[n - 2] + c[n - 1] * x) * x4;
    return low + ((c[n - 4] + c[n - 3] * x) + (c[n - 2] + c[n - 1] * x) * x2) * x4;
  }
}

// sin(f * pi / 2) / f and cos(f * pi / 2) in f^2, |f| <= 1/2.
constexpr float kSine16[3] = {1.57079407e+0f, -6.45801529e-1f, 7.79537937e-2f};
constexpr float kCosine16[3] = {9.9998998e-1f, -1.23297865e+0f, 2.45941982e-1f};
constexpr float kSine32[4] = {1.57079632e+0f, -6.45963478e-1f, 7.96802176e-2f, -4.60214921e-3f};
constexpr float kCosine32[4] = {9.99999972e-1f, -1.23369701e+0f, 2.53598571e-1f, -2.04081584e-2f};
constexpr double kSine64[6] = {0x1.921fb54442cfap+0,  -0x1.4abbce6257a2ap-1, 0x1.466bc67123fa1p-4,
                               -0x1.32d2c644adc0bp-8, 0x1.5071ce4b47930p-13, -0x1.dd54805f3f706p-19};
constexpr double kCosine64[6] = {0x1.ffffffffffe0bp-1,  -0x1.3bd3cc9bd2c35p+0, 0x1.03c1f074ded21p-2,
                                 -0x1.55d3ba300cd50p-6, 0x1.e1e7ccccb387ap-11, -0x1.a0ee132c60c1fp-16};

// -2 ln(1 + t) / t, sqrt(1/2) <= 1 + t < sqrt(2).
constexpr float kLog16[6] = {-2.00000748e+0f, 9.99789605e-1f,  -6.65318116e-1f,
                             5.08667127e-1f,  -4.39314170e-1f, 2.80432466e-1f};
constexpr float kLog32[8] = {-1.99999994e+0f, 1.00000750e+0f, -6.66692120e-1f, 4.99378139e-1f,
                             -3.98266958e-1f, 3.45564121e-1f, -3.22524958e-1f, 1.97907015e-1f};
// -4 artanh(s) / s in s^2, with s = (m - 1) / (m + 1) in the same interval of m: -2 ln m = -4 artanh(s).
constexpr double kArtanh64[6] = {-0x1.fffffffffff12p+1, -0x1.555555567148cp+0, -0x1.9999962c06032p-1,
                                 -0x1.2494381ee5869p-1, -0x1.c620ee6e2b4a3p-2, -0x1.9192e478c4308p-2};

// -2 ln(x / 2^scale) for a normal x in (0, 2^scale]: x = 2^e * m with m in [sqrt(1/2), sqrt(2)). Never
// below 0, because m is at most 1 if e = scale.
template <std::size_t n>
[[gnu::always_inline]] inline float minus_two_log(float x, std::int32_t scale, const float (&log)[n]) {
  constexpr std::uint32_t kSqrtHalf = 0x3f3504f3u;
  constexpr std::uint32_t kOne = 0x3f800000u;
  const std::uint32_t shifted = bits_of(x) + (kOne - kSqrtHalf);
  const std::int32_t halvings = scale + 127 - static_cast<std::int32_t>(shifted >> 23);
  const float t = float_of_bits((shifted & 0x007fffffu) + kSqrtHalf) - 1.0f;
  return static_cast<float>(halvings) * 0x1.62e430p+0f + t * polynomial(t, log);
}

[[gnu::always_inline]] inline double minus_two_log(double x, double scale) {
  constexpr std::uint64_t kSqrtHalf = 0x3fe6a09e667f3bcdu;
  constexpr std::uint64_t kOne = 0x3ff0000000000000u;
  const std::uint64_t shifted = bits_of(x) + (kOne - kSqrtHalf);
  // The biased exponent as a double: the fraction of a double of 2^52.
  const double exponent = double_of_bits(0x4330000000000000u | shifted >> 52) - 0x1p52;
  const double m = double_of_bits((shifted & 0x000fffffffffffffu) + kSqrtHalf);
  const double s = (m - 1.0) / (m + 1.0);
  return (scale + 1023.0 - exponent) * 0x1.62e42fefa39efp+0 + s * polynomial(s * s, kArtanh64);
}

template <class Float>
struct Two {
  Float first, second;
};

// The point at the angle f * pi / 2, |f| <= 1/2, mirrored (`mirror`: the sign bit of the number or 0) and
// turned by a quarter (`turn`).
template <class Float, class Bits, std::size_t n>
[[gnu::always_inline]] inline Two<Float> point_at(Float f, Bits mirror, bool turn, Float radius, Float mean,
                                                  const Float (&sine)[n], const Float (&cosine)[n]) {
  const Float square = f * f;
  const Float up = f * polynomial(square, sine);
  const Float right = __builtin_bit_cast(Float, bits_of(polynomial(square, cosine)) ^ mirror);
  return {mean + radius * (turn ? up : right), mean + radius * (turn ? right : up)};
}

void normal_of_half(const std::uint32_t* __restrict words, std::size_t count, NormalShape<float> shape,
                    float* __restrict out) {
  for (std::size_t i = 0; i < count / 2; ++i) {
    const std::uint32_t word = words[i];
    const float x = static_cast<float>(static_cast<std::int32_t>(word >> 14)) + 0.5f;
    const float radius = shape.deviation * __builtin_sqrtf(minus_two_log(x, 18, kLog16));
    const auto angle = static_cast<std::int32_t>((word << 18 & 0xfff00000u) | 0x00080000u);
    const auto [first, second] = point_at(static_cast<float>(angle) * 0x1p-32f, (word & 2u) << 30,
                                          (word & 1u) != 0, radius, shape.mean, kSine16, kCosine16);
    out[2 * i] = first;
    out[2 * i + 1] = second;
  }
}

void normal_of_word(const std::uint32_t* __restrict words, std::size_t count, NormalShape<float> shape,
                    float* __restrict out) {
  for (std::size_t i = 0; i < count / 2; ++i) {
    const std::uint32_t turned = words[2 * i + 1];
    const float x = static_cast<float>(static_cast<std::int32_t>(words[2 * i] >> 1)) + 0.5f;
    const float radius = shape.deviation * __builtin_sqrtf(minus_two_log(x, 31, kLog32));
    const auto angle = static_cast<std::int32_t>(turned & ~3u);
    const auto [first, second] = point_at(static_cast<float>(angle) * 0x1p-32f, (turned & 2u) << 30,
                                          (turned & 1u) != 0, radius, shape.mean, kSine32, kCosine32);
    out[2 * i] = first;
    out[2 * i + 1] = second;
  }
}

void normal_of_pair(const std::uint32_t* __restrict words, std::size_t count, NormalShape<double> shape,
                    double* __restrict out) {
  const Pair* __restrict pairs = pairs_of(words);
  for (std::size_t i = 0; i < count / 2; ++i) {
    const std::uint64_t turned = pairs[2 * i + 1];
    const double x = (double_of_bits(0x4330000000000000u | pairs[2 * i] >> 12) - 0x1p52) + 0.5;
    const double radius = shape.deviation * __builtin_sqrt(minus_two_log(x, 52.0));
    const auto [first, second] = point_at(unit_of(turned >> 12) - 0.5, (turned & 2u) << 62,
                                          (turned & 1u) != 0, radius, shape.mean, kSine64, kCosine64);
    out[2 * i] = first;
    out[2 * i + 1] = second;
  }
}

}  // namespace
}  // namespace kernsweep
