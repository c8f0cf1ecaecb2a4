// Uniform floats, and rounding f32 to the shorter types. Internal, see loops_body.hpp.
#pragma once

#include "tensors/loops_words.hpp"

namespace kernsweep {
namespace {

template <class Float>
inline Float placed_in(const UniformRange<Float>& range, Float u) {
  const Float value = range.low + range.span * u;
  const Float above = value < range.bottom ? range.bottom : value;
  return above > range.top ? range.top : above;
}

void uniform_of_half(const std::uint32_t* __restrict words, std::size_t count, UniformRange<float> range,
                     float* __restrict out) {
  const Half* __restrict halves = halves_of(words);
  for (std::size_t i = 0; i < count; ++i)
    out[i] = placed_in(range, static_cast<float>(static_cast<std::int32_t>(halves[i])) * 0x1p-16f);
}

void uniform_of_word(const std::uint32_t* __restrict words, std::size_t count, UniformRange<float> range,
                     float* __restrict out) {
  for (std::size_t i = 0; i < count; ++i)
    out[i] = placed_in(range, static_cast<float>(static_cast<std::int32_t>(words[i] >> 8)) * 0x1p-24f);
}

void uniform_of_pair(const std::uint32_t* __restrict words, std::size_t count, UniformRange<double> range,
                     double* __restrict out) {
  const Pair* __restrict pairs = pairs_of(words);
  for (std::size_t i = 0; i < count; ++i) out[i] = placed_in(range, unit_of(pairs[i] >> 12));
}

void bf16_of_floats(const float* __restrict from, std::size_t count, std::uint16_t* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = bits_of(from[i]);
    out[i] = static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
  }
}

// Rounds to kFraction bits of fraction, with 2^kLeast as the smallest normal number; kMost is the code of
// every number that is too large. dtype.hpp explains the method.
template <int kFraction, int kLeast, std::uint32_t kMost>
void f8_of_floats(const float* __restrict from, std::size_t count, std::uint8_t* __restrict out) {
  constexpr std::uint32_t kCut = 23 - kFraction;
  constexpr std::uint32_t kOffset = (150u + kLeast - kFraction) << 23;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = bits_of(from[i]);
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    const std::uint32_t normal =
        (magnitude + (1u << (kCut - 1)) - 1u + ((magnitude >> kCut) & 1u) - ((126u + kLeast) << 23)) >>
        kCut;
    const std::uint32_t denormal = bits_of(float_of_bits(magnitude) + float_of_bits(kOffset)) - kOffset;
    const std::uint32_t code = magnitude < (127u + kLeast) << 23 ? denormal : normal;
    out[i] = static_cast<std::uint8_t>((bits >> 24 & 0x80u) | (code > kMost ? kMost : code));
  }
}

}  // namespace
}  // namespace kernsweep
