// Tolerances of linear layers: honest errors of 8 bits are within, zeros in place of a part are not.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/kernels/linear/linear_points.hpp"

namespace kernsweep::testing {
namespace {

constexpr int kManyRows = 32, kManyOut = 96, kManyDepth = 160;

double largest_of(const Measured& y, int first, int count, int step) {
  double out = 0;
  for (int i = 0; i < count; ++i)
    out = std::max(out, std::abs(y.values[static_cast<std::size_t>(first + i * step)]));
  return out;
}

// The row, or the column, whose largest element is the smallest, becomes zeros.
Measured with_zeros(Measured y, bool in_row) {
  const int parts = in_row ? kManyRows : kManyOut, count = in_row ? kManyOut : kManyRows;
  const int part_step = in_row ? kManyOut : 1, step = in_row ? 1 : kManyOut;
  int smallest = 0;
  for (int part = 1; part < parts; ++part)
    if (largest_of(y, part * part_step, count, step) < largest_of(y, smallest * part_step, count, step))
      smallest = part;
  for (int i = 0; i < count; ++i) y.values[static_cast<std::size_t>(smallest * part_step + i * step)] = 0;
  return y;
}

TEST(LinearSmallRows, ZerosInPlaceOfTheSmallestRowOrColumnAreWrong) {
  for (const char* dtype : {"f32", "bf16", "s8"})
    for (const char* scales : {"dynamic", "static"})
      for (const char* epilogue : {"none", "bias_relu", "bias_gelu"}) {
        const Settings set = with(linear_of(kManyRows, kManyOut, kManyDepth),
                                  {{"dtype", dtype}, {"scales", scales}, {"epilogue", epilogue}});
        const Measured right = measure(linear(), "naive", set);
        const bool activated = std::string(epilogue) != "none";
        for (const bool in_row : {true, false}) {
          if (activated && !in_row) continue;  // a bias far below zero leaves nothing of a column
          EXPECT_NE(difference(with_zeros(right, in_row), right, tolerance_of(linear(), set)), "")
              << dtype << " " << scales << " " << epilogue << (in_row ? " row" : " column");
        }
      }
}

// Other inputs than those of the other tests; each seed has its own largest numbers.
TEST(LinearSmallRows, HonestErrorsAreWithinTheToleranceForEverySeed) {
  for (std::uint64_t seed = 2; seed < 22; ++seed)
    for (const char* scales : {"dynamic", "static"})
      for (const char* activations : {"s8", "u8"})
        for (const int depth : {5, 64, 500})
          EXPECT_EQ(
              mismatch_with_reference(
                  linear(), "own", quantised_linear_of(11, 70, depth, scales, activations), {.seed = seed}),
              "")
              << "seed " << seed << " " << scales << " " << activations << " depth " << depth;
}

// Seen: with 20-fold outliers a tolerance of 2.45 accepted any output.
TEST(LinearSmallRows, NoPointAcceptsZerosInPlaceOfARow) {
  for (const int rows : {1, 33, 300})
    for (const int depth : {64, 128, 1025})
      for (const char* scales : {"dynamic", "static"})
        for (const char* epilogue : {"none", "bias_gelu"})
          for (const int outliers : {1, 8, 20}) {
            const ks_tolerance tolerance =
                tolerance_of(linear(), with(quantised_linear_of(rows, 64, depth, scales, "s8"),
                                            {{"epilogue", epilogue}, {"outliers", outliers}}));
            EXPECT_LE(tolerance.relative, 0.9) << rows << " " << depth << " " << scales << " " << outliers;
            EXPECT_EQ(tolerance.scale_dims, 1);
            EXPECT_LT(tolerance.absolute, 1e-30);
          }
}

TEST(LinearSmallRows, OutliersMakeErrorsThatAreWithinAndZerosThatAreNot) {
  for (const double factor : {8.0, 20.0})
    for (const char* scales : {"dynamic", "static"}) {
      const Settings set =
          with(quantised_linear_of(kManyRows, kManyOut, 512, scales, "s8"), {{"outliers", factor}});
      const Measured right = measure(linear(), "naive", set);
      if (factor < 20 || scales == std::string("dynamic")) {
        EXPECT_NE(difference(with_zeros(right, true), right, tolerance_of(linear(), set)), "") << scales;
      }
      for (std::uint64_t seed = 1; seed < 11; ++seed)
        EXPECT_EQ(mismatch_with_reference(linear(), "own", set, {.seed = seed}), "")
            << scales << " " << seed;
    }
}

// Steps of a scale that is forgotten, or a dropped block of the sum, are far beyond this.
TEST(LinearSmallRows, TheToleranceIsNotWide) {
  for (const char* dtype : {"bf16", "s8"}) {
    const Settings set = with(linear_of(kManyRows, kManyOut, 1024), {{"dtype", dtype}});
    EXPECT_LT(tolerance_of(linear(), set).relative, dtype == std::string("s8") ? 0.13 : 0.02);
    EXPECT_EQ(tolerance_of(linear(), set).scale_dims, 1);
  }
  EXPECT_LT(tolerance_of(linear(), quantised_linear_of(kManyRows, kManyOut, 1024, "static", "s8")).relative,
            0.25);
}

}  // namespace
}  // namespace kernsweep::testing
