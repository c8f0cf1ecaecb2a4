// Vectors of floats: sums, and powers of 2 for a softmax.
//
// For files that are compiled with the flags of one instruction set: internal linkage, only <cstdint>. The
// including file defines KERNSWEEP_VECTOR_BYTES, the size of a vector: 16, 32 or 64.
#pragma once

#include <cstdint>

namespace kernsweep::attention {
namespace {

struct Lanes {
  static constexpr int kBytes = KERNSWEEP_VECTOR_BYTES;
  typedef float Vector __attribute__((vector_size(kBytes)));
  typedef float LooseVector __attribute__((vector_size(kBytes), aligned(4), may_alias));
  typedef std::int32_t IntVector __attribute__((vector_size(kBytes)));
  typedef std::uint32_t Bits __attribute__((vector_size(kBytes)));
  typedef std::uint16_t LooseHalves __attribute__((vector_size(kBytes / 2), aligned(2), may_alias));
  static constexpr int kCount = kBytes / 4;

  static inline Vector load(const float* from) { return *reinterpret_cast<const LooseVector*>(from); }
  // bf16 is the upper half of a float.
  static inline Vector load(const std::uint16_t* from) {
    return (Vector)(__builtin_convertvector(*reinterpret_cast<const LooseHalves*>(from), Bits) << 16);
  }
  static inline float load_one(const float* from) { return *from; }
  static inline float load_one(const std::uint16_t* from) {
    const std::uint32_t bits = static_cast<std::uint32_t>(*from) << 16;
    float out;
    __builtin_memcpy(&out, &bits, sizeof out);
    return out;
  }

  static inline Vector max(Vector a, Vector b) { return a > b ? a : b; }

  // The sums of neighbours: a[0] + a[1], a[2] + a[3], ..., then those of b.
  static inline Vector add_neighbours(Vector a, Vector b) {
#if KERNSWEEP_VECTOR_BYTES == 64
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30) +
           __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
#elif KERNSWEEP_VECTOR_BYTES == 32
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14) +
           __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
#else
    return __builtin_shufflevector(a, b, 0, 2, 4, 6) + __builtin_shufflevector(a, b, 1, 3, 5, 7);
#endif
  }

  // Lane i: the sum of all lanes of vectors[i]. Overwrites them.
  static inline Vector sums(Vector (&vectors)[kCount]) {
#pragma GCC unroll 5
    for (int left = kCount / 2; left > 0; left /= 2)
#pragma GCC unroll 8
      for (int i = 0; i < left; ++i) vectors[i] = add_neighbours(vectors[2 * i], vectors[2 * i + 1]);
    return vectors[0];
  }

  static inline float sum(Vector v) {
#pragma GCC unroll 5
    for (int left = kCount / 2; left > 0; left /= 2) v = add_neighbours(v, v);
    return v[0];
  }

  // 2^x for x <= 0, for results that matter at most as a weight in a softmax.
  //
  // x = n + f with a whole n and |f| <= 1/2; 2^f by a polynomial of degree 6 whose relative error is at
  // most 1.9e-9 (found by Remez's algorithm), before its coefficients and steps are rounded; 2^n by adding
  // n to the exponent. Relative error: at most 2^-23, from x = -125 to 0 (a test checks it). Below -125,
  // and for -inf: 0.
  static inline Vector exp2(Vector x) {
    constexpr float kLeast = -125;
    constexpr float kRound = 0x1.8p23F;  // the sum's last bit is 1, so that it is n, rounded to nearest
    const Vector kept = max(x, Vector{} + kLeast);
    const Vector sum = kept + kRound;
    const Vector f = kept - (sum - kRound);
    Vector p = 0x1.41d33ap-13F * f + 0x1.5f456ap-10F;
    p = p * f + 0x1.3b2dbcp-7F;
    p = p * f + 0x1.c6aed4p-5F;
    p = p * f + 0x1.ebfbdap-3F;
    p = p * f + 0x1.62e43p-1F;
    p = p * f + 1.0F;
    const Vector power = (Vector)((Bits)p + ((Bits)sum << 23));
    return x < Vector{} + kLeast ? Vector{} : power;
  }
};

}  // namespace
}  // namespace kernsweep::attention
