#include <gtest/gtest.h>

#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <vector>

#include "shared/tensors/loops.hpp"
#include "shared/tensors/philox.hpp"

namespace kernsweep {
namespace {

double exact_quantile(double p) {
  return boost::math::quantile(boost::math::normal(), p);
}

double of_pair(std::uint64_t pair) {
  const std::uint32_t words[2] = {static_cast<std::uint32_t>(pair), static_cast<std::uint32_t>(pair >> 32)};
  double out = 0;
  loops_for(Instructions::plain).normal_of_pair(words, 1, 0.0, 1.0, &out);
  return out;
}

// AS 241 claims about 1e-16 relative; its argument is exact here. 16 units in the last place leave room for
// the rounding of its polynomials.
constexpr double kRelative = 16 * 0x1p-53;

TEST(NormalQuantileTest, OfAWordIsThatOfTheMiddleOfItsInterval) {
  std::vector<std::uint32_t> words(4096);
  fill_philox(3, 0, 0, words, Instructions::plain);
  words.insert(words.end(), {0, 1, 0x7fffffff, 0x80000000, 0xffffffff});
  // The borders between the two formulas: |p - 1/2| = 0.425.
  for (const double p : {0.075, 0.925})
    for (int step = -2; step <= 2; ++step)
      words.push_back(static_cast<std::uint32_t>(static_cast<std::int64_t>(p * 0x1p32) + step));
  std::vector<double> out(words.size());
  loops_for(Instructions::plain).normal_of_word(words.data(), words.size(), 0.0, 1.0, out.data());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const double expected = exact_quantile((words[i] + 0.5) / 0x1p32);
    ASSERT_NEAR(out[i], expected, kRelative * std::fabs(expected)) << std::hex << words[i];
  }
}

TEST(NormalQuantileTest, FarTailsOfAPairAreRightToo) {
  // u = (k + 1/2) / 2^52 with small k: below e^-25 = 1.39e-11 (k < 62546) the rare formula takes over.
  for (const std::uint64_t k :
       {0ull, 1ull, 2ull, 1000ull, 62544ull, 62545ull, 62546ull, 62547ull, 1000000ull}) {
    const double expected = exact_quantile((static_cast<double>(k) + 0.5) * 0x1p-52);
    EXPECT_NEAR(of_pair(k << 12), expected, kRelative * std::fabs(expected)) << k;
    // The mirror image: u' = 1 - u has the number 2^52 - 1 - k.
    EXPECT_EQ(of_pair(((std::uint64_t{1} << 52) - 1 - k) << 12), -of_pair(k << 12)) << k;
  }
  // Validity of specifications relies on it: no variate is farther out than 8.3.
  EXPECT_LT(std::fabs(of_pair(0)), 8.3);
}

TEST(NormalQuantileTest, MeanAndDeviationScaleIt) {
  const std::uint32_t word = 0xc0000000;
  double plain = 0;
  double scaled = 0;
  loops_for(Instructions::plain).normal_of_word(&word, 1, 0.0, 1.0, &plain);
  loops_for(Instructions::plain).normal_of_word(&word, 1, 10.0, 2.0, &scaled);
  EXPECT_EQ(scaled, 10.0 + 2.0 * plain);
}

}  // namespace
}  // namespace kernsweep
