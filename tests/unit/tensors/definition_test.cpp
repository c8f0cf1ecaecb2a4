// docs/internals/tensors.md says how to make the bytes of a tensor. This is a second implementation of that
// text, one element at a time and in the simplest way, and the generator must agree with it bit by bit;
// then the text's table of known answers is compared with the generator.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "tensors/generator.hpp"
#include "tensors/philox.hpp"
#include "tensors/ranges.hpp"
#include "tests/golden_text/places.hpp"

namespace kernsweep {
namespace {

std::uint64_t random_bits(const TensorSpec& spec, std::uint32_t stream, std::uint64_t i, unsigned bits) {
  const std::uint64_t block = i * bits / 128;
  const std::uint32_t counter[4] = {static_cast<std::uint32_t>(block),
                                    static_cast<std::uint32_t>(block >> 32), stream, 0};
  const std::uint32_t key[2] = {static_cast<std::uint32_t>(spec.seed),
                                static_cast<std::uint32_t>(spec.seed >> 32)};
  std::uint32_t words[4];
  philox_block(counter, key, words);
  const unsigned at = static_cast<unsigned>(i * bits % 128);
  if (bits == 64) return words[at / 32] | static_cast<std::uint64_t>(words[at / 32 + 1]) << 32;
  return (words[at / 32] >> at % 32) & (bits == 32 ? 0xffffffffu : 0xffffu);
}

unsigned bits_per_float(Dtype dtype) {
  return dtype == Dtype::f64 ? 64 : dtype == Dtype::f32 ? 32 : 16;
}

template <class Float>
Float uniform(Float low, Float span, Float bottom, Float top, Float u) {
  return std::min(std::max(low + span * u, bottom), top);
}

double uniform_at(const TensorSpec& spec, std::uint64_t i, double a, double b) {
  const double bottom = smallest_from(spec.dtype, a);
  const double top = largest_below(spec.dtype, b);
  const unsigned bits = bits_per_float(spec.dtype);
  const std::uint64_t random = random_bits(spec, 0, i, bits);
  if (bits == 64) return uniform(a, b - a, bottom, top, static_cast<double>(random >> 12) * 0x1p-52);
  const float u =
      bits == 32 ? static_cast<float>(random >> 8) * 0x1p-24f : static_cast<float>(random) * 0x1p-16f;
  return uniform(static_cast<float>(a), static_cast<float>(b - a), static_cast<float>(bottom),
                 static_cast<float>(top), u);
}

template <class Float>
struct Polynomials {
  std::vector<Float> log, sine, cosine;
};
const Polynomials<float> k16 = {
    {-2.00000748e+0f, 9.99789605e-1f, -6.65318116e-1f, 5.08667127e-1f, -4.39314170e-1f, 2.80432466e-1f},
    {1.57079407e+0f, -6.45801529e-1f, 7.79537937e-2f},
    {9.9998998e-1f, -1.23297865e+0f, 2.45941982e-1f}};
const Polynomials<float> k32 = {{-1.99999994e+0f, 1.00000750e+0f, -6.66692120e-1f, 4.99378139e-1f,
                                 -3.98266958e-1f, 3.45564121e-1f, -3.22524958e-1f, 1.97907015e-1f},
                                {1.57079632e+0f, -6.45963478e-1f, 7.96802176e-2f, -4.60214921e-3f},
                                {9.99999972e-1f, -1.23369701e+0f, 2.53598571e-1f, -2.04081584e-2f}};
const Polynomials<double> k64 = {{-0x1.fffffffffff12p+1, -0x1.555555567148cp+0, -0x1.9999962c06032p-1,
                                  -0x1.2494381ee5869p-1, -0x1.c620ee6e2b4a3p-2, -0x1.9192e478c4308p-2},
                                 {0x1.921fb54442cfap+0, -0x1.4abbce6257a2ap-1, 0x1.466bc67123fa1p-4,
                                  -0x1.32d2c644adc0bp-8, 0x1.5071ce4b47930p-13, -0x1.dd54805f3f706p-19},
                                 {0x1.ffffffffffe0bp-1, -0x1.3bd3cc9bd2c35p+0, 0x1.03c1f074ded21p-2,
                                  -0x1.55d3ba300cd50p-6, 0x1.e1e7ccccb387ap-11, -0x1.a0ee132c60c1fp-16}};

template <class Float>
Float sum_of(Float x, const std::vector<Float>& c) {
  const Float x2 = x * x;
  if (c.size() == 3) return (c[0] + c[1] * x) + c[2] * x2;
  const Float first = (c[0] + c[1] * x) + (c[2] + c[3] * x) * x2;
  if (c.size() == 4) return first;
  if (c.size() == 6) return first + (c[4] + c[5] * x) * (x2 * x2);
  return first + ((c[4] + c[5] * x) + (c[6] + c[7] * x) * x2) * (x2 * x2);
}

// x = 2^e m, sqrt(1/2) <= m < sqrt(2).
template <class Float>
Float normal(Float x, int scale, Float f, std::uint64_t flags, const Polynomials<Float>& p, Float mean,
             Float deviation, bool second) {
  int e = 0;
  Float m = std::frexp(x, &e);
  const auto border = static_cast<Float>(sizeof(Float) == 4 ? std::bit_cast<float>(0x3f3504f3u)
                                                            : std::bit_cast<double>(0x3fe6a09e667f3bcdu));
  if (m < border) m *= 2, e -= 1;
  const auto two_log_two = static_cast<Float>(sizeof(Float) == 4 ? 0x1.62e430p+0f : 0x1.62e42fefa39efp+0);
  const Float t = m - 1;
  const Float s = t / (m + 1);
  const Float rest = sizeof(Float) == 4 ? t * sum_of(t, p.log) : s * sum_of(s * s, p.log);
  const Float radius = deviation * std::sqrt(static_cast<Float>(scale - e) * two_log_two + rest);
  const Float up = f * sum_of(f * f, p.sine);
  const Float right = (flags & 2) != 0 ? -sum_of(f * f, p.cosine) : sum_of(f * f, p.cosine);
  return mean + radius * (((flags & 1) != 0) != second ? up : right);
}

double normal_at(const TensorSpec& spec, std::uint64_t i, double mean, double deviation) {
  const auto mean32 = static_cast<float>(mean);
  const auto deviation32 = static_cast<float>(deviation);
  const bool second = i % 2 != 0;
  if (spec.dtype == Dtype::f64) {
    const std::uint64_t p = random_bits(spec, 0, i / 2 * 2, 64);
    const std::uint64_t q = random_bits(spec, 0, i / 2 * 2 + 1, 64);
    return normal(static_cast<double>(p >> 12) + 0.5, 52, static_cast<double>(q >> 12) * 0x1p-52 - 0.5, q,
                  k64, mean, deviation, second);
  }
  if (spec.dtype == Dtype::f32) {
    const auto p = static_cast<std::uint32_t>(random_bits(spec, 0, i / 2 * 2, 32));
    const auto q = static_cast<std::uint32_t>(random_bits(spec, 0, i / 2 * 2 + 1, 32));
    const auto angle = static_cast<std::int32_t>(q - q % 4);
    return normal(static_cast<float>(p >> 1) + 0.5f, 31, static_cast<float>(angle) * 0x1p-32f, q, k32,
                  mean32, deviation32, second);
  }
  const auto p = static_cast<std::uint32_t>(random_bits(spec, 0, i / 2, 32));
  const auto steps = static_cast<int>(p >> 2 & 0xfff) - ((p >> 13 & 1) != 0 ? 0x1000 : 0);
  return normal(static_cast<float>(p >> 14) + 0.5f, 18, (static_cast<float>(steps) + 0.5f) / 4096, p, k16,
                mean32, deviation32, second);
}

double integer_at(const TensorSpec& spec, std::uint64_t i) {
  __extension__ using Wide = unsigned __int128;
  const auto first = static_cast<std::int64_t>(spec.a);
  const auto numbers = static_cast<std::uint64_t>(static_cast<std::int64_t>(spec.b) - first) + 1;
  const unsigned bits = numbers <= 0x100 ? 16 : numbers <= 0x10000 ? 32 : 64;
  const Wide product = static_cast<Wide>(random_bits(spec, 0, i, bits)) * numbers;
  return static_cast<double>(first + static_cast<std::int64_t>(product >> bits));
}

double element_at(const TensorSpec& spec, std::uint64_t i) {
  const std::uint64_t keep = random_bits(spec, 1, i, 16) << 16 | random_bits(spec, 2, i, 16);
  if (static_cast<double>(keep) >= std::ceil(spec.density * 0x1p32)) return 0;
  const double fans = static_cast<double>(spec.fan_in) + static_cast<double>(spec.fan_out);
  switch (spec.distribution) {
    case Distribution::uniform:
      return uniform_at(spec, i, spec.a, spec.b);
    case Distribution::xavier:
      return uniform_at(spec, i, -std::sqrt(6.0 / fans), std::sqrt(6.0 / fans));
    case Distribution::normal:
      return normal_at(spec, i, spec.a, spec.b);
    case Distribution::kaiming:
      return normal_at(spec, i, 0.0, std::sqrt(2.0 / static_cast<double>(spec.fan_in)));
    case Distribution::outliers: {
      const double x = normal_at(spec, i, 0, 1);
      const auto columns = static_cast<std::uint64_t>(spec.shape.back());
      const auto period = static_cast<std::uint64_t>(spec.b);
      if (i % columns % period != period - 1) return x;
      if (spec.dtype == Dtype::f64) return x * spec.a;
      return static_cast<double>(static_cast<float>(x) * static_cast<float>(spec.a));
    }
    case Distribution::integers:
      return integer_at(spec, i);
  }
  return 0;
}

// As the generator rounds: shorter types from the f32.
double rounded(Dtype dtype, double x) {
  if (dtype == Dtype::f16) return static_cast<double>(float_of_f16(f16_of(static_cast<float>(x))));
  if (dtype == Dtype::bf16) return static_cast<double>(float_of_bf16(bf16_of(static_cast<float>(x))));
  if (dtype == Dtype::f8e4m3) return static_cast<double>(float_of_f8e4m3(f8e4m3_of(static_cast<float>(x))));
  if (dtype == Dtype::f8e5m2) return static_cast<double>(float_of_f8e5m2(f8e5m2_of(static_cast<float>(x))));
  return x;
}

std::vector<std::uint64_t> made(const TensorSpec& spec) {
  std::vector<std::uint64_t> memory((spec.bytes() + 7) / 8);
  const std::span<std::byte> bytes(reinterpret_cast<std::byte*>(memory.data()), spec.bytes());
  EXPECT_TRUE(generate(spec, bytes, 2).has_value());
  return memory;
}

void expect_as_defined(TensorSpec spec) {
  spec.shape = {3000};
  spec.fan_in = 30;
  spec.fan_out = 50;
  spec.seed = 0x0123456789abcdef;
  for (const double density : {1.0, 0.3}) {
    spec.density = density;
    const auto memory = made(spec);
    for (std::uint64_t i = 0; i < spec.elements(); ++i)
      ASSERT_EQ(element_as_double(spec.dtype, memory.data(), static_cast<std::int64_t>(i)),
                rounded(spec.dtype, element_at(spec, i)))
          << spec.summary() << " element " << i;
  }
}

TensorSpec spec_of(Dtype dtype, Distribution distribution, double a, double b) {
  TensorSpec spec;
  spec.dtype = dtype;
  spec.distribution = distribution;
  spec.a = a;
  spec.b = b;
  return spec;
}

TEST(DefinitionTest, FloatsAreThoseOfTheText) {
  using enum Distribution;
  for (const Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::bf16, Dtype::f16, Dtype::f8e4m3, Dtype::f8e5m2})
    for (const Distribution each : {uniform, normal, kaiming, xavier}) {
      expect_as_defined(spec_of(dtype, each, -1, 1));
      expect_as_defined(spec_of(dtype, each, 0.1, 0.7));
    }
  expect_as_defined(spec_of(Dtype::f64, outliers, 20, 7));
  expect_as_defined(spec_of(Dtype::f32, outliers, 20, 128));
  expect_as_defined(spec_of(Dtype::bf16, outliers, 1.5, 1));
}

TEST(DefinitionTest, IntegersAreThoseOfTheText) {
  using enum Distribution;
  for (const Dtype dtype : kAllDtypes) {
    expect_as_defined(spec_of(dtype, integers, 3, 3));
    expect_as_defined(spec_of(dtype, integers, 1, is_8bit_float(dtype) ? 7 : 100));
    const IntegerRange all = exact_integers(dtype);
    expect_as_defined(spec_of(dtype, integers, all.lowest, all.highest));
  }
  for (const Dtype dtype : {Dtype::s32, Dtype::s64, Dtype::f32, Dtype::f64}) {
    expect_as_defined(spec_of(dtype, integers, -1000, 64535));  // 2^16 numbers
    expect_as_defined(spec_of(dtype, integers, -1000, 64536));  // one more
  }
}

// "0102 0304": the bit patterns of the first elements, each with all its digits.
std::string first_elements(const TensorSpec& spec) {
  const auto memory = made(spec);
  const std::size_t size = size_of(spec.dtype);
  std::string text;
  for (std::size_t i = 0; i < spec.elements(); ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, reinterpret_cast<const std::byte*>(memory.data()) + i * size, size);
    text += fmt::format("{}{:0{}x}", i == 0 ? "" : " ", bits, 2 * size);
  }
  return text;
}

