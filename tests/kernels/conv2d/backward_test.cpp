// The gradients of convolutions: the references against the convolution itself, the other variants against
// them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/pack_harness.hpp"

namespace kernsweep::testing {
namespace {

struct Case {
  int batch, c_in, c_out, h, w, kh, kw, stride, padding, dilation, groups;
};

// A 1 x 1 kernel with and without what makes it a plain product, kernels that are not square, rows and
// columns that no position of the kernel reaches, padding that is wider than the kernel, groups,
// depth-wise, primes, one, nothing.
constexpr Case kCases[] = {
    {1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1},   {2, 3, 5, 7, 6, 1, 1, 1, 0, 1, 1},
    {1, 4, 6, 8, 9, 1, 1, 2, 0, 1, 2},   {1, 3, 8, 11, 13, 3, 3, 1, 1, 1, 1},
    {2, 5, 4, 10, 7, 3, 5, 2, 2, 1, 1},  {1, 6, 9, 12, 11, 3, 2, 3, 1, 2, 3},
    {3, 7, 7, 9, 9, 3, 3, 1, 1, 1, 7},   {1, 2, 3, 5, 5, 5, 5, 1, 0, 1, 1},
    {1, 2, 2, 4, 17, 2, 3, 1, 3, 1, 1},  {2, 16, 17, 6, 6, 3, 3, 2, 1, 1, 1},
    {1, 8, 8, 23, 19, 3, 3, 4, 0, 3, 4}, {0, 3, 4, 8, 8, 3, 3, 1, 1, 1, 1},
    {4, 33, 31, 5, 4, 2, 2, 1, 0, 1, 1}, {1, 12, 24, 14, 14, 1, 1, 1, 1, 1, 1},
};

Settings set_of(const Case& c, const char* layout) {
  return settings({{"batch", c.batch},
                   {"c_in", c.c_in},
                   {"c_out", c.c_out},
                   {"h", c.h},
                   {"w", c.w},
                   {"kh", c.kh},
                   {"kw", c.kw},
                   {"stride", c.stride},
                   {"padding", c.padding},
                   {"dilation", c.dilation},
                   {"groups", c.groups},
                   {"layout", layout}});
}

std::string text_of(const Case& c) {
  std::string out;
  for (const int part :
       {c.batch, c.c_in, c.c_out, c.h, c.w, c.kh, c.kw, c.stride, c.padding, c.dilation, c.groups})
    out += std::to_string(part) + " ";
  return out;
}

const ks_family& family_named(const std::string& name) {
  return family_of(open_pack("conv2d"), name);
}
constexpr const char* kFamilies[] = {"conv2d_backward_data", "conv2d_backward_weights"};

double sum_of_products(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) sum += a[i] * b[i];
  return sum;
}

// A convolution is linear in its images and in its weights, so the sum of g y is that of dx x, and that of
// dw w. Images are n c h w here; a test below compares both layouts.
TEST(Conv2dBackward, ReferencesAreTheGradientsOfTheConvolution) {
  const auto element = [](const std::string& input, std::int64_t index) {
    const double factor = input == "input" ? 0.7390851 : input == "weights" ? 0.5671432 : 0.8767262;
    const double phase = static_cast<double>(index + 1) * factor;
    return static_cast<double>(static_cast<float>(2 * (phase - std::floor(phase)) - 1));
  };
  const HostOptions options{.element = element};
  for (const Case& c : kCases) {
    const Settings set = set_of(c, "nchw");
    const Measured y = measure(family_named("conv2d"), "naive", set, options);
    const Measured dx = measure(family_named(kFamilies[0]), "naive", set, options);
    const Measured dw = measure(family_named(kFamilies[1]), "naive", set, options);
    ASSERT_EQ(y.status, KS_OK) << text_of(c) << y.why;
    ASSERT_EQ(dx.status, KS_OK) << text_of(c) << dx.why;
    ASSERT_EQ(dw.status, KS_OK) << text_of(c) << dw.why;
    const auto of_images = inputs_as_doubles(family_named(kFamilies[0]), set, options);
    const auto of_weights = inputs_as_doubles(family_named(kFamilies[1]), set, options);
    const double expected = sum_of_products(of_images[0], y.values);
    const double size =
        std::sqrt(static_cast<double>(y.values.size()) * static_cast<double>(dw.values.size()));
    EXPECT_NEAR(sum_of_products(of_weights[0], dx.values), expected, 1e-12 * size) << text_of(c);
    EXPECT_NEAR(sum_of_products(of_images[1], dw.values), expected, 1e-12 * size) << text_of(c);
    EXPECT_EQ(expected == 0, c.batch == 0) << text_of(c);
  }
}

TEST(Conv2dBackward, EveryVariantAgreesWithTheReference) {
  for (const char* name : kFamilies)
    for (const std::string& variant : names_of_variants(family_named(name)))
      for (const Case& c : kCases)
        for (const char* layout : {"nchw", "nhwc"})
          for (const int threads : {1, 2}) {
            std::vector<Settings> ways{set_of(c, layout)};
            if (variant == "onednn")
              for (const auto& [weights, activations] :
                   {std::pair("plain", "plain"), std::pair("packed", "packed")})
                ways.push_back(with(ways[0], {{"weights", weights}, {"activations", activations}}));
            for (const Settings& way : ways) {
              std::string why;
              if (can_run(family_named(name), variant, way, why) == KS_UNSUPPORTED && variant == "onednn")
                continue;
              EXPECT_EQ(mismatch_with_reference(family_named(name), variant, way, {.threads = threads}), "")
                  << name << " " << variant << " " << layout << " " << text_of(c);
            }
          }
}

// Which of them oneDNN refuses is its own affair, but it does most.
TEST(Conv2dBackward, OnednnDoesMostPoints) {
  int done = 0, asked = 0;
  for (const char* name : kFamilies)
    for (const Case& c : kCases) {
      std::string why;
      done += can_run(family_named(name), "onednn", set_of(c, "nchw"), why) == KS_OK ? 1 : 0;
      ++asked;
    }
  EXPECT_GT(4 * done, 3 * asked);
}

// Without images the gradient of the weights is zero, which each call has to write.
TEST(Conv2dBackward, CallsWithoutImagesOverwriteTheResult) {
  const Settings set = set_of({0, 5, 3, 9, 9, 1, 1, 5, 2, 1, 1}, "nchw");
  for (const std::string& variant : names_of_variants(family_named(kFamilies[1])))
    EXPECT_EQ(mismatch_with_reference(family_named(kFamilies[1]), variant, set, {.overwritten = true}), "")
        << variant;
}

TEST(Conv2dBackward, BitsOfProductsDependOnNeitherCallsNorLeftovers) {
  for (const char* name : kFamilies)
    for (const Case& c : kCases) {
      const std::string variant = name == kFamilies[0] ? "col2im" : "im2col";
      const Measured once = measure(family_named(name), variant, set_of(c, "nhwc"), {.runs = 1});
      const Measured again = measure(family_named(name), variant, set_of(c, "nhwc"), {.runs = 3});
      EXPECT_TRUE(same_bits(once, again)) << name << " " << text_of(c);
    }
}

TEST(Conv2dBackward, ZerosInPlaceOfTheSmallestSliceAreWrong) {
  const Case c{2, 6, 7, 12, 11, 3, 3, 1, 1, 1, 1};
  for (const char* name : kFamilies) {
    const bool of_images = name == kFamilies[0];
    HostOptions options;
    // The weights of input channel 2, or the gradient of output channel 2, are far smaller than all others.
    options.element = [&](const std::string& input, std::int64_t index) {
      const double phase = static_cast<double>(index + 1) * (input == "gradient" ? 0.7390851 : 0.5671432);
      const double value = 2 * (phase - std::floor(phase)) - 1;
      const bool small = of_images ? input == "weights" && index / 9 % c.c_in == 2
                                   : input == "gradient" && index / (c.h * c.w) % c.c_out == 2;
      return small ? std::ldexp(value, -40) : value;
    };
    const Settings set = set_of(c, "nchw");
    const Measured right = measure(family_named(name), "naive", set, options);
    const std::size_t slice = of_images ? 12 * 11 : 6 * 9;
    ASSERT_EQ(right.status, KS_OK) << right.why;
    Measured zeroed = right;
    std::fill_n(zeroed.values.begin() + static_cast<std::ptrdiff_t>(2 * slice), slice, 0);
    const ks_tolerance tolerance = tolerance_of(family_named(name), set);
    EXPECT_EQ(difference(right, right, tolerance), "");
    EXPECT_NE(difference(zeroed, right, tolerance), "") << name;
    for (const std::string& variant : names_of_variants(family_named(name)))
      EXPECT_EQ(mismatch_with_reference(family_named(name), variant, set, options), "")
          << name << " " << variant;
  }
}

TEST(Conv2dBackward, CountsTheProductsOfTheConvolution) {
  const Settings set = set_of(kCases[3], "nchw");
  for (const char* name : kFamilies) {
    EXPECT_EQ(work_of(family_named(name), set).flops, work_of(family_named("conv2d"), set).flops);
    EXPECT_EQ(work_of(family_named(name), set).bytes, work_of(family_named("conv2d"), set).bytes);
  }
}

TEST(Conv2dBackward, WhatCannotBeIsRefusedAsForTheConvolution) {
  for (const char* name : kFamilies)
    for (const auto& [key, value] : {std::pair("groups", 2), std::pair("kh", 99), std::pair("stride", 0)}) {
      const Settings set = with(set_of(kCases[3], "nchw"), {{key, value}});
      std::string why, same;
      EXPECT_EQ(can_run(family_named(name), "naive", set, why), KS_BAD_PARAMETER);
      can_run(family_named("conv2d"), "naive", set, same);
      EXPECT_EQ(why, same);
      EXPECT_NE(why, "");
    }
}

}  // namespace
}  // namespace kernsweep::testing
