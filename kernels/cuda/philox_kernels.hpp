// The arguments of the kernels in philox.cu.
#pragma once

#include <cstdint>

#include "kernels/cuda/philox_arithmetic.hpp"

namespace kernsweep::cuda {

// philox_words: out[i] = word i of the stream, for 0 <= i < n.
struct PhiloxWordsArguments {
  std::uint32_t* out;
  std::int64_t n;
  std::uint64_t seed;
  std::uint32_t stream;
};

// philox_uniform_f32: out[i] = uniform_f32(word i of stream 0), for 0 <= i < n.
struct PhiloxUniformArguments {
  float* out;
  std::int64_t n;
  std::uint64_t seed;
  UniformF32 range;
};

}  // namespace kernsweep::cuda
