#include "tensors/generator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "shared/base/content_hash.hpp"
#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

struct AlignedBytes {
  explicit AlignedBytes(std::size_t size) : words((size + 7) / 8), size_(size) {}
  std::span<std::byte> span() { return {reinterpret_cast<std::byte*>(words.data()), size_}; }
  std::vector<std::uint64_t> words;
  std::size_t size_;
};

TensorSpec spec_of(Dtype dtype, Distribution distribution, double a, double b, std::int64_t count) {
  TensorSpec spec;
  spec.dtype = dtype;
  spec.shape = {count};
  spec.distribution = distribution;
  spec.a = a;
  spec.b = b;
  spec.fan_in = 50;
  spec.fan_out = 100;
  spec.seed = 12345;
  return spec;
}

std::vector<std::byte> bytes_of(const TensorSpec& spec, int threads = 1,
                                Instructions instructions = widest_instructions()) {
  AlignedBytes bytes(spec.bytes());
  const Status done = generate(spec, bytes.span(), threads, instructions);
  EXPECT_TRUE(done) << done.error().message;
  const auto span = bytes.span();
  return {span.begin(), span.end()};
}

std::vector<double> values_of(const TensorSpec& spec) {
  const auto bytes = bytes_of(spec);
  std::vector<double> values(spec.elements());
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = element_as_double(spec.dtype, bytes.data(), static_cast<std::int64_t>(i));
  return values;
}

// One of each way through the generator; the count is no multiple of a step (512 to 2048) nor of a block.
std::vector<TensorSpec> all_kinds() {
  using enum Distribution;
  constexpr std::int64_t kCount = 3 * 2048 + 7;
  std::vector<TensorSpec> specs;
  for (const Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::bf16, Dtype::f16, Dtype::f8e4m3, Dtype::f8e5m2})
    for (const Distribution distribution : {uniform, normal, kaiming, xavier})
      specs.push_back(spec_of(dtype, distribution, -1, 1.5, kCount));
  for (const Dtype dtype : kAllDtypes)
    specs.push_back(spec_of(dtype, integers, 1, is_8bit_float(dtype) ? 8 : 100, kCount));
  specs.push_back(spec_of(Dtype::s32, integers, -0x1p31, 0x1p31 - 1, kCount));
  specs.push_back(spec_of(Dtype::s64, integers, -0x1p53, 0x1p53, kCount));
  specs.push_back(spec_of(Dtype::f64, integers, 0, 0x1p20, kCount));
  specs.push_back(spec_of(Dtype::f32, integers, -0x1p24, 0x1p24, kCount));
  specs.push_back(spec_of(Dtype::bf16, integers, -256, 256, kCount));
  specs.push_back(spec_of(Dtype::f16, integers, -2048, 2048, kCount));
  specs.push_back(spec_of(Dtype::s64, integers, 0x1p40, 0x1p40 + 1000, kCount));
  const std::size_t dense = specs.size();
  for (std::size_t i = 0; i < dense; ++i) {
    specs.push_back(specs[i]);
    specs.back().density = 0.3;
  }
  return specs;
}

TEST(GeneratorTest, ThreadsMakeNoDifference) {
  for (const auto& spec : all_kinds()) {
    const auto alone = bytes_of(spec, 1);
    for (const int threads : {2, 3, 7, 100})
      ASSERT_TRUE(bytes_of(spec, threads) == alone) << spec.summary() << threads;
  }
}

TEST(GeneratorTest, InstructionsMakeNoDifference) {
  for (const auto& spec : all_kinds()) {
    const auto plain = bytes_of(spec, 1, Instructions::plain);
    for (const Instructions wide : {Instructions::avx2, Instructions::avx512}) {
      if (!usable(wide)) continue;
      ASSERT_TRUE(bytes_of(spec, 1, wide) == plain) << spec.summary();
    }
  }
}

TEST(GeneratorTest, AShorterTensorIsTheBeginningOfALongerOne) {
  for (auto spec : all_kinds()) {
    const auto longer = bytes_of(spec);
    spec.shape = {2048 + 3};
    const auto shorter = bytes_of(spec);
    ASSERT_EQ(std::memcmp(shorter.data(), longer.data(), shorter.size()), 0) << spec.summary();
  }
}

