// Random words as halves, words or pairs, the low bits first. Internal, see loops_body.hpp.
#pragma once

#ifdef __FAST_MATH__
#error "the bits of generated tensors would depend on the compiler: build tensors without -ffast-math"
#endif

#include "tensors/loops.hpp"

namespace kernsweep {
namespace {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "halves and pairs are read from memory as they lie");

using Half [[gnu::may_alias]] = std::uint16_t;
using Pair [[gnu::may_alias]] = std::uint64_t;

inline const Half* halves_of(const std::uint32_t* words) {
  return reinterpret_cast<const Half*>(words);
}
inline const Pair* pairs_of(const std::uint32_t* words) {
  return reinterpret_cast<const Pair*>(words);
}

inline float float_of_bits(std::uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}
inline std::uint32_t bits_of(float value) {
  return __builtin_bit_cast(std::uint32_t, value);
}
inline double double_of_bits(std::uint64_t bits) {
  return __builtin_bit_cast(double, bits);
}
inline std::uint64_t bits_of(double value) {
  return __builtin_bit_cast(std::uint64_t, value);
}

// k / 2^52 for k < 2^52, exact. It is computed as the fraction of a double in [1, 2), because a cast from
// 64 bits does not vectorise.
inline double unit_of(std::uint64_t k) {
  return double_of_bits(0x3ff0000000000000u | k) - 1.0;
}

}  // namespace
}  // namespace kernsweep
