// The tolerances of what only tensor cores multiply, against products computed here as tensor cores are
// known to do it: all of them within, and one that lost a single product without.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "tests/kernels/gemm/gemm_points.hpp"

namespace kernsweep::testing {
namespace {

constexpr int kEdge = 32;  // 1024 results

double cut_to_tf32(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return static_cast<double>(std::bit_cast<float>(bits & 0xffffe000u));
}

double rounded_to_tf32(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return static_cast<double>(std::bit_cast<float>((bits + 0xfffu + (bits >> 13 & 1u)) & 0xffffe000u));
}

// The operands of one element of C: k of A, k of B.
struct Terms {
  std::vector<double> a, b;
};

using Sum = double (*)(const Terms& terms);

template <double (*Shorten)(double)>
double sum_of_shortened(const Terms& terms) {
  float sum = 0;
  for (std::size_t p = 0; p < terms.a.size(); ++p)
    sum += static_cast<float>(Shorten(terms.a[p]) * Shorten(terms.b[p]));
  return static_cast<double>(sum);
}

// `value` without its bits below 2^exponent.
double cut(double value, int exponent) {
  return std::ldexp(std::trunc(std::ldexp(value, -exponent)), exponent);
}

// H100: 32 products and the sum so far are cut off 13 bits below the largest of them; every 128 products
// the sum moves to an f32.
double sum_in_fixed_point(const Terms& terms) {
  float whole = 0;
  double sum = 0;
  for (std::size_t first = 0; first < terms.a.size(); first += 32) {
    const std::size_t last = std::min(first + 32, terms.a.size());
    int top = sum == 0 ? -1000 : std::ilogb(sum);
    for (std::size_t p = first; p < last; ++p)
      if (terms.a[p] * terms.b[p] != 0) top = std::max(top, std::ilogb(terms.a[p] * terms.b[p]));
    sum = cut(sum, top - 13);
    for (std::size_t p = first; p < last; ++p) sum += cut(terms.a[p] * terms.b[p], top - 13);
    if (sum != 0) sum = cut(sum, std::ilogb(sum) - 13);
    if (last % 128 != 0 && last != terms.a.size()) continue;
    whole += static_cast<float>(sum);
    sum = 0;
  }
  return static_cast<double>(whole);
}

struct Errors {
  double largest = 0;  // of the product computed by `sum`
  double missing = 0;  // that the loss of one product makes, the largest of all
};

Errors errors_of(const Settings& set, int k, Sum sum) {
  const auto inputs = inputs_as_doubles(gemm(), set);
  const Measured right = measure(gemm(), "naive", set);
  double scale = 0;
  for (const double value : right.values) scale = std::max(scale, std::fabs(value));
  Errors errors;
  for (int i = 0; i < kEdge; ++i)
    for (int j = 0; j < kEdge; ++j) {
      Terms terms;
      for (int p = 0; p < k; ++p) {
        terms.a.push_back(inputs[0][static_cast<std::size_t>(i * k + p)]);
        terms.b.push_back(inputs[1][static_cast<std::size_t>(p * kEdge + j)]);
        errors.missing = std::max(errors.missing, std::fabs(terms.a.back() * terms.b.back()) / scale);
      }
      const double expected = right.values[static_cast<std::size_t>(i * kEdge + j)];
      errors.largest = std::max(errors.largest, std::fabs(sum(terms) - expected) / scale);
    }
  return errors;
}

void expect_between(const char* dtype, Sum sum, double least) {
  for (const int k : {16, 128, 1024, 4096}) {
    const Settings set = product(kEdge, kEdge, k, dtype);
    const ks_tolerance tolerance = tolerance_of(gemm(), set);
    const Errors errors = errors_of(set, k, sum);
    EXPECT_EQ(tolerance.absolute, 0);
    EXPECT_LE(errors.largest, tolerance.relative) << dtype << " k " << k;
    if (k >= 128) {  // fewer products of 8-bit floats are hardly ever cut
      EXPECT_GE(errors.largest, least * tolerance.relative) << dtype << " k " << k << ": far too lax";
    }
    EXPECT_GT(errors.missing, 2 * tolerance.relative) << dtype << " k " << k;
  }
}

TEST(GemmTolerance, HoldsForTf32WhetherItRoundsOrCutsOff) {
  expect_between("tf32", sum_of_shortened<rounded_to_tf32>, 0.1);
  expect_between("tf32", sum_of_shortened<cut_to_tf32>, 0.1);
}

TEST(GemmTolerance, HoldsForTheFixedPointSumsOf8BitFloats) {
  expect_between("f8e4m3", sum_in_fixed_point, 0.03);
  expect_between("f8e5m2", sum_in_fixed_point, 0.03);
}

TEST(GemmTolerance, OfFewResultsGrowsWithTheirSums) {
  // 64 2^-24 as for f32, and sqrt(64) 2^-9.
  EXPECT_EQ(tolerance_of(gemm(), product(1, 1, 64, "tf32")).absolute, 0x1p-18 + 0x1p-6);
  EXPECT_EQ(tolerance_of(gemm(), product(64, 64, 64, "tf32")).absolute, 0);
}

TEST(GemmTolerance, KnowsTheRoundingOfTheResult) {
  const auto of = [](const char* out) {
    return tolerance_of(gemm(), with(product(64, 64, 64, "f8e4m3"), {{"out", out}})).relative;
  };
  EXPECT_EQ(of("f32"), 0x1p-19 + 0x1p-10);
  EXPECT_EQ(of("bf16"), 0x1p-19 + 0x1p-10 + 1.01 * 0x1p-8);
  EXPECT_EQ(of("f16"), 0x1p-19 + 0x1p-10 + 1.01 * 0x1p-11);
}

}  // namespace
}  // namespace kernsweep::testing
