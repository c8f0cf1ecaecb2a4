#include "tensors/spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include "kernels/api/pack.h"
#include "tensors/ranges.hpp"
#include "tests/golden_text/golden_text.hpp"

namespace kernsweep {
namespace {

constexpr double kNanF64 = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinityF64 = std::numeric_limits<double>::infinity();

TensorSpec spec_of(Dtype dtype, Distribution distribution, double a, double b) {
  TensorSpec spec;
  spec.dtype = dtype;
  spec.shape = {2, 3};
  spec.distribution = distribution;
  spec.a = a;
  spec.b = b;
  return spec;
}

std::string error_of(const TensorSpec& spec) {
  const Status valid = spec.valid();
  return valid ? "" : valid.error().message;
}

TEST(TensorSpecTest, DistributionNumbersAreThoseOfThePackInterface) {
  EXPECT_EQ(static_cast<int>(Distribution::uniform), KS_UNIFORM);
  EXPECT_EQ(static_cast<int>(Distribution::normal), KS_NORMAL);
  EXPECT_EQ(static_cast<int>(Distribution::kaiming), KS_KAIMING);
  EXPECT_EQ(static_cast<int>(Distribution::xavier), KS_XAVIER);
  EXPECT_EQ(static_cast<int>(Distribution::integers), KS_INTEGERS);
  EXPECT_EQ(static_cast<int>(Distribution::outliers), KS_OUTLIERS);
  EXPECT_EQ(distribution_numbered(0), std::nullopt);
  EXPECT_EQ(distribution_numbered(7), std::nullopt);
}

TEST(TensorSpecTest, SizeIsProductOfExtentsTimesElement) {
  EXPECT_EQ(*bytes_of(Dtype::f32, {2, 3}), 24u);
  EXPECT_EQ(*bytes_of(Dtype::s8, {}), 1u);
  EXPECT_EQ(*bytes_of(Dtype::f64, {1, 0, 5}), 0u);
}

TEST(TensorSpecTest, ImpossibleShapesAreRefusedWithTheReason) {
  EXPECT_THAT(bytes_of(Dtype::f32, {2, -1}).error().message, IsGolden());
  EXPECT_THAT(bytes_of(Dtype::f32, std::vector<std::int64_t>(9, 1)).error().message, IsGolden());
  EXPECT_THAT(bytes_of(static_cast<Dtype>(77), {1}).error().message, IsGolden());
  // 2^61 f32 are 2^63 bytes: one too many for a signed size.
  const std::int64_t huge = std::int64_t{1} << 61;
  EXPECT_THAT(bytes_of(Dtype::f32, {huge}).error().message, IsGolden());
  EXPECT_TRUE(bytes_of(Dtype::f32, {huge - 1}).has_value());
  EXPECT_FALSE(bytes_of(Dtype::u8, {huge, huge, huge, huge}).has_value());
  // A zero makes any shape empty, at any position; a negative extent stays wrong with it.
  EXPECT_EQ(*bytes_of(Dtype::u8, {huge, huge, 0}), 0u);
  EXPECT_FALSE(bytes_of(Dtype::u8, {0, -1}).has_value());
}

TEST(TensorSpecTest, DensityLiesAboveZeroAndAtMostAtOne) {
  TensorSpec spec = spec_of(Dtype::f32, Distribution::uniform, 0, 1);
  for (const double good : {1.0, 0.5, 1e-12}) {
    spec.density = good;
    EXPECT_EQ(error_of(spec), "");
  }
  for (const double bad : {0.0, -0.5, 1.0000001, kNanF64, kInfinityF64}) {
    spec.density = bad;
    EXPECT_THAT(error_of(spec), IsGolden()) << bad;
  }
}

TEST(TensorSpecTest, UniformNeedsAnOrderedRangeThatTheTypeHolds) {
  using enum Distribution;
  EXPECT_EQ(error_of(spec_of(Dtype::bf16, uniform, -1, 1)), "");
  EXPECT_THAT(error_of(spec_of(Dtype::f32, uniform, 1, 1)), IsGolden());
  EXPECT_THAT(error_of(spec_of(Dtype::f32, uniform, 2, 1)), IsGolden());
  EXPECT_THAT(error_of(spec_of(Dtype::f32, uniform, kNanF64, 1)), IsGolden());
  EXPECT_THAT(error_of(spec_of(Dtype::f32, uniform, 0, kInfinityF64)), IsGolden());
  EXPECT_THAT(error_of(spec_of(Dtype::f16, uniform, 0, 70000)), IsGolden());
  EXPECT_EQ(error_of(spec_of(Dtype::f8e4m3, uniform, -448, 448)), "");
  EXPECT_THAT(error_of(spec_of(Dtype::f8e4m3, uniform, 0, 449)), IsGolden());
  EXPECT_THAT(error_of(spec_of(Dtype::f8e5m2, uniform, 0, 57345)), IsGolden());
  EXPECT_THAT(error_of(spec_of(Dtype::f32, uniform, -3e38, 3e38)), IsGolden());
  EXPECT_THAT(error_of(spec_of(Dtype::f64, uniform, -1.5e308, 1.5e308)), IsGolden());
  // Neighbours of 1 in bf16 are 2^-7 = 0.0078 apart.
  EXPECT_THAT(error_of(spec_of(Dtype::bf16, uniform, 1.001, 1.002)), IsGolden());
  EXPECT_EQ(error_of(spec_of(Dtype::bf16, uniform, 1.0, 1.001)), "");
  EXPECT_THAT(error_of(spec_of(Dtype::s8, uniform, 0, 1)), IsGolden());
}

TEST(TensorSpecTest, NormalMustNotOverflowItsType) {
  using enum Distribution;
  EXPECT_EQ(error_of(spec_of(Dtype::f16, normal, 0, 7000)), "");
  EXPECT_THAT(error_of(spec_of(Dtype::f16, normal, 0, 8000)), IsGolden());
  EXPECT_THAT(error_of(spec_of(Dtype::f32, normal, 0, 0)), IsGolden());
  EXPECT_THAT(error_of(spec_of(Dtype::f32, normal, 0, -1)), IsGolden());
  EXPECT_THAT(error_of(spec_of(Dtype::f32, normal, kInfinityF64, 1)), IsGolden());
  EXPECT_THAT(error_of(spec_of(Dtype::u8, normal, 0, 1)), IsGolden());
}

TEST(TensorSpecTest, FansMustBePositive) {
  TensorSpec spec = spec_of(Dtype::f32, Distribution::kaiming, 0, 0);
  EXPECT_THAT(error_of(spec), IsGolden());
  spec.fan_in = 64;
  EXPECT_EQ(error_of(spec), "");
  spec.distribution = Distribution::xavier;
  EXPECT_THAT(error_of(spec), IsGolden());
  spec.fan_out = 32;
  EXPECT_EQ(error_of(spec), "");
}

TEST(TensorSpecTest, IntegersMustFitTheirTypeExactly) {
  using enum Distribution;
  EXPECT_EQ(error_of(spec_of(Dtype::s8, integers, -128, 127)), "");
  EXPECT_THAT(error_of(spec_of(Dtype::s8, integers, -129, 0)), IsGolden());
  EXPECT_THAT(error_of(spec_of(Dtype::u8, integers, -1, 5)), IsGolden());
  EXPECT_THAT(error_of(spec_of(Dtype::s32, integers, 0, 0x1p31)), IsGolden());
  EXPECT_THAT(error_of(spec_of(Dtype::bf16, integers, 0, 257)), IsGolden());
  EXPECT_THAT(error_of(spec_of(Dtype::s64, integers, 0, 0x1p60)), IsGolden());
  EXPECT_EQ(error_of(spec_of(Dtype::f32, integers, 0, 0)), "");
  EXPECT_THAT(error_of(spec_of(Dtype::s32, integers, 0.5, 2)), IsGolden());
  EXPECT_THAT(error_of(spec_of(Dtype::s32, integers, 3, 2)), IsGolden());
  EXPECT_THAT(error_of(spec_of(Dtype::s32, integers, kNanF64, 2)), IsGolden());
  EXPECT_THAT(error_of(spec_of(Dtype::s32, static_cast<Distribution>(9), 0, 1)), IsGolden());
}

TEST(TensorSpecTest, FilesAreRecognisedByTheirNames) {
  TensorSpec spec;
  spec.shape = {1};
  spec.file = TensorFile{"weights.npy", "", std::nullopt};
  EXPECT_EQ(error_of(spec), "");
  spec.file->name = "w";
  EXPECT_THAT(error_of(spec), IsGolden());
  spec.file->path = "weights.safetensors";
  EXPECT_EQ(error_of(spec), "");
  spec.file->name.clear();
  EXPECT_THAT(error_of(spec), IsGolden());
  spec.file->path = "weights.pt";
  EXPECT_THAT(error_of(spec), IsGolden());
}

TEST(TensorSpecTest, WhateverChangesTheBytesChangesTheIdentity) {
  const TensorSpec base = spec_of(Dtype::f32, Distribution::uniform, 0, 1);
  std::set<Digest> seen = {base.identity()};
  const std::vector<std::function<void(TensorSpec&)>> changes = {
      [](TensorSpec& s) { s.dtype = Dtype::bf16; },
      [](TensorSpec& s) {
        s.shape = {3, 2};
      },
      [](TensorSpec& s) { s.shape = {6}; },
      [](TensorSpec& s) { s.a = std::nextafter(0.0, -1.0); },
      [](TensorSpec& s) { s.b = std::nextafter(1.0, 2.0); },
      [](TensorSpec& s) { s.seed = 1; },
      [](TensorSpec& s) { s.density = 0.5; },
      [](TensorSpec& s) { s.distribution = Distribution::normal; },
      [](TensorSpec& s) { s.distribution = Distribution::kaiming, s.fan_in = 4; },
      [](TensorSpec& s) { s.distribution = Distribution::xavier, s.fan_in = 4, s.fan_out = 4; },
      [](TensorSpec& s) {
        s.file = TensorFile{"x.npy", "", Digest{}};
      },
      [](TensorSpec& s) {
        s.file = TensorFile{"x.safetensors", "w", Digest{}};
      }};
  for (std::size_t i = 0; i < changes.size(); ++i) {
    TensorSpec changed = base;
    changes[i](changed);
    EXPECT_TRUE(seen.insert(changed.identity()).second) << "change " << i << ": " << changed.canonical();
  }
}

TEST(TensorSpecTest, WhatDoesNotChangeTheBytesDoesNotChangeTheIdentity) {
  TensorSpec spec = spec_of(Dtype::f32, Distribution::kaiming, 0, 1);
  spec.fan_in = 4;
  TensorSpec other = spec;
  other.a = 5, other.b = 7, other.fan_out = 9;  // kaiming looks at none of them
  EXPECT_EQ(spec.identity(), other.identity());

  spec.file = TensorFile{"/here/x.safetensors", "w", Digest{}};
  other.file = TensorFile{"/there/y.safetensors", "w", Digest{}};
  other.seed = 5;
  EXPECT_EQ(spec.identity(), other.identity());
}

TEST(TensorSpecTest, CanonicalTextIsPinned) {
  // Stored results refer to it: a change here makes every old result's inputs look different.
  TensorSpec spec = spec_of(Dtype::f32, Distribution::uniform, -0.5, 0.1);
  spec.seed = 42;
  EXPECT_EQ(spec.canonical(), "tensor f32 [2,3] philox4x32-7/2 uniform(-0.5, 0.1) seed 42");
  spec.density = 0.25;
  EXPECT_EQ(spec.canonical(), "tensor f32 [2,3] philox4x32-7/2 uniform(-0.5, 0.1) density 0.25 seed 42");
}

TEST(RangesTest, NeighboursOfABoundAreNumbersOfTheType) {
  EXPECT_EQ(largest_below(Dtype::f32, 1.0), static_cast<double>(std::nextafterf(1.0f, 0.0f)));
  EXPECT_EQ(largest_below(Dtype::bf16, 1.0), 1.0 - 0x1p-8);
  EXPECT_EQ(largest_below(Dtype::f16, 1.0), 1.0 - 0x1p-11);
  EXPECT_EQ(largest_below(Dtype::f16, -1.0), -1.0 - 0x1p-10);
  EXPECT_EQ(largest_below(Dtype::f16, 0.0), -0x1p-24);
  EXPECT_EQ(largest_below(Dtype::f8e4m3, 1.0), 1.0 - 0x1p-4);
  EXPECT_EQ(largest_below(Dtype::f8e4m3, 0.0), -0x1p-9);
  EXPECT_EQ(largest_below(Dtype::f8e5m2, 1.0), 1.0 - 0x1p-3);
  EXPECT_EQ(largest_below(Dtype::f8e5m2, -1.0), -1.0 - 0x1p-2);
  EXPECT_EQ(largest_below(Dtype::f64, 1.0), std::nextafter(1.0, 0.0));
  EXPECT_EQ(largest_below(Dtype::bf16, 1.001), 1.0);
  EXPECT_EQ(smallest_from(Dtype::bf16, 1.0), 1.0);
  EXPECT_EQ(smallest_from(Dtype::bf16, 1.001), 1.0 + 0x1p-7);
  EXPECT_EQ(smallest_from(Dtype::f16, -1.0001), -1.0);
  EXPECT_EQ(smallest_from(Dtype::f32, 0.1), static_cast<double>(0.1f));  // 0.1f lies above 0.1
}

}  // namespace
}  // namespace kernsweep