// Each line of the table: | dtype | what | bit patterns |, in this order.
TEST(DefinitionTest, KnownAnswersOfTheDocumentAreGiven) {
  using enum Distribution;
  std::vector<TensorSpec> specs;
  const Dtype floats[] = {Dtype::f64, Dtype::f32, Dtype::bf16, Dtype::f16, Dtype::f8e4m3, Dtype::f8e5m2};
  for (const Dtype dtype : floats) {
    specs.push_back(spec_of(dtype, uniform, -1, 1));
    specs.push_back(spec_of(dtype, normal, 0, 1));
    specs.push_back(spec_of(dtype, kaiming, 0, 0));
    specs.push_back(spec_of(dtype, xavier, 0, 0));
  }
  for (const Dtype dtype : kAllDtypes)
    specs.push_back(spec_of(dtype, integers, 0, is_8bit_float(dtype) ? 8 : 99));
  specs.push_back(spec_of(Dtype::s32, integers, -1000, 1000));
  specs.push_back(spec_of(Dtype::s64, integers, -0x1p40, 0x1p40));
  specs.push_back(spec_of(Dtype::f32, uniform, -1, 1));
  specs.back().density = 0.5;
  std::string expected;
  for (TensorSpec& spec : specs) {
    spec.shape = {4};
    spec.fan_in = 64;
    spec.fan_out = 32;
    spec.seed = 1;
    std::string what = spec.summary().substr(name_of(spec.dtype).size() + 4);
    what.resize(what.find(" seed"));
    expected += fmt::format("| {} | `{}` | `{}` |\n", name_of(spec.dtype), what, first_elements(spec));
  }
  std::ifstream file(source_folder() + "/docs/internals/tensors.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(text.find(expected), std::string::npos) << "the table would have to be\n" << expected;
}

}  // namespace
}  // namespace kernsweep
