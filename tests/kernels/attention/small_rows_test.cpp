// Results of one head that are far smaller than all others: each row has a scale of its own, so zeros in
// their place are wrong, and every variant is still right.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/kernels/attention/attention_points.hpp"

namespace kernsweep::testing {
namespace {

constexpr int kQueries = 5, kKeys = 19, kDepth = 33, kSmallHead = 1;

HostOptions with_a_small_head(int exponent) {
  HostOptions options;
  options.element = [exponent](const std::string& input, std::int64_t index) {
    const double phase = static_cast<double>(index + 1) * (input == "q" ? 0.7390851 : 0.5671432);
    const bool small = input == "v" && index / (kKeys * kDepth) == kSmallHead;
    return std::ldexp(2 * (phase - std::floor(phase)) - 1, small ? exponent : 0);
  };
  return options;
}

struct SmallRows {
  const char* dtype;
  int exponent;  // so small that zeros are within the tolerance of the whole output
};
constexpr SmallRows kSmallRows[] = {{"f32", -30}, {"bf16", -10}};

Settings small_rows_of(const SmallRows& small) {
  return with(attention_of(3, kQueries, kKeys, kDepth), {{"dtype", small.dtype}});
}

TEST(AttentionSmallRows, ZerosInPlaceOfTheSmallestAreWrong) {
  for (const SmallRows& small : kSmallRows) {
    const Measured right =
        measure(attention(), "naive", small_rows_of(small), with_a_small_head(small.exponent));
    ASSERT_EQ(right.values.size(), static_cast<std::size_t>(3 * kQueries * kDepth)) << right.why;
    for (int row = 0; row < kQueries; ++row) {
      Measured zeroed = right;
      std::fill_n(zeroed.values.begin() + (kSmallHead * kQueries + row) * kDepth, kDepth, 0);
      ks_tolerance tolerance = tolerance_of(attention(), small_rows_of(small));
      EXPECT_NE(difference(zeroed, right, tolerance), "") << small.dtype;
      tolerance.scale_dims = 0;
      EXPECT_EQ(difference(zeroed, right, tolerance), "") << small.dtype << ": too large to show anything";
    }
  }
}

TEST(AttentionSmallRows, EveryVariantIsRight) {
  for (const SmallRows& small : kSmallRows)
    for (const std::string& variant : names_of_variants(attention()))
      if (std::string why; can_run(attention(), variant, small_rows_of(small), why) == KS_OK) {
        EXPECT_EQ(mismatch_with_reference(attention(), variant, small_rows_of(small),
                                          with_a_small_head(small.exponent)),
                  "")
            << variant << " " << small.dtype;
      }
}

}  // namespace
}  // namespace kernsweep::testing
