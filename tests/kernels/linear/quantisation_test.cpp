// Linear layers with 8-bit numbers: exact if the operands are representable, else near.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/kernels/linear/linear_points.hpp"

namespace kernsweep::testing {
namespace {

constexpr int kRows = 9, kOut = 70, kDepth = 133;

// Whole numbers, of x from `least` to `most` and of w from -127 to 127, with both ends in each row: a scale
// is 1 then, and all numbers are exact.
HostOptions whole_numbers(int least, int most) {
  HostOptions options;
  options.element = [least, most](const std::string& input, std::int64_t index) -> double {
    if (input == "bias") return static_cast<double>(index % 7) - 3;
    const std::int64_t column = index % kDepth, first = input == "w" ? -127 : least;
    const std::int64_t last = input == "w" ? 127 : most;
    if (column < 8) return static_cast<double>(column % 2 == 0 ? first : last);
    return static_cast<double>(first + index * 7919 % (last - first + 1));
  };
  return options;
}

Settings exact_point(const char* scales, const char* activations) {
  return with(quantised_linear_of(kRows, kOut, kDepth, scales, activations), {{"epilogue", "bias"}});
}

// Pairs of the largest products would not fit the 16 bits that AVX2 adds them in.
TEST(LinearQuantisation, NumbersThatEightBitsHaveAreMultipliedExactly) {
  for (const char* scales : {"dynamic", "static"})
    for (const char* activations : {"s8", "u8"}) {
      const bool is_u8 = std::string(activations) == "u8";
      const HostOptions options = is_u8 ? whole_numbers(-100, 155) : whole_numbers(-127, 127);
      const Settings point = exact_point(scales, activations);
      const Measured right = measure(linear(), "naive", point, options);
      for (const Settings& set :
           {point, with(point, {{"isa", "avx512_vnni"}}), with(point, {{"isa", "avx2"}}),
            with(point, {{"isa", "baseline"}}), with(point, {{"weight_scales", "tensor"}})})
        for (const char* variant : {"own", "onednn"}) {
          std::string why;
          if (can_run(linear(), variant, set, why) == KS_UNSUPPORTED) continue;
          EXPECT_EQ(difference(measure(linear(), variant, set, options), right, {.relative = 1e-6}), "")
              << variant << " " << scales << " " << activations;
        }
    }
}

TEST(LinearQuantisation, EveryInstructionSetGivesTheSameBits) {
  for (const char* activations : {"s8", "u8"}) {
    const Settings point =
        with(quantised_linear_of(13, 67, 301, "dynamic", activations), {{"epilogue", "bias_relu"}});
    const auto bits = [&](const char* isa, int threads, int runs) {
      return measure(linear(), "own", with(point, {{"isa", isa}}), {.threads = threads, .runs = runs});
    };
    const Measured first = bits("baseline", 1, 1);
    EXPECT_TRUE(same_bits(bits("baseline", 2, 3), first));
    for (const char* isa : {"avx2", "avx512_vnni"}) {
      std::string why;
      if (can_run(linear(), "own", with(point, {{"isa", isa}}), why) == KS_OK) {
        EXPECT_EQ(difference(bits(isa, 2, 2), first, {.relative = 1e-6}), "") << isa;  // contracted or not
      }
    }
  }
}

// x is twice as large as what the scale was found from: each number becomes the largest one.
TEST(LinearQuantisation, StaticScalesCutOffWhatIsBeyondTheCalibration) {
  HostOptions options;
  options.element = [](const std::string& input, std::int64_t) { return input == "x" ? 2.0 : 1.0; };
  const auto first_of = [&](const char* variant, const char* scales, const char* activations) {
    return measure(linear(), variant, quantised_linear_of(2, 3, 5, scales, activations), options)
        .values.at(0);
  };
  for (const char* activations : {"s8", "u8"})
    for (const char* variant : {"own", "onednn"}) {
      std::string why;
      if (can_run(linear(), variant, quantised_linear_of(2, 3, 5, "static", activations), why) != KS_OK)
        continue;
      EXPECT_NEAR(first_of(variant, "static", activations), 5, 1e-5) << variant;
      EXPECT_NEAR(first_of(variant, "dynamic", activations), 10, 1e-5) << variant;
    }
}

double error_norm(const Measured& x, const Measured& right) {
  double apart = 0, size = 0;
  for (std::size_t i = 0; i < x.values.size(); ++i) {
    apart += std::pow(x.values[i] - right.values[i], 2);
    size += std::pow(right.values[i], 2);
  }
  return std::sqrt(apart / size);
}

double error_of(const Settings& set, const HostOptions& options = {}) {
  return error_norm(measure(linear(), "own", set, options), measure(linear(), "naive", set, options));
}

// Rounding within half a step of 1 / 127 of about 4 deviations: 0.9 % of x and of w, 1.3 % of y.
TEST(LinearQuantisation, TheErrorIsThatOfRoundingBothOperands) {
  const double error = error_of(quantised_linear_of(40, 90, 400, "dynamic", "s8"));
  EXPECT_GT(error, 0.008);
  EXPECT_LT(error, 0.018);
}

TEST(LinearQuantisation, AScaleForEachRowOfWHelpsWhereRowsDiffer) {
  HostOptions options;
  options.element = [](const std::string& input, std::int64_t index) {
    const double value = std::sin(static_cast<double>(index) * 1.7 + (input == "x" ? 0.3 : 0));
    return input == "w" && index / 200 % 2 == 0 ? value / 64 : value;
  };
  const Settings set = quantised_linear_of(10, 40, 200, "dynamic", "s8");
  EXPECT_LT(error_of(set, options), error_of(with(set, {{"weight_scales", "tensor"}}), options));
}

// x from 0 to 1 needs no numbers below its zero: u8 has steps half as long.
TEST(LinearQuantisation, AZeroOfItsOwnHelpsWhereXIsOfOneSign) {
  HostOptions options;
  options.element = [](const std::string& input, std::int64_t index) {
    const double value = std::sin(static_cast<double>(index) * 1.7);
    return input == "x" ? std::abs(value) : std::round(64 * value) / 64;
  };
  EXPECT_LT(error_of(quantised_linear_of(10, 40, 200, "dynamic", "u8"), options),
            error_of(quantised_linear_of(10, 40, 200, "dynamic", "s8"), options));
}

TEST(LinearQuantisation, OperandsOfZerosGiveTheBias) {
  HostOptions options;
  options.element = [](const std::string& input, std::int64_t index) {
    return input == "bias" ? static_cast<double>(index) : 0.0;
  };
  for (const char* activations : {"s8", "u8"})
    for (const char* variant : {"own", "onednn"}) {
      const Settings set =
          with(quantised_linear_of(3, 5, 7, "dynamic", activations), {{"epilogue", "bias"}});
      std::string why;
      if (can_run(linear(), variant, set, why) != KS_OK) continue;
      EXPECT_THAT(measure(linear(), variant, set, options).values,
                  ::testing::ElementsAre(0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3, 4))
          << variant;
    }
}

}  // namespace
}  // namespace kernsweep::testing
