// A row of C that is far smaller than the others: it has a scale of its own, so zeros in its place are
// wrong, and every variant is still right.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/kernels/gemm/gemm_points.hpp"

namespace kernsweep::testing {
namespace {

constexpr int kRows = 24, kColumns = 72, kDepth = 64, kSmallRow = 5;

// The small row is so small that, at the whole output's scale, zeros are within the tolerance.
struct Type {
  const char* name;
  int exponent;
};
constexpr Type kTypes[] = {{"f32", -22}, {"f64", -50}, {"bf16", -10}, {"f16", -13}};

double number_of(const std::string& input, std::int64_t index) {
  const double phase = static_cast<double>(index + 1) * (input == "a" ? 0.7390851 : 0.5671432);
  return 2 * (phase - std::floor(phase)) - 1;
}

HostOptions with_a_small_row(int exponent) {
  HostOptions options;
  options.element = [exponent](const std::string& input, std::int64_t index) {
    const bool small = input == "a" && index / kDepth == kSmallRow;
    return std::ldexp(number_of(input, index), small ? exponent : 0);
  };
  return options;
}

Settings set_of(const Type& type) {
  return product(kRows, kColumns, kDepth, type.name);
}

TEST(GemmSmallRows, ZerosInPlaceOfTheSmallestAreWrong) {
  for (const Type& type : kTypes) {
    const Measured right = measure(gemm(), "naive", set_of(type), with_a_small_row(type.exponent));
    ASSERT_EQ(right.values.size(), static_cast<std::size_t>(kRows * kColumns)) << right.why;
    Measured zeroed = right;
    const auto row = zeroed.values.begin() + kSmallRow * kColumns;
    ASSERT_TRUE(std::any_of(row, row + kColumns, [](double value) { return value != 0; })) << type.name;
    std::fill(row, row + kColumns, 0);
    ks_tolerance tolerance = tolerance_of(gemm(), set_of(type));
    EXPECT_EQ(tolerance.scale_dims, 1);
    EXPECT_NE(difference(zeroed, right, tolerance), "") << type.name;
    EXPECT_EQ(difference(right, right, tolerance), "");
    tolerance.scale_dims = 0;
    EXPECT_EQ(difference(zeroed, right, tolerance), "") << type.name << ": too large to show anything";
  }
}

TEST(GemmSmallRows, EveryVariantIsRight) {
  for (const Type& type : kTypes) {
    int answered = 0;
    for (const std::string& variant : names_of_variants(gemm())) {
      std::string why;
      if (can_run(gemm(), variant, set_of(type), why) != KS_OK) continue;
      ++answered;
      const std::string wrong = in_child([&] {
        return mismatch_with_reference(gemm(), variant, set_of(type), with_a_small_row(type.exponent));
      });
      EXPECT_EQ(wrong, "") << variant << " " << type.name;
    }
    EXPECT_GE(answered, 1) << type.name;
  }
}

TEST(GemmSmallRows, ARowOfZerosMayBeZero) {
  HostOptions options;
  options.element = [](const std::string& input, std::int64_t index) {
    return input == "a" && index / kDepth == kSmallRow ? 0 : number_of(input, index);
  };
  for (const Type& type : kTypes)
    for (const char* variant : {"naive", "blocked"})
      if (std::string why; can_run(gemm(), variant, set_of(type), why) == KS_OK) {
        EXPECT_EQ(mismatch_with_reference(gemm(), variant, set_of(type), options), "") << type.name;
      }
}

// Few results, short rows, rows after an activation and products of tensor cores may be small by
// cancellation, or relative to their sums.
TEST(GemmSmallRows, HaveTheScaleOfTheWholeOutputWhereTheirOwnSaysLittle) {
  for (const Settings& set : {product(1000, 15, 64), product(4, 4, 64), product(64, 64, 64, "tf32"),
                              product(64, 64, 64, "f8e4m3"), product(64, 63, 64, "bf16"),
                              with(product(64, 64, 64), {{"epilogue", "relu"}})})
    EXPECT_EQ(tolerance_of(gemm(), set).scale_dims, 0);
  EXPECT_EQ(tolerance_of(gemm(), product(16, 16, 1)).scale_dims, 1);
}

}  // namespace
}  // namespace kernsweep::testing
