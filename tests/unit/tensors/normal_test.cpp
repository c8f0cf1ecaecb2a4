#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "tensors/loops.hpp"
#include "tensors/philox.hpp"

namespace kernsweep {
namespace {

using Words = std::vector<std::uint32_t>;

// Random words, and such as lie at the ends of what a distance and an angle can be.
Words some_words() {
  Words words(4096);
  fill_philox(3, 0, 0, words, Instructions::plain);
  constexpr std::uint32_t kEnds[] = {0,      1,      2,          3,          0x3ffc,
                                     0x3fff, 0x4000, 0x7fffffff, 0x80000000, 0xffffffff};
  for (const std::uint32_t first : kEnds)
    for (const std::uint32_t second : kEnds) words.insert(words.end(), {first, second});
  words.resize(words.size() / 8 * 8);
  return words;
}

struct Point {
  double first, second;
};

// The definition with libm in place of the polynomials: distance sqrt(-2 ln u), angle f * pi / 2.
Point exact_point(double u, double f, bool mirror, bool turn) {
  const double radius = std::sqrt(-2.0 * std::log(u));
  const double right = std::cos(f * std::numbers::pi / 2) * (mirror ? -1 : 1) * radius;
  const double up = std::sin(f * std::numbers::pi / 2) * radius;
  return turn ? Point{up, right} : Point{right, up};
}

TEST(NormalTest, OfWordsIsThePointTheyDescribe) {
  const Words words = some_words();
  std::vector<float> out(words.size());
  loops_for(Instructions::plain).normal_of_word(words.data(), words.size(), {0, 1}, out.data());
  for (std::size_t i = 0; i < words.size(); i += 2) {
    // The rounding of the conversion to f32 is part of the definition.
    const double u = static_cast<double>(static_cast<float>(words[i] >> 1) + 0.5f) * 0x1p-31;
    const auto angle = static_cast<float>(static_cast<std::int32_t>(words[i + 1] & ~3u));
    const Point exact = exact_point(u, angle * 0x1p-32, (words[i + 1] & 2) != 0, (words[i + 1] & 1) != 0);
    ASSERT_NEAR(out[i], exact.first, 4e-6) << std::hex << words[i] << " " << words[i + 1];
    ASSERT_NEAR(out[i + 1], exact.second, 4e-6) << std::hex << words[i] << " " << words[i + 1];
  }
}

TEST(NormalTest, OfHalvesIsThePointTheyDescribe) {
  const Words words = some_words();
  std::vector<float> out(2 * words.size());
  loops_for(Instructions::plain).normal_of_half(words.data(), out.size(), {0, 1}, out.data());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const double u = ((words[i] >> 14) + 0.5) * 0x1p-18;
    // Twelve bits as a signed number, in the middle of its step.
    const auto steps = static_cast<std::int32_t>(words[i] << 18) >> 20;
    const Point exact = exact_point(u, (steps + 0.5) * 0x1p-12, (words[i] & 2) != 0, (words[i] & 1) != 0);
    // Near 1, f16 rounds 2.4e-4 away and bf16 2e-3.
    ASSERT_NEAR(out[2 * i], exact.first, 1e-4) << std::hex << words[i];
    ASSERT_NEAR(out[2 * i + 1], exact.second, 1e-4) << std::hex << words[i];
  }
}

TEST(NormalTest, OfPairsIsThePointTheyDescribe) {
  const Words words = some_words();
  std::vector<double> out(words.size() / 2);
  loops_for(Instructions::plain).normal_of_pair(words.data(), out.size(), {0, 1}, out.data());
  for (std::size_t i = 0; i + 1 < out.size(); i += 2) {
    const auto pair = [&](std::size_t at) {
      return words[2 * at] | static_cast<std::uint64_t>(words[2 * at + 1]) << 32;
    };
    const double u = (static_cast<double>(pair(i) >> 12) + 0.5) * 0x1p-52;
    const double f = static_cast<double>(pair(i + 1) >> 12) * 0x1p-52 - 0.5;
    const Point exact = exact_point(u, f, (pair(i + 1) & 2) != 0, (pair(i + 1) & 1) != 0);
    ASSERT_NEAR(out[i], exact.first, 1e-12) << std::hex << pair(i) << " " << pair(i + 1);
    ASSERT_NEAR(out[i + 1], exact.second, 1e-12) << std::hex << pair(i) << " " << pair(i + 1);
  }
}

TEST(NormalTest, MeanAndDeviationScaleIt) {
  const Words words = some_words();
  std::vector<float> plain(words.size());
  std::vector<float> scaled(words.size());
  const Loops& loops = loops_for(Instructions::plain);
  loops.normal_of_word(words.data(), words.size(), {0, 1}, plain.data());
  loops.normal_of_word(words.data(), words.size(), {8, 2}, scaled.data());
  // Doubling is exact; only the addition rounds.
  for (std::size_t i = 0; i < plain.size(); ++i) ASSERT_EQ(scaled[i], 8.0f + 2.0f * plain[i]);
}

// The farthest: u = 2^-53 from a pair, sqrt(2 * 53 ln 2) = 8.572. A description is valid only if 8.6
// deviations fit its type. From a word u >= 2^-32: 6.661; from a half u >= 2^-19: 5.133.
TEST(NormalTest, NothingIsFartherThanTheDescriptionAllowsFor) {
  const Words zeros(8);
  std::vector<double> doubles(4);
  std::vector<float> floats(16);
  const Loops& loops = loops_for(Instructions::plain);
  loops.normal_of_pair(zeros.data(), 4, {0, 1}, doubles.data());
  EXPECT_NEAR(std::hypot(doubles[0], doubles[1]), 8.5717, 1e-4);
  loops.normal_of_word(zeros.data(), 8, {0, 1}, floats.data());
  EXPECT_NEAR(std::hypot(floats[0], floats[1]), 6.6604, 1e-4);
  loops.normal_of_half(zeros.data(), 16, {0, 1}, floats.data());
  EXPECT_NEAR(std::hypot(floats[0], floats[1]), 5.1322, 1e-4);
}

// If u rounds to 1 the distance is 0, not the root of a negative number.
TEST(NormalTest, NearestIsTheMean) {
  const Words ones(8, 0xffffffff);
  std::vector<float> floats(16);
  std::vector<double> doubles(4);
  const Loops& loops = loops_for(Instructions::plain);
  loops.normal_of_word(ones.data(), 8, {3, 1}, floats.data());
  EXPECT_EQ(floats[0], 3.0f);
  loops.normal_of_half(ones.data(), 16, {3, 1}, floats.data());
  EXPECT_NEAR(floats[0], 3.0, 0.002);  // sqrt(2 * 2^-19) = 0.00195
  loops.normal_of_pair(ones.data(), 4, {3, 1}, doubles.data());
  EXPECT_NEAR(doubles[0], 3.0, 2e-8);
}

}  // namespace
}  // namespace kernsweep
