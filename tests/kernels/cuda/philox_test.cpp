// The arithmetic that the GPU shares with the host gives the bits of shared/tensors.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include "kernels/cuda/philox_arithmetic.hpp"
#include "tensors/generator.hpp"
#include "tensors/philox.hpp"
#include "tensors/ranges.hpp"

namespace kernsweep {
namespace {

TEST(CudaPhilox, WordsAreThoseOfTheLibrary) {
  for (const std::uint64_t seed : {0ull, 42ull, 0x0123456789abcdefull, ~0ull})
    for (const std::uint32_t stream : {0u, 1u, 7u, 0xffffffffu})
      for (const std::uint64_t first : {0ull, 5ull, 0xfffffff0ull, 0xffffffffull, 0x3333333344444444ull}) {
        std::vector<std::uint32_t> expected(4 * 64);
        fill_philox(seed, stream, first, expected, Instructions::plain);
        for (std::uint64_t block = 0; block < 64; ++block)
          for (int w = 0; w < 4; ++w)
            ASSERT_EQ(cuda::philox_block(seed, stream, first + block).words[w], expected[4 * block + w])
                << "seed " << seed << " stream " << stream << " block " << first + block << " word " << w;
      }
}

TensorSpec uniform_spec(double a, double b, std::uint64_t seed, std::int64_t n) {
  TensorSpec spec;
  spec.dtype = Dtype::f32;
  spec.shape = {n};
  spec.distribution = Distribution::uniform;
  spec.a = a;
  spec.b = b;
  spec.seed = seed;
  return spec;
}

cuda::UniformF32 range_of(double a, double b) {
  return {static_cast<float>(a), static_cast<float>(b - a),
          static_cast<float>(smallest_from(Dtype::f32, a)),
          static_cast<float>(largest_below(Dtype::f32, b))};
}

TEST(CudaPhilox, UniformFloatsAreTheLibrarysBitByBit) {
  constexpr std::int64_t kElements = 5000;
  for (const auto& [a, b] :
       {std::pair{-1.0, 1.0}, {0.0, 1.0}, {0.1, 0.3}, {-1e30, 1e-3}, {1.0, 1.0 + 1e-7}}) {
    std::vector<float> expected(kElements);
    ASSERT_TRUE(
        generate(uniform_spec(a, b, 42, kElements), std::as_writable_bytes(std::span(expected)), 1));
    for (std::int64_t i = 0; i < kElements; ++i) {
      const cuda::PhiloxBlock block = cuda::philox_block(42, 0, static_cast<std::uint64_t>(i / 4));
      const float value = cuda::uniform_f32(block.words[i % 4], range_of(a, b));
      ASSERT_EQ(std::memcmp(&value, &expected[static_cast<std::size_t>(i)], sizeof value), 0)
          << "element " << i << " of uniform(" << a << ", " << b << ")";
    }
  }
}

}  // namespace
}  // namespace kernsweep
