// What loops_plain.cpp, loops_avx2.cpp and loops_avx512.cpp share: the source of the loops.
//
// The normal quantile is algorithm AS 241, PPND16 (Wichura, "The percentage points of the normal
// distribution", Applied Statistics 37, 1988): rational functions, about 1e-16 relative. Box and Muller's
// method would need libm's log and cos, whose last bits differ between versions and hosts. The logarithm
// that AS 241 needs in its tails is written out below. A GPU gets the same bits by the same operations
// without contraction (-fmad=false). Internal: anonymous namespace, because each includer is compiled for
// other instructions.
#pragma once

#ifdef __FAST_MATH__
#error \
    "the bits of generated tensors would depend on the compiler: build shared/tensors without -ffast-math"
#endif

#include "shared/tensors/loops.hpp"

namespace kernsweep {
namespace {

double double_of_bits(std::uint64_t bits) {
  return __builtin_bit_cast(double, bits);
}
std::uint64_t bits_of(double value) {
  return __builtin_bit_cast(std::uint64_t, value);
}

// k / 2^52 for k < 2^52, exactly: as the fraction of a double in [1, 2), which vectorises where a cast does
// not.
double unit_of(std::uint64_t k) {
  return double_of_bits(0x3ff0000000000000u | k) - 1.0;
}

// The natural logarithm of a normal positive number: x = 2^e * m with m within [sqrt(1/2), sqrt(2)), and
// ln m = 2 artanh(s), s = (m - 1) / (m + 1), |s| < 0.172: the first term left out is below 1e-19.
[[gnu::always_inline]] inline double natural_log(double x) {
  constexpr std::uint64_t kSqrtHalf = 0x3fe6a09e667f3bcdu;
  constexpr std::uint64_t kOne = 0x3ff0000000000000u;
  const std::uint64_t shifted = bits_of(x) + (kOne - kSqrtHalf);
  // The biased exponent as a double, through the fraction of a double of 2^52.
  const double exponent = double_of_bits(0x4330000000000000u | shifted >> 52) - 0x1p52 - 1023.0;
  const double m = double_of_bits((shifted & 0x000fffffffffffffu) + kSqrtHalf);
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;
  double sum = 1.0 / 23.0;
  sum = sum * z + 1.0 / 21.0;
  sum = sum * z + 1.0 / 19.0;
  sum = sum * z + 1.0 / 17.0;
  sum = sum * z + 1.0 / 15.0;
  sum = sum * z + 1.0 / 13.0;
  sum = sum * z + 1.0 / 11.0;
  sum = sum * z + 1.0 / 9.0;
  sum = sum * z + 1.0 / 7.0;
  sum = sum * z + 1.0 / 5.0;
  sum = sum * z + 1.0 / 3.0;
  sum = sum * z + 1.0;
  return exponent * 0x1.62e42fefa39efp-1 + 2.0 * s * sum;
}

// Horner's scheme with the highest coefficient last, as AS 241 prints them.
[[gnu::always_inline]] inline double polynomial(double r, const double (&c)[8]) {
  return ((((((c[7] * r + c[6]) * r + c[5]) * r + c[4]) * r + c[3]) * r + c[2]) * r + c[1]) * r + c[0];
}

constexpr double kA[8] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                          1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                          3.3430575583588128105e4, 2.5090809287301226727e3};
constexpr double kB[8] = {1.0,
                          4.2313330701600911252e1,
                          6.8718700749205790830e2,
                          5.3941960214247511077e3,
                          2.1213794301586595867e4,
                          3.9307895800092710610e4,
                          2.8729085735721942674e4,
                          5.2264952788528545610e3};
constexpr double kC[8] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                          3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                          2.27238449892691845833e-2, 7.74545014278341407640e-4};
constexpr double kD[8] = {1.0,
                          2.05319162663775882187e0,
                          1.67638483018380384940e0,
                          6.89767334985100004550e-1,
                          1.48103976427480074590e-1,
                          1.51986665636164571966e-2,
                          5.47593808499534494600e-4,
                          1.05075007164441684324e-9};
constexpr double kE[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                          2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                          2.71155556874348757815e-5, 2.01033439929228813265e-7};
constexpr double kF[8] = {1.0,
                          5.99832206555887937690e-1,
                          1.36929880922735805310e-1,
                          1.48753612908506148525e-2,
                          7.86869131145613259100e-4,
                          1.84631831751005468180e-5,
                          1.42151175831644588870e-7,
                          2.04426310338993978564e-15};

double magnitude_of(double x) {
  return x < 0.0 ? -x : x;
}

// The quantile for min(p, 1 - p) >= e^-25; q = p - 1/2. Both of its regions are computed and one is taken,
// so that the loop has no branch.
[[gnu::always_inline]] inline double common_quantile(double q) {
  const double magnitude = magnitude_of(q);
  const bool central = magnitude <= 0.425;
  const double r0 = 0.180625 - q * q;
  const double r1 = __builtin_sqrt(-natural_log(0.5 - magnitude)) - 1.6;
  const double outer = polynomial(r1, kC);
  const double numerator = central ? q * polynomial(r0, kA) : q < 0.0 ? -outer : outer;
  return numerator / (central ? polynomial(r0, kB) : polynomial(r1, kD));
}

// The rest, about one element in 36 billion of a pair, none of a word.
constexpr double kRare = 0x1.e8a37a45fc32ep-37;  // e^-25, where AS 241 changes its formula
[[gnu::noinline, gnu::cold]] double rare_quantile(double q) {
  const double r = __builtin_sqrt(-natural_log(0.5 - magnitude_of(q))) - 5.0;
  const double outer = polynomial(r, kE) / polynomial(r, kF);
  return q < 0.0 ? -outer : outer;
}

std::uint64_t pair_at(const std::uint32_t* words, std::size_t i) {
  return words[2 * i] | static_cast<std::uint64_t>(words[2 * i + 1]) << 32;
}

void uniform_f32(const std::uint32_t* __restrict words, std::size_t count, UniformRange<float> range,
                 float* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    const float u = static_cast<float>(static_cast<std::int32_t>(words[i] >> 8)) * 0x1p-24f;
    const float value = range.low + range.span * u;
    const float above = value < range.bottom ? range.bottom : value;
    out[i] = above > range.top ? range.top : above;
  }
}

void uniform_f64(const std::uint32_t* __restrict words, std::size_t count, UniformRange<double> range,
                 double* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    const double value = range.low + range.span * unit_of(pair_at(words, i) >> 12);
    const double above = value < range.bottom ? range.bottom : value;
    out[i] = above > range.top ? range.top : above;
  }
}

void normal_of_word(const std::uint32_t* __restrict words, std::size_t count, double mean, double deviation,
                    double* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    const double q = unit_of(static_cast<std::uint64_t>(words[i]) << 20) + 0x1p-33 - 0.5;
    out[i] = mean + deviation * common_quantile(q);
  }
}

void normal_of_pair(const std::uint32_t* __restrict words, std::size_t count, double mean, double deviation,
                    double* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    const double q = unit_of(pair_at(words, i) >> 12) + 0x1p-53 - 0.5;
    out[i] = mean + deviation * common_quantile(q);
  }
  for (std::size_t i = 0; i < count; ++i) {
    const double q = unit_of(pair_at(words, i) >> 12) + 0x1p-53 - 0.5;
    if (0.5 - magnitude_of(q) < kRare) out[i] = mean + deviation * rare_quantile(q);
  }
}

}  // namespace
}  // namespace kernsweep
