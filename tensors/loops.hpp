// The inner loops of the generator, compiled three times, for vector units of different width.
//
// All three give the same bits: the loops use only integers and operations whose rounding IEEE 754 defines
// (+ - * / sqrt and conversions), call no function of libm, and are compiled without fused multiply-add. A
// test compares them. docs/internals/tensors.md specifies what each one computes.
//
// `words` are those of the Philox blocks in order, aligned to 64 bytes; an element uses a half (16 bits), a
// word (32) or a pair (64) of them, the low bits first. Every count is a multiple of 8, so that it ends
// with a whole block. Several passes over small buffers are used and not one loop that makes words and
// elements at once: the buffers stay in the first-level cache, a pass over one costs little, and each type
// of element needs only one loop.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kernsweep {

enum class Instructions { plain, avx2, avx512 };

bool usable(Instructions instructions);  // whether this processor has them
Instructions widest_instructions();      // the widest usable ones; determined once per process

// low + span * u, clamped to [bottom, top], which rounding may have left. Computed in Float.
template <class Float>
struct UniformRange {
  Float low, span, bottom, top;
};

template <class Float>
struct NormalShape {
  Float mean, deviation;
};

// The numbers first, first + 1, ... first + numbers - 1. Requires: numbers >= 1, and first + numbers - 1
// fits the element type.
struct IntegerRun {
  std::int64_t first;
  std::uint64_t numbers;
};

using FillIntegers = void (*)(const std::uint32_t* words, std::size_t count, IntegerRun run, void* out);

// Integer loops for one number of random bits. s8 is also used for u8, f32 also for shorter floats.
struct IntegerLoops {
  FillIntegers s8, s32, s64, f32, f64;
};

// Zeroes element i where half i of `words` is above `limit`; returns whether any half equals it.
using Thin = bool (*)(const std::uint32_t* words, std::size_t count, std::uint32_t limit, void* elements);

struct Loops {
  // Writes whole steps of blocks, see philox_lanes.hpp; returns how many blocks were written.
  std::size_t (*philox_blocks)(std::uint64_t seed, std::uint32_t stream, std::uint64_t first_block,
                               std::uint32_t* words, std::size_t blocks);

  void (*uniform_of_half)(const std::uint32_t* words, std::size_t count, UniformRange<float> range,
                          float* out);
  void (*uniform_of_word)(const std::uint32_t* words, std::size_t count, UniformRange<float> range,
                          float* out);
  void (*uniform_of_pair)(const std::uint32_t* words, std::size_t count, UniformRange<double> range,
                          double* out);

  // Two elements at a time from two halves, words or pairs.
  void (*normal_of_half)(const std::uint32_t* words, std::size_t count, NormalShape<float> shape,
                         float* out);
  void (*normal_of_word)(const std::uint32_t* words, std::size_t count, NormalShape<float> shape,
                         float* out);
  void (*normal_of_pair)(const std::uint32_t* words, std::size_t count, NormalShape<double> shape,
                         double* out);

  // Round to nearest, ties to even. Requires that no element is NaN.
  void (*bf16_of_floats)(const float* from, std::size_t count, std::uint16_t* out);
  void (*f16_of_floats)(const float* from, std::size_t count, std::uint16_t* out);
  void (*f8e4m3_of_floats)(const float* from, std::size_t count, std::uint8_t* out);
  void (*f8e5m2_of_floats)(const float* from, std::size_t count, std::uint8_t* out);

  // Replaces each pair by floor(pair * numbers / 2^64), the first step of `integers_of_pair`.
  void (*scale_pairs)(std::uint32_t* words, std::size_t count, std::uint64_t numbers);

  IntegerLoops integers_of_half;  // numbers <= 2^8; floor(half * numbers / 2^16)
  IntegerLoops integers_of_word;  // numbers <= 2^16; floor(word * numbers / 2^32); s8 is absent
  IntegerLoops integers_of_pair;  // after scale_pairs; s8 is absent

  Thin thin1, thin2, thin4, thin8;  // by bytes per element
};

const Loops& loops_for(Instructions instructions);  // requires: usable

}  // namespace kernsweep
