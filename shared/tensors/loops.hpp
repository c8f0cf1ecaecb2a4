// The inner loops of the generator, compiled three times for widening vector units.
//
// All three give the same bits: the loops use only what IEEE 754 rounds in exactly one way (+ - * / sqrt
// and integer operations), call no function of libm, and are compiled without fused multiply-add. A test
// compares them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace kernsweep {

enum class Instructions { plain, avx2, avx512 };

bool usable(Instructions instructions);  // whether this processor has them
Instructions widest_instructions();      // the widest usable ones; asked once per process

// low + span * u, then moved into [bottom, top] where rounding left it. Computed in Float.
template <class Float>
struct UniformRange {
  Float low, span, bottom, top;
};

struct Loops {
  // Whole steps of blocks, see philox_lanes.hpp; returns how many blocks were written.
  std::size_t (*philox_blocks)(std::uint64_t seed, std::uint32_t stream, std::uint64_t first_block,
                               std::uint32_t* words, std::size_t blocks);
  // One word per element: u = (word >> 8) / 2^24.
  void (*uniform_f32)(const std::uint32_t* words, std::size_t count, UniformRange<float> range, float* out);
  // Two words per element, the low one first: u = (pair >> 12) / 2^52.
  void (*uniform_f64)(const std::uint32_t* words, std::size_t count, UniformRange<double> range,
                      double* out);
  // mean + deviation * quantile(u), u = (word + 1/2) / 2^32 from one word.
  void (*normal_of_word)(const std::uint32_t* words, std::size_t count, double mean, double deviation,
                         double* out);
  // The same with u = ((pair >> 12) + 1/2) / 2^52 from two words.
  void (*normal_of_pair)(const std::uint32_t* words, std::size_t count, double mean, double deviation,
                         double* out);
};

const Loops& loops_for(Instructions instructions);  // requires: usable

}  // namespace kernsweep