TEST(GeneratorTest, FirstElementsFollowFromThePublishedWords) {
  // Seed 0, block 0: Random123 publishes the words below; u = (word >> 8) / 2^24, value = -1 + 2 u, exact
  // in f32.
  TensorSpec spec = spec_of(Dtype::f32, Distribution::uniform, -1, 1, 4);
  spec.seed = 0;
  const auto values = values_of(spec);
  constexpr std::uint32_t kWords[] = {0x5f6fb709, 0x0d893f64, 0x4f121f81, 0x4f730a48};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(values[i], -1.0 + 2.0 * (kWords[i] >> 8) / 0x1p24);
  // integers(0, 255) takes the top byte of each half, the low half first.
  spec = spec_of(Dtype::u8, Distribution::integers, 0, 255, 8);
  spec.seed = 0;
  EXPECT_THAT(values_of(spec), testing::ElementsAre(0xb7, 0x5f, 0x3f, 0x0d, 0x1f, 0x4f, 0x0a, 0x4f));
  // f64: the pair (word 1, word 0), its upper 52 bits.
  spec = spec_of(Dtype::f64, Distribution::uniform, 0, 1, 1);
  spec.seed = 0;
  EXPECT_EQ(values_of(spec)[0], static_cast<double>(0x0d893f645f6fb709 >> 12) * 0x1p-52);
}

// Observed once and pinned: results refer to inputs by identity, so the bytes behind an identity may never
// change.
TEST(GeneratorTest, BytesArePinned) {
  const auto hash = [](const TensorSpec& spec) {
    const auto bytes = bytes_of(spec);
    return content_hash(bytes.data(), bytes.size()).hex();
  };
  EXPECT_EQ(hash(spec_of(Dtype::f32, Distribution::uniform, -1, 1, 10000)),
            "9a235f637269d3a29d01916a31e9c754");
  EXPECT_EQ(hash(spec_of(Dtype::f32, Distribution::normal, 0, 1, 10000)),
            "4a7ae62d815e8d969e2c9a400d163f71");
  EXPECT_EQ(hash(spec_of(Dtype::f64, Distribution::normal, 0, 1, 10000)),
            "183e9e167289f8bde98880f1c65597fd");
  EXPECT_EQ(hash(spec_of(Dtype::bf16, Distribution::kaiming, 0, 0, 10000)),
            "60def17d72e394b6aadc407b3ffb2729");
  EXPECT_EQ(hash(spec_of(Dtype::s8, Distribution::integers, -8, 8, 10000)),
            "ae1fab855feee8a916469eb037c3d220");
}

TEST(GeneratorTest, OutliersAreTheSameColumnsOfEachRow) {
  TensorSpec spec = spec_of(Dtype::f32, Distribution::normal, 0, 1, 1);
  spec.shape = {5, 7};
  const auto plain = values_of(spec);
  spec.distribution = Distribution::outliers;
  spec.a = 20;
  spec.b = 3;
  const auto values = values_of(spec);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool outlier = i % 7 == 2 || i % 7 == 5;
    EXPECT_EQ(values[i], static_cast<double>(static_cast<float>(plain[i]) * (outlier ? 20.0F : 1.0F))) << i;
  }
}

struct Moments {
  double mean, variance;
};
Moments moments_of(const std::vector<double>& values) {
  double sum = 0;
  double squares = 0;
  for (const double value : values) sum += value;
  const double mean = sum / static_cast<double>(values.size());
  for (const double value : values) squares += (value - mean) * (value - mean);
  return {mean, squares / static_cast<double>(values.size())};
}

// With n variates of variance v and kurtosis k, the sample mean deviates by sqrt(v / n) and the sample
// variance by v sqrt((k - 1) / n). Five deviations: wrong once in two million seeds, and the seed is fixed.
void expect_moments(const TensorSpec& spec, double mean, double variance, double kurtosis) {
  const auto values = values_of(spec);
  const Moments seen = moments_of(values);
  const auto n = static_cast<double>(values.size());
  EXPECT_NEAR(seen.mean, mean, 5 * std::sqrt(variance / n)) << spec.summary();
  EXPECT_NEAR(seen.variance, variance, 5 * variance * std::sqrt((kurtosis - 1) / n)) << spec.summary();
}

