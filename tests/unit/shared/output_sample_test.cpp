#include "shared/base/output_sample.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace kernsweep {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

OutputSample sampled(const std::vector<double>& values, const std::string& type = "f32",
                     std::vector<std::int64_t> shape = {}) {
  OutputSample out;
  out.runs = 2;
  out.type = type;
  out.shape = std::move(shape);
  if (out.shape.empty()) out.shape = {static_cast<std::int64_t>(values.size())};
  OutputSums sums;
  sums.see(values);
  sums.add(values);
  sums.finish(out);
  return out;
}

OutputSample printed(const std::string& hash) {
  OutputSample out;
  out.runs = 2;
  out.type = "text";
  out.hash = hash;
  return out;
}

// Sines, so that elements cancel in sums.
std::vector<double> waves(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = std::sin(static_cast<double>(i));
  return values;
}

TEST(OutputSample, OutputsThatDifferByRoundingAgreeWithinTheirType) {
  const std::vector<double> exact = waves(100'000);
  std::vector<double> rounded = exact;
  for (double& x : rounded) x = static_cast<float>(x);
  EXPECT_TRUE(agree(sampled(exact, "f64"), sampled(rounded, "f32")));
  // 2^-25 of a number is the error of rounding it to f32, and 1e-8 is allowed for f64.
  EXPECT_FALSE(agree(sampled(exact, "f64"), sampled(rounded, "f64")));
  std::vector<double> off = exact;
  for (std::size_t i = 0; i < off.size(); ++i) off[i] += i % 2 == 0 ? 1e-3 : -1e-3;
  EXPECT_FALSE(agree(sampled(exact, "f32"), sampled(off, "f32")));
  EXPECT_TRUE(agree(sampled(exact, "bf16"), sampled(off, "f32"))) << "the larger tolerance counts";
}

// One of 100,000 elements, whose norm is 224: a sum may be off by 1.5e-4 * 224 / sqrt(8) = 0.012, and is
// by 0.5 at least.
TEST(OutputSample, OneWrongElementIsSeenWhereverItIs) {
  const std::vector<double> right = waves(100'000);
  for (const std::size_t at : {0, 1, 777, 54'321, 99'999}) {
    std::vector<double> wrong = right;
    wrong[at] += 1;
    EXPECT_FALSE(agree(sampled(right), sampled(wrong))) << at;
  }
}

TEST(OutputSample, OrderSignSizeAndZerosAreSeen) {
  const std::vector<double> right = waves(1'000);
  std::vector<double> backwards(right.rbegin(), right.rend()), negated = right, doubled = right;
  for (double& x : negated) x = -x;
  for (double& x : doubled) x *= 2;
  std::vector<double> half_zero = right;
  std::fill(half_zero.begin() + 500, half_zero.end(), 0.0);
  for (const auto& wrong : {backwards, negated, doubled, half_zero, std::vector<double>(1'000, 0.0)})
    EXPECT_FALSE(agree(sampled(right), sampled(wrong)));
  EXPECT_FALSE(agree(sampled({1, 2}), sampled({2, 1})));
  EXPECT_FALSE(agree(sampled({1, 2, 3, 4, 5, 6, 7, 8, 9}), sampled({9, 2, 3, 4, 5, 6, 7, 8, 1})))
      << "both are in sum 0, with other weights";
  EXPECT_TRUE(agree(sampled({0, 0}), sampled({0, 0})));
}

TEST(OutputSample, ShapesMustBeTheSameUnlessOneIsFlat) {
  const std::vector<double> values = waves(12);
  EXPECT_TRUE(agree(sampled(values, "f32", {3, 4}), sampled(values, "f32", {1, 3, 4})));
  EXPECT_FALSE(agree(sampled(values, "f32", {3, 4}), sampled(values, "f32", {4, 3})));
  EXPECT_TRUE(agree(sampled(values, "f32", {3, 4}), sampled(values, "f32", {12})));
  EXPECT_FALSE(agree(sampled(values), sampled(waves(13))));
}

TEST(OutputSample, NumbersThatAreNotFiniteAreCounted) {
  EXPECT_TRUE(agree(sampled({1, kNotANumber, 3}), sampled({1, kNotANumber, 3})));
  EXPECT_FALSE(agree(sampled({1, kNotANumber, 3}), sampled({1, 0, 3})));
  EXPECT_FALSE(agree(sampled({1, kInfinite, 3}), sampled({1, kNotANumber, 3})));
}

// The squares of these overflow or underflow a double.
TEST(OutputSample, VeryLargeAndVerySmallNumbersAreCompared) {
  for (const double scale : {1e300, 1e-300}) {
    EXPECT_TRUE(agree(sampled({scale, 2 * scale}), sampled({scale, 2 * scale})));
    EXPECT_FALSE(agree(sampled({scale, 2 * scale}), sampled({scale, 3 * scale})));
  }
  EXPECT_FALSE(agree(sampled({1e300}), sampled({1e-300})));
}

TEST(OutputSample, TextAndWholeNumbersMustBeEqual) {
  EXPECT_TRUE(agree(printed("aa"), printed("aa")));
  EXPECT_FALSE(agree(printed("aa"), printed("bb")));
  EXPECT_FALSE(agree(printed("aa"), sampled({42}, "real")));
  OutputSample a = sampled({9007199254740992.0}, "whole"), b = a;
  a.hash = "aa";
  b.hash = "bb";
  EXPECT_FALSE(agree(a, b)) << "the hash tells what a double cannot";
  EXPECT_TRUE(agree(a, sampled({9007199254740992.0}, "real")))
      << "42 and 42.5 - 0.5 are compared as numbers";
  OutputSample none = printed("");
  none.type = "none";
  EXPECT_TRUE(agree(none, none));
  EXPECT_FALSE(agree(none, printed("aa")));
  EXPECT_FALSE(agree(OutputSample{}, OutputSample{})) << "of runs that differed nothing is known";
}

TEST(OutputSample, ReadsBackWhatItHasWritten) {
  OutputSample of_numbers = sampled(waves(1'000), "s32", {10, 100});
  of_numbers.hash = "0123456789abcdef0123456789abcdef";
  of_numbers.nan_count = 3;
  of_numbers.inf_count = 4;
  for (const OutputSample& sample : {of_numbers, printed("aa"), OutputSample{}}) {
    const std::string text = text_of(sample);
    EXPECT_LE(text.size(), 300U) << text;
    const auto read = output_sample_of(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(text_of(*read), text);
    EXPECT_EQ(agree(*read, sample), sample.runs > 0);
  }
}

TEST(OutputSample, RefusesWhatItCannotHaveWritten) {
  EXPECT_TRUE(output_sample_of("runs=2 type=text hash=aa later=1")) << "a later version may add a word";
  for (const char* text :
       {"", "runs", "type=f32", "runs=2", "runs=-1 type=f32", "runs=2 type=f32 shape=axb",
        "runs=2 type=f32 shape=-1", "runs=2 type=f32 max=nan", "runs=2 type=f32 max=-1",
        "runs=2 type=f32 norm=inf", "runs=2 type=f32 sums=1,2", "runs=2 type=f32 sums=1,2,3,4,5,6,7,nan",
        "runs=2 type=f32 shape=1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1", "runs=2  type=f32",
        "runs=2 type=\x1b[2J"})
    EXPECT_FALSE(output_sample_of(text)) << text;
  EXPECT_FALSE(output_sample_of("runs=2 type=" + std::string(2000, 'x')));
}

}  // namespace
}  // namespace kernsweep
