#include "tensors/loops.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <map>
#include <vector>

#include "shared/base/dtype.hpp"

namespace kernsweep {
namespace {

std::vector<Instructions> usable_instructions() {
  std::vector<Instructions> all;
  for (const Instructions each : {Instructions::plain, Instructions::avx2, Instructions::avx512})
    if (usable(each)) all.push_back(each);
  return all;
}

// Floats across all exponents and both signs, every tie among them: the bits below what a 16-bit type keeps
// are all clear, half, just below half and just above it.
std::vector<float> floats_to_round() {
  std::vector<float> floats;
  for (std::uint32_t upper = 0; upper < 0x10000; ++upper)
    for (const std::uint32_t lower :
         {0u, 0x1u, 0xfffu, 0x1000u, 0x1001u, 0x3000u, 0x7fffu, 0x8000u, 0x8001u, 0xf000u, 0xffffu}) {
      const auto value = std::bit_cast<float>(upper << 16 | lower);
      if (value == value) floats.push_back(value);
    }
  floats.resize(floats.size() / 8 * 8);
  return floats;
}

TEST(LoopsTest, RoundingTo16BitsIsThatOfTheElementTypes) {
  const auto floats = floats_to_round();
  std::vector<std::uint16_t> seen(floats.size());
  for (const Instructions each : usable_instructions()) {
    loops_for(each).bf16_of_floats(floats.data(), floats.size(), seen.data());
    for (std::size_t i = 0; i < floats.size(); ++i) ASSERT_EQ(seen[i], bf16_of(floats[i])) << floats[i];
    loops_for(each).f16_of_floats(floats.data(), floats.size(), seen.data());
    for (std::size_t i = 0; i < floats.size(); ++i) ASSERT_EQ(seen[i], f16_of(floats[i])) << floats[i];
  }
}

// The last kept bit of an 8-bit type is within the upper half of an f32, so the same floats hold its ties.
TEST(LoopsTest, RoundingTo8BitsIsThatOfTheElementTypes) {
  const auto floats = floats_to_round();
  std::vector<std::uint8_t> seen(floats.size());
  for (const Instructions each : usable_instructions()) {
    loops_for(each).f8e4m3_of_floats(floats.data(), floats.size(), seen.data());
    for (std::size_t i = 0; i < floats.size(); ++i) ASSERT_EQ(seen[i], f8e4m3_of(floats[i])) << floats[i];
    loops_for(each).f8e5m2_of_floats(floats.data(), floats.size(), seen.data());
    for (std::size_t i = 0; i < floats.size(); ++i) ASSERT_EQ(seen[i], f8e5m2_of(floats[i])) << floats[i];
  }
}

TEST(LoopsTest, CountsThatAreNoWholeVectorWriteNoMore) {
  const std::vector<float> floats(64, 1.0f);
  for (const Instructions each : usable_instructions()) {
    for (std::size_t count = 0; count <= 56; count += 8) {
      std::vector<std::uint16_t> out(64, 7);
      loops_for(each).f16_of_floats(floats.data(), count, out.data());
      for (std::size_t i = 0; i < out.size(); ++i) ASSERT_EQ(out[i], i < count ? 0x3c00 : 7) << count;
    }
  }
}

// All 2^16 halves, each once: the share of each of n numbers is floor(2^16 / n) or one more.
TEST(LoopsTest, IntegersFromHalvesDifferInTheirSharesByOne) {
  std::vector<std::uint32_t> words(0x8000);
  for (std::uint32_t i = 0; i < words.size(); ++i) words[i] = 2 * i | (2 * i + 1) << 16;
  std::vector<std::int32_t> out(0x10000);
  for (const Instructions each : usable_instructions())
    for (const std::uint32_t numbers : {1u, 2u, 3u, 17u, 100u, 255u, 256u}) {
      loops_for(each).integers_of_half.s32(words.data(), out.size(), {-5, numbers}, out.data());
      std::map<std::int32_t, std::uint32_t> shares;
      for (const std::int32_t value : out) ++shares[value];
      ASSERT_EQ(shares.size(), numbers);
      for (const auto& [value, share] : shares) {
        ASSERT_GE(value, -5);
        ASSERT_LT(value, -5 + static_cast<std::int32_t>(numbers));
        ASSERT_GE(share, 0x10000 / numbers);
        ASSERT_LE(share, 0x10000 / numbers + 1);
      }
    }
}

// The borders are where products of halves carry: the answers come from 128-bit arithmetic.
TEST(LoopsTest, PairsAreScaledExactly) {
  __extension__ using Wide = unsigned __int128;
  constexpr std::uint64_t kPairs[] = {0,
                                      1,
                                      0xffffffff,
                                      0x100000000,
                                      0x123456789abcdef0,
                                      0x8000000000000000,
                                      0xffffffff00000000,
                                      0xffffffffffffffff};
  for (const Instructions each : usable_instructions())
    for (const std::uint64_t numbers :
         {std::uint64_t{0x10001}, std::uint64_t{0xffffffff}, std::uint64_t{0x100000000},
          std::uint64_t{0x100000001}, (std::uint64_t{1} << 54) + 1}) {
      alignas(64) std::uint32_t words[16];
      std::memcpy(words, kPairs, sizeof kPairs);
      loops_for(each).scale_pairs(words, 8, numbers);
      for (std::size_t i = 0; i < 8; ++i) {
        std::uint64_t seen = 0;
        std::memcpy(&seen, words + 2 * i, sizeof seen);
        ASSERT_EQ(seen, static_cast<std::uint64_t>((static_cast<Wide>(kPairs[i]) * numbers) >> 64));
      }
    }
}

// Whole numbers beyond 2^32 and on both sides of 0 become doubles without rounding.
TEST(LoopsTest, OffsetsOfPairsBecomeExactDoubles) {
  const std::uint64_t offsets[8] = {0,
                                    1,
                                    0xffffffff,
                                    0x100000000,
                                    std::uint64_t{1} << 53,
                                    (std::uint64_t{1} << 53) + 1,
                                    (std::uint64_t{1} << 54) - 1,
                                    std::uint64_t{1} << 54};
  for (const Instructions each : usable_instructions()) {
    alignas(64) std::uint32_t words[16];
    std::memcpy(words, offsets, sizeof offsets);
    double out[8];
    constexpr std::int64_t kFirst = -(std::int64_t{1} << 53);
    loops_for(each).integers_of_pair.f64(words, 8, {kFirst, (std::uint64_t{1} << 54) + 1}, out);
    for (std::size_t i = 0; i < 8; ++i)
      ASSERT_EQ(out[i], static_cast<double>(kFirst + static_cast<std::int64_t>(offsets[i])));
  }
}

TEST(LoopsTest, ThinningKeepsWhatIsBelowTheLimitAndReportsTies) {
  alignas(64) const std::uint32_t words[4] = {0x0001'0000, 0xffff'8000, 0x7fff'8001, 0x0002'fffe};
  const std::vector<float> expected = {1, 1, 1, 0, 0, 1, 0, 1};
  for (const Instructions each : usable_instructions()) {
    std::vector<float> out(8, 1.0f);
    EXPECT_TRUE(loops_for(each).thin4(words, 8, 0x8000, out.data()));
    EXPECT_EQ(out, expected);
    out.assign(8, 1.0f);
    EXPECT_FALSE(loops_for(each).thin4(words, 8, 0x7ffe, out.data()));
    EXPECT_EQ(out, (std::vector<float>{1, 1, 0, 0, 0, 0, 0, 1}));
  }
}

}  // namespace
}  // namespace kernsweep