TEST(GeneratorTest, DistributionsHaveTheirMeanAndVariance) {
  constexpr std::int64_t kCount = 1'000'000;
  for (const Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::f16}) {
    // Uniform of width w: variance w^2 / 12, kurtosis 1.8.
    expect_moments(spec_of(dtype, Distribution::uniform, -1, 3, kCount), 1, 16.0 / 12, 1.8);
    expect_moments(spec_of(dtype, Distribution::normal, 0.5, 2, kCount), 0.5, 4, 3);
    expect_moments(spec_of(dtype, Distribution::kaiming, 0, 0, kCount), 0, 2.0 / 50, 3);
    // Uniform in +-sqrt(6 / 150): variance 4 * 6 / 150 / 12 = 2 / 150.
    expect_moments(spec_of(dtype, Distribution::xavier, 0, 0, kCount), 0, 2.0 / 150, 1.8);
  }
  // Whole numbers from a to b, n of them: variance (n^2 - 1) / 12, kurtosis below 1.8.
  expect_moments(spec_of(Dtype::s8, Distribution::integers, -10, 10, kCount), 0, (21.0 * 21 - 1) / 12, 1.8);
  expect_moments(spec_of(Dtype::s32, Distribution::integers, 0, 999999, kCount), 499999.5, (1e12 - 1) / 12,
                 1.8);
}

// The number of elements beyond each whole number of deviations, among four million: binomial, five
// deviations of the count. From halves the distances come in steps, so that counts shift by up to one step,
// 2^-18 of all.
TEST(GeneratorTest, NormalTailsHaveTheirWeight) {
  constexpr std::int64_t kCount = 4'000'000;
  for (const Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::bf16}) {
    const auto values = values_of(spec_of(dtype, Distribution::normal, 0, 1, kCount));
    // Just above the whole numbers, where no 16-bit float rounds across.
    for (const double limit : {0.501, 1.001, 2.001, 3.001, 4.001}) {
      const double share = std::erfc(limit / std::sqrt(2.0)) / 2;
      const auto above = std::count_if(values.begin(), values.end(), [&](double x) { return x > limit; });
      const auto below = std::count_if(values.begin(), values.end(), [&](double x) { return x < -limit; });
      // bf16 has neighbours of 2^-6 from 2 on: the border moves by up to half of that.
      const double step = dtype == Dtype::bf16 ? 0x1p-6 : dtype == Dtype::f16 ? 0x1p-9 : 0.0;
      const double density = std::exp(-limit * limit / 2) / std::sqrt(2 * std::acos(-1.0));
      const double slack =
          5 * std::sqrt(share * kCount) + (density * step + (step != 0 ? 0x1p-18 : 0)) * kCount;
      EXPECT_NEAR(static_cast<double>(above), share * kCount, slack) << name_of(dtype) << limit;
      EXPECT_NEAR(static_cast<double>(below), share * kCount, slack) << name_of(dtype) << limit;
    }
  }
}

// The two elements of a pair come from one distance and one angle; neither they nor their squares may be
// correlated. A correlation of n pairs of independent numbers deviates by 1 / sqrt(n), and so does that of
// the squares (kurtosis 3).
TEST(GeneratorTest, NormalNeighboursAreNotCorrelated) {
  constexpr std::size_t kPairs = 1'000'000;
  for (const Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::f16}) {
    const auto values = values_of(spec_of(dtype, Distribution::normal, 0, 1, 2 * kPairs));
    double products = 0;
    double squares = 0;
    double next = 0;
    for (std::size_t i = 0; i + 2 < values.size(); i += 2) {
      products += values[i] * values[i + 1];
      next += values[i + 1] * values[i + 2];
      squares += (values[i] * values[i] - 1) * (values[i + 1] * values[i + 1] - 1) / 2;
    }
    EXPECT_NEAR(products / kPairs, 0, 5e-3) << name_of(dtype);
    EXPECT_NEAR(next / kPairs, 0, 5e-3) << name_of(dtype);
    EXPECT_NEAR(squares / kPairs, 0, 5e-3) << name_of(dtype);
  }
}

TEST(GeneratorTest, UniformOf16BitFloatsLiesOnAGridOf65536Steps) {
  // From 0 to 1/4 f16 has neighbours of at most 2^-13, so the grid of 2^-18 is rounded there; from 16 to
  // 1040 it has neighbours of 2^-6 and more, and a grid of 2^-6 that starts at a number of the type shows.
  for (const double value : values_of(spec_of(Dtype::f16, Distribution::uniform, 16, 1040, 100000)))
    ASSERT_EQ(value * 64, std::floor(value * 64));
  const auto values = values_of(spec_of(Dtype::f16, Distribution::uniform, 0, 0.25, 100000));
  EXPECT_LT(*std::min_element(values.begin(), values.end()), 0x1p-14);
}

