#include "tensors/philox.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace kernsweep {
namespace {

struct Answer {
  std::uint32_t counter[4];
  std::uint32_t key[2];
  std::uint32_t words[4];
};

// Seven rounds over zeros, ones, and digits of pi, as Random123 computes them.
constexpr Answer kPublished[] = {
    {{0, 0, 0, 0}, {0, 0}, {0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48}},
    {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
     {0xffffffff, 0xffffffff},
     {0x5207ddc2, 0x45165e59, 0x4d8ee751, 0x8c52f662}},
    {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
     {0xa4093822, 0x299f31d0},
     {0x4dfccaba, 0x190a87f0, 0xc47362ba, 0xb6b5242a}},
};

TEST(PhiloxTest, GivesThePublishedAnswers) {
  for (const auto& answer : kPublished) {
    std::uint32_t words[4];
    philox_block(answer.counter, answer.key, words);
    for (int w = 0; w < 4; ++w) EXPECT_EQ(words[w], answer.words[w]);
  }
}

std::vector<std::uint32_t> filled(std::uint64_t seed, std::uint32_t stream, std::uint64_t first,
                                  std::size_t blocks, Instructions instructions) {
  std::vector<std::uint32_t> words(4 * blocks);
  fill_philox(seed, stream, first, words, instructions);
  return words;
}

TEST(PhiloxTest, CounterHoldsBlockThenStreamAndKeyHoldsSeed) {
  const auto words = filled(0x1111111122222222, 7, 0x3333333344444444, 1, Instructions::plain);
  const std::uint32_t counter[4] = {0x44444444, 0x33333333, 7, 0};
  const std::uint32_t key[2] = {0x22222222, 0x11111111};
  std::uint32_t expected[4];
  philox_block(counter, key, expected);
  EXPECT_EQ(words, std::vector<std::uint32_t>(expected, expected + 4));
}

// The widened rounds fill 16 or 32 blocks at once and leave the rest to the plain ones; the counter's low
// word overflows within a vector, at the seam between vectors, and not at all.
TEST(PhiloxTest, WideInstructionsGiveTheSameWords) {
  for (const Instructions wide : {Instructions::avx2, Instructions::avx512}) {
    if (!usable(wide)) continue;
    for (const std::size_t blocks : {0u, 1u, 15u, 16u, 17u, 31u, 32u, 33u, 100u, 512u})
      for (const std::uint64_t first : {0ull, 5ull, 0xfffffff0ull, 0xffffffffull, 0xfffffffffffffff0ull})
        ASSERT_EQ(filled(0x0123456789abcdef, 1, first, blocks, wide),
                  filled(0x0123456789abcdef, 1, first, blocks, Instructions::plain))
            << blocks << " blocks from " << first;
  }
}

TEST(PhiloxTest, PlainInstructionsAreAlwaysUsable) {
  EXPECT_TRUE(usable(Instructions::plain));
  EXPECT_TRUE(usable(widest_instructions()));
}

}  // namespace
}  // namespace kernsweep
