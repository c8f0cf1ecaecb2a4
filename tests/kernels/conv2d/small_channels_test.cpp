// A channel of the result that is far smaller than the others: it has a scale of its own, so zeros in its
// place are wrong, and every variant is still right.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/kernels/pack_harness.hpp"

namespace kernsweep::testing {
namespace {

constexpr int kChannelsIn = 16, kChannelsOut = 24, kEdge = 12, kSmallChannel = 7;

const ks_family& conv2d_family() {
  return family_of(open_pack("conv2d"), "conv2d");
}

Settings set_of(const char* dtype, const char* algorithm = "direct") {
  return settings({{"c_in", kChannelsIn},
                   {"c_out", kChannelsOut},
                   {"h", kEdge},
                   {"w", kEdge},
                   {"kh", 3},
                   {"kw", 3},
                   {"padding", 1},
                   {"dtype", dtype},
                   {"algorithm", algorithm}});
}

struct Type {
  const char* name;
  int exponent;  // of the weights: zeros would be within the tolerance at the whole output's scale
};
constexpr Type kTypes[] = {{"f32", -20}, {"bf16", -10}, {"f16", -13}};

HostOptions with_a_small_channel(int exponent) {
  HostOptions options;
  options.element = [exponent](const std::string& input, std::int64_t index) {
    const double phase = static_cast<double>(index + 1) * (input == "weights" ? 0.7390851 : 0.5671432);
    const double number = 2 * (phase - std::floor(phase)) - 1;
    const bool small = input == "weights" && index / (kChannelsIn * 9) == kSmallChannel;
    return std::ldexp(number, small ? exponent : 0);
  };
  return options;
}

TEST(Conv2dSmallChannels, ZerosInPlaceOfTheSmallestAreWrong) {
  for (const Type& type : kTypes) {
    const Measured right =
        measure(conv2d_family(), "naive", set_of(type.name), with_a_small_channel(type.exponent));
    ASSERT_EQ(right.values.size(), static_cast<std::size_t>(kChannelsOut * kEdge * kEdge)) << right.why;
    Measured zeroed = right;
    const auto channel = zeroed.values.begin() + kSmallChannel * kEdge * kEdge;
    ASSERT_TRUE(std::any_of(channel, channel + kEdge * kEdge, [](double value) { return value != 0; }));
    std::fill(channel, channel + kEdge * kEdge, 0);
    ks_tolerance tolerance = tolerance_of(conv2d_family(), set_of(type.name));
    EXPECT_EQ(tolerance.scale_dims, 2);
    EXPECT_NE(difference(zeroed, right, tolerance), "") << type.name;
    tolerance.scale_dims = 0;
    EXPECT_EQ(difference(zeroed, right, tolerance), "") << type.name << ": too large to show anything";
  }
}

TEST(Conv2dSmallChannels, EveryVariantIsRight) {
  for (const Type& type : kTypes)
    for (const char* algorithm : {"direct", "winograd", "auto"}) {
      int answered = 0;
      for (const std::string& variant : names_of_variants(conv2d_family()))
        for (const char* layout : {"nchw", "nhwc"}) {
          const Settings set = with(set_of(type.name, algorithm), {{"layout", layout}});
          std::string why;
          if (can_run(conv2d_family(), variant, set, why) != KS_OK) continue;
          ++answered;
          EXPECT_EQ(
              mismatch_with_reference(conv2d_family(), variant, set, with_a_small_channel(type.exponent)),
              "")
              << variant << " " << type.name << " " << algorithm << " " << layout;
        }
      if (std::string(algorithm) == "direct") {
        EXPECT_GE(answered, 2) << type.name;
      }
    }
}

TEST(Conv2dSmallChannels, HaveTheScaleOfTheWholeOutputWhereTheyAreShort) {
  // 64 channels of 3 x 3 results: fewer than 16 each.
  const Settings set = settings({{"c_in", 4}, {"c_out", 64}, {"h", 3}, {"w", 3}, {"kh", 1}, {"kw", 1}});
  EXPECT_EQ(tolerance_of(conv2d_family(), set).scale_dims, 0);
}

}  // namespace
}  // namespace kernsweep::testing