TEST(GeneratorTest, UniformStaysInItsHalfOpenRange) {
  for (const Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::bf16, Dtype::f16}) {
    // In bf16 the numbers from 1 to 2 are 1/128 apart: one value in 256 would round to 2.
    for (const double value : values_of(spec_of(dtype, Distribution::uniform, 1, 2, 100000))) {
      ASSERT_GE(value, 1.0);
      ASSERT_LT(value, 2.0) << name_of(dtype);
    }
  }
}

TEST(GeneratorTest, IntegersReachBothEndsAndNothingBeyond) {
  const auto values = values_of(spec_of(Dtype::s8, Distribution::integers, -2, 2, 1000));
  EXPECT_EQ(*std::min_element(values.begin(), values.end()), -2);
  EXPECT_EQ(*std::max_element(values.begin(), values.end()), 2);
  for (const double value : values_of(spec_of(Dtype::f32, Distribution::integers, 7, 7, 100)))
    ASSERT_EQ(value, 7);
}

TEST(GeneratorTest, SparsityZeroesElementsAndLeavesTheOthersAsTheyWere) {
  constexpr std::int64_t kCount = 100'000;
  TensorSpec spec = spec_of(Dtype::f32, Distribution::uniform, 1, 2, kCount);
  const auto dense = values_of(spec);
  spec.density = 0.1;
  const auto sparse = values_of(spec);
  std::int64_t kept = 0;
  for (std::size_t i = 0; i < dense.size(); ++i) {
    if (sparse[i] == 0) continue;
    ASSERT_EQ(sparse[i], dense[i]) << i;
    ++kept;
  }
  // Binomial: deviation sqrt(n p (1 - p)) = 95; five of them.
  EXPECT_NEAR(static_cast<double>(kept), 10000, 475);
}

// If 16 bits do not decide whether an element is kept, 16 of another stream do.
TEST(GeneratorTest, DensityIsExactBeyond16Bits) {
  constexpr std::int64_t kCount = 1 << 22;
  TensorSpec spec = spec_of(Dtype::u8, Distribution::integers, 1, 1, kCount);
  spec.density = 3 * 0x1p-17;  // half 0 is kept, half 1 half of the time
  const auto values = values_of(spec);
  const auto kept = std::count(values.begin(), values.end(), 1.0);
  // Binomial: 96 expected, deviation 9.8; with 16 bits alone it would be 64 or 128.
  EXPECT_NEAR(static_cast<double>(kept), 96, 25);
}

TEST(GeneratorTest, AnotherSeedGivesOtherElements) {
  TensorSpec spec = spec_of(Dtype::f32, Distribution::uniform, 0, 1, 1000);
  const auto first = values_of(spec);
  spec.seed += std::uint64_t{1} << 32;  // the upper half counts too
  const auto second = values_of(spec);
  int equal = 0;
  for (std::size_t i = 0; i < first.size(); ++i) equal += first[i] == second[i];
  EXPECT_LE(equal, 2);  // 1000 pairs, each equal with 2^-24
}

TEST(GeneratorTest, TensorsWithoutElementsAreMadeToo) {
  TensorSpec spec = spec_of(Dtype::f32, Distribution::uniform, 0, 1, 0);
  EXPECT_TRUE(generate(spec, {}, 4).has_value());
}

TEST(GeneratorTest, WrongRequestsAreErrors) {
  TensorSpec spec = spec_of(Dtype::f32, Distribution::uniform, 0, 1, 10);
  AlignedBytes bytes(44);
  EXPECT_THAT(generate(spec, bytes.span(), 1).error().message, IsGolden());
  spec.b = -1;
  EXPECT_THAT(generate(spec, bytes.span().first(40), 1).error().message, IsGolden());
  spec.file = TensorFile{"x.npy", "", std::nullopt};
  EXPECT_THAT(generate(spec, bytes.span().first(40), 1).error().message, IsGolden());
}

}  // namespace
}  // namespace kernsweep
