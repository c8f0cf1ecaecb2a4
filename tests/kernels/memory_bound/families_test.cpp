// What the families of the pack require, count and reject, for any variant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/memory_bound/shapes.hpp"

namespace kernsweep::testing {
namespace {

constexpr std::int64_t kHuge = std::int64_t{1} << 40;

std::string refusal(const char* name, const Settings& set) {
  std::string why;
  EXPECT_EQ(can_run(family_named(name), "naive", set, why), KS_BAD_PARAMETER) << name;
  std::vector<ks_input> inputs;
  std::string same;
  EXPECT_EQ(inputs_of(family_named(name), set, inputs, same), KS_BAD_PARAMETER) << name;
  EXPECT_EQ(why, same);
  return why;
}

TEST(MemoryBoundFamilies, ExtentsThatAreNoneOrTooLargeAreRefusedByName) {
  EXPECT_THAT(refusal("softmax", settings({{"rows", -1}, {"cols", 4}})), IsGolden());
  EXPECT_THAT(refusal("softmax", settings({{"rows", 4}, {"cols", 0}})), IsGolden());
  EXPECT_THAT(refusal("softmax", settings({{"rows", 4}})), IsGolden());
  EXPECT_THAT(refusal("softmax", settings({{"rows", kHuge}, {"cols", kHuge}})), IsGolden());
  EXPECT_THAT(refusal("layernorm", settings({{"rows", kHuge}, {"cols", 2}})), IsGolden());
  EXPECT_THAT(refusal("layernorm", settings({{"rows", 2}, {"cols", 2}, {"epsilon", 0}})), IsGolden());
  EXPECT_THAT(refusal("elementwise", settings({{"n", 2 * kHuge}})), IsGolden());
  for (const char* axis : {"row", "all"})
    EXPECT_THAT(refusal("reduction", settings({{"axis", axis}, {"rows", 3}, {"cols", 0}})), IsGolden());
  EXPECT_THAT(refusal("reduction", settings({{"axis", "column"}, {"rows", 0}, {"cols", 3}})), IsGolden());
  EXPECT_THAT(refusal("reduction", settings({{"rows", kHuge}, {"cols", kHuge}})), IsGolden());
  EXPECT_THAT(refusal("transpose", settings({{"batch", kHuge}, {"rows", kHuge}, {"cols", 1}})), IsGolden());
  EXPECT_THAT(refusal("transpose", settings({{"batch", -1}, {"rows", 2}, {"cols", 2}})), IsGolden());
  const Settings table = settings({{"rows", 4}, {"cols", 2}, {"lookups", 3}});
  EXPECT_THAT(refusal("gather", with(table, {{"rows", 0}})), IsGolden());
  EXPECT_THAT(refusal("gather", with(table, {{"hot", 5}})), IsGolden());
  EXPECT_THAT(refusal("gather", with(table, {{"lookups", kHuge}})), IsGolden());
  EXPECT_THAT(refusal("gather", with(table, {{"rows", kHuge / 4}, {"index", "s32"}})), IsGolden());
  EXPECT_THAT(refusal("elementwise", settings({{"n", 2}, {"op", "tanh"}})), IsGolden());
}

TEST(MemoryBoundFamilies, SoftmaxCountsEachElementReadAndWrittenOnce) {
  const Settings set = settings({{"rows", 3}, {"cols", 7}});
  EXPECT_EQ(work_of(family_named("softmax"), set).bytes, 3 * 7 * 8);
  EXPECT_EQ(work_of(family_named("softmax"), set).flops, 3 * 7 * 5);
}

TEST(MemoryBoundFamilies, SoftmaxHasAScaleForEachRow) {
  const ks_tolerance tolerance =
      tolerance_of(family_named("softmax"), settings({{"rows", 3}, {"cols", 4096}}));
  EXPECT_EQ(tolerance.scale_dims, 1);
  EXPECT_NEAR(tolerance.relative, (12 + std::log(4096) + 4 * 64) * 0x1p-24, 1e-12);
  EXPECT_EQ(tolerance.absolute, 0);
}

TEST(MemoryBoundFamilies, LayernormAndElementwiseCountWhatIsReadAndWrittenOnce) {
  const Settings rows = settings({{"rows", 3}, {"cols", 7}});
  EXPECT_EQ(work_of(family_named("layernorm"), rows).bytes, 3 * 7 * 8 + 2 * 7 * 4);
  EXPECT_EQ(work_of(family_named("layernorm"), rows).flops, 3 * 7 * 8);
  const Settings n = settings({{"n", 9}});
  EXPECT_EQ(work_of(family_named("elementwise"), with(n, {{"op", "relu"}})).bytes, 9 * 8);
  EXPECT_EQ(work_of(family_named("elementwise"), with(n, {{"op", "add"}})).bytes, 9 * 12);
  EXPECT_EQ(work_of(family_named("elementwise"), with(n, {{"op", "silu"}})).flops, 9 * 5);
}

TEST(MemoryBoundFamilies, ReductionCountsWhatIsReadAndItsResults) {
  const Settings set = settings({{"rows", 3}, {"cols", 7}});
  EXPECT_EQ(work_of(family_named("reduction"), set).bytes, (3 * 7 + 3) * 4);
  EXPECT_EQ(work_of(family_named("reduction"), with(set, {{"axis", "column"}})).bytes, (3 * 7 + 7) * 4);
  EXPECT_EQ(work_of(family_named("reduction"), with(set, {{"axis", "all"}})).bytes, (3 * 7 + 1) * 4);
  EXPECT_EQ(work_of(family_named("reduction"), set).flops, 3 * 7);
  EXPECT_EQ(work_of(family_named("reduction"), with(set, {{"op", "l2"}})).flops, 3 * 7 * 2);
}

// All elements are equal: f32 alone would stop at 2^24.
TEST(MemoryBoundFamilies, SumsDoNotLoseWhatIsSmallBesideThem) {
  const HostOptions ones = {.element = [](const std::string&, std::int64_t) { return 1.0; }};
  for (const auto& [rows, cols] : {std::pair{4097, 4099}, std::pair{1, 17000001}})
    for (const char* axis : {"all", "row"}) {
      const Settings set = settings({{"axis", axis}, {"rows", rows}, {"cols", cols}});
      const Measured own = measure(family_named("reduction"), "own", set, ones);
      const bool all = std::string(axis) == "all";
      const double right = static_cast<double>(static_cast<float>(cols * (all ? std::int64_t{rows} : 1)));
      EXPECT_EQ(own.values.at(0), right) << axis << " " << rows << " x " << cols;
    }
}

TEST(MemoryBoundFamilies, TransposeAndGatherCountWhatIsReadAndWrittenOnce) {
  const Settings matrices = settings({{"batch", 2}, {"rows", 3}, {"cols", 7}});
  EXPECT_EQ(work_of(family_named("transpose"), matrices).bytes, 2 * 3 * 7 * 8);
  EXPECT_EQ(work_of(family_named("transpose"), matrices).flops, 0);
  // Three draws from two rows miss each with probability 1/8: 2 (1 - 1/8) are found.
  const Settings table = settings({{"rows", 2}, {"cols", 5}, {"lookups", 3}});
  EXPECT_NEAR(work_of(family_named("gather"), table).bytes, (1.75 + 3) * 20 + 3 * 8, 1e-9);
  EXPECT_NEAR(work_of(family_named("gather"), with(table, {{"hot", 1}, {"index", "s32"}})).bytes,
              (1 + 3) * 20 + 3 * 4, 1e-9);
  EXPECT_EQ(work_of(family_named("gather"), with(table, {{"lookups", 0}})).bytes, 0);
}

TEST(MemoryBoundFamilies, GatherDrawsOnlyNumbersOfHotRows) {
  std::vector<ks_input> inputs;
  std::string why;
  const Settings table = settings({{"rows", 9}, {"cols", 5}, {"lookups", 3}, {"hot", 4}});
  ASSERT_EQ(inputs_of(family_named("gather"), table, inputs, why), KS_OK) << why;
  EXPECT_EQ(inputs.at(1).distribution, KS_INTEGERS);
  EXPECT_EQ(inputs.at(1).a, 0);
  EXPECT_EQ(inputs.at(1).b, 3);
}

// Numbers of another distribution or a file may be none of a row; nothing beyond the table is read.
TEST(MemoryBoundFamilies, GatherTakesTheNearestRowForANumberThatIsNone) {
  const auto element = [](const std::string& name, std::int64_t index) {
    if (name == "table") return static_cast<double>(index);
    constexpr double kNumbers[] = {-1, 2, 3, -2147483648.0, 2147483647.0};
    return kNumbers[index];
  };
  for (const char* index : {"s32", "s64"}) {
    const Settings set = settings({{"rows", 3}, {"cols", 1}, {"lookups", 5}, {"index", index}});
    for (const char* variant : {"naive", "own"})
      EXPECT_EQ(measure(family_named("gather"), variant, set, {.element = element}).values,
                (std::vector<double>{0, 2, 2, 0, 2}))
          << variant << " " << index;
  }
}

TEST(MemoryBoundFamilies, WhatIsConstantAndWhatNoKernelCanStayBelowIsDeclared) {
  EXPECT_STREQ(family_named("layernorm").constants, "gamma|beta");
  EXPECT_EQ(family_named("layernorm").least, nullptr) << "constants need not be read in each call";
  EXPECT_STREQ(family_named("softmax").least, "bytes");
  EXPECT_STREQ(family_named("elementwise").least, "bytes");
  EXPECT_STREQ(family_named("reduction").least, "bytes");
  EXPECT_STREQ(family_named("transpose").least, "bytes");
  EXPECT_STREQ(family_named("gather").constants, "table");
  EXPECT_EQ(family_named("gather").least, nullptr);
}

// A mean far from 0, a row of equal elements, one element far from all others.
TEST(MemoryBoundFamilies, LayernormDoesNotCancel) {
  const Settings set = settings({{"rows", 3}, {"cols", 1040}});
  const auto element = [](const std::string& name, std::int64_t index) {
    if (name != "x") return name == "gamma" ? 1.0 : 0.0;
    const std::int64_t row = index / 1040, column = index % 1040;
    if (row == 0) return 1024.0 + static_cast<double>(column % 8);
    return row == 1 ? 3.0 : column == 0 ? 1000.0 : std::sin(static_cast<double>(column));
  };
  const Measured right = measure(family_named("layernorm"), "naive", set, {.element = element});
  for (const char* stores : {"auto", "never"}) {
    const Measured own = measure(family_named("layernorm"), "own", with(set, {{"non_temporal", stores}}),
                                 {.element = element});
    // The mean is off by a few units in the last place of the largest element.
    EXPECT_EQ(difference(own, right, {.absolute = 1e-3, .scale_dims = 1}), "") << stores;
    for (std::size_t i = 1040; i < 2080; ++i) ASSERT_NEAR(own.values[i], 0, 1e-6);
  }
}

// The whole range of exp: u = 2^-24; results below 2^-126 may be 0, those above the largest float infinity.
TEST(MemoryBoundFamilies, ExpIsTwoRoundingsOffAtMost) {
  constexpr std::int64_t count = 200000;
  const Settings set = settings({{"op", "exp"}, {"n", count}});
  const auto element = [](const std::string&, std::int64_t index) {
    return -110.0 + 220.0 * static_cast<double>(index) / static_cast<double>(count);
  };
  const std::vector<double> x =
      inputs_as_doubles(family_named("elementwise"), set, {.element = element})[0];
  for (const char* isa : {"avx512f", "avx2", "baseline"}) {
    std::string why;
    const Settings mine = with(set, {{"isa", isa}});
    if (can_run(family_named("elementwise"), "own", mine, why) != KS_OK) continue;
    const Measured own = measure(family_named("elementwise"), "own", mine, {.element = element});
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double right = std::exp(x[i]);
      if (right > 0x1.fffffep127) {
        ASSERT_EQ(own.values[i], INFINITY) << isa << " exp " << x[i];
      } else {
        ASSERT_NEAR(own.values[i], right, std::max(2 * 0x1p-24 * right, 0x1p-126))
            << isa << " exp " << x[i];
      }
    }
  }
}

// Elements far apart, a row of equal ones, and -infinity, as a mask of attention has it.
TEST(MemoryBoundFamilies, SoftmaxOfAnyFiniteRowSumsToOneAndMaskedElementsAreZero) {
  const Settings set = settings({{"rows", 4}, {"cols", 1100}});
  const auto element = [](const std::string&, std::int64_t index) {
    const std::int64_t row = index / 1100, column = index % 1100;
    if (row == 0) return 1e30 * std::sin(static_cast<double>(column));
    if (row == 1) return -300.0;
    if (row == 2) return column < 700 ? -INFINITY : 80.0 * std::cos(static_cast<double>(column));
    return static_cast<double>(column) * 0.3;
  };
  for (const char* isa : {"best", "avx2", "baseline"}) {
    const Settings mine = with(set, {{"isa", isa}});
    std::string why;
    if (can_run(family_named("softmax"), "own", mine, why) != KS_OK) continue;
    const Measured own = measure(family_named("softmax"), "own", mine, {.element = element});
    const Measured right = measure(family_named("softmax"), "naive", set, {.element = element});
    EXPECT_EQ(difference(own, right, tolerance_of(family_named("softmax"), set)), "") << isa;
    for (std::size_t row = 0; row < 4; ++row) {
      double sum = 0;
      for (std::size_t i = 0; i < 1100; ++i) sum += own.values[row * 1100 + i];
      EXPECT_NEAR(sum, 1, 1e-5) << isa << " row " << row;
    }
    for (std::size_t i = 2200; i < 2900; ++i) ASSERT_EQ(own.values[i], 0) << isa;
  }
}

}  // namespace
}  // namespace kernsweep::testing
