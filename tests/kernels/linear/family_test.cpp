// What linear layers require, count and reject, for any variant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/linear/linear_points.hpp"

namespace kernsweep::testing {
namespace {

using ::testing::ElementsAre;

std::string refusal_of_linear(const Settings& set, ks_status status) {
  std::string why, same;
  for (const std::string& variant : names_of_variants(linear()))
    EXPECT_EQ(can_run(linear(), variant, set, why), status) << variant;
  std::vector<ks_input> inputs;
  EXPECT_EQ(inputs_of(linear(), set, inputs, same), status);
  EXPECT_EQ(same, why);
  return why;
}

std::vector<std::string> operands_of(const Settings& set) {
  std::vector<ks_input> inputs;
  std::string why;
  EXPECT_EQ(inputs_of(linear(), set, inputs, why), KS_OK) << why;
  std::vector<std::string> out;
  for (const ks_input& input : inputs) {
    EXPECT_EQ(input.dtype, KS_F32);
    std::string shape = input.name;
    for (int d = 0; d < input.rank; ++d) shape += " " + std::to_string(input.shape[d]);
    out.push_back(shape);
  }
  return out;
}

TEST(LinearFamily, WeightsBiasAndCalibrationAreKnownBefore) {
  EXPECT_STREQ(linear().constants, "w|bias|calibration");
  EXPECT_THAT(names_in(linear().settings), ElementsAre());
  EXPECT_THAT(names_in(variant_of(linear(), "own").problem_params), ElementsAre());
}

TEST(LinearFamily, OperandsAreF32WhateverTheProductIsComputedIn) {
  const Settings set = linear_of(3, 5, 7);
  EXPECT_THAT(operands_of(set), ElementsAre("x 3 7", "w 5 7"));
  EXPECT_THAT(operands_of(with(set, {{"dtype", "bf16"}, {"epilogue", "bias_gelu"}})),
              ElementsAre("x 3 7", "w 5 7", "bias 5"));
  EXPECT_THAT(operands_of(with(set, {{"dtype", "s8"}, {"epilogue", "relu"}})),
              ElementsAre("x 3 7", "w 5 7"));
}

TEST(LinearFamily, OnlyStaticScalesAreCalibrated) {
  const Settings set = with(linear_of(3, 5, 1024), {{"scales", "static"}, {"epilogue", "bias"}});
  EXPECT_THAT(operands_of(set), ElementsAre("x 3 1024", "w 5 1024", "bias 5"));
  EXPECT_THAT(operands_of(with(set, {{"dtype", "s8"}})),
              ElementsAre("x 3 1024", "w 5 1024", "bias 5", "calibration 256 1024"));
}

TEST(LinearFamily, OutliersAreInXAndInWhatItIsCalibratedWith) {
  std::vector<ks_input> inputs;
  std::string why;
  const Settings set = with(quantised_linear_of(3, 5, 300, "static", "s8"), {{"outliers", 20}});
  ASSERT_EQ(inputs_of(linear(), set, inputs, why), KS_OK) << why;
  ASSERT_EQ(inputs.size(), 3u);
  for (const ks_input& input : {inputs[0], inputs[2]}) {
    EXPECT_EQ(input.distribution, KS_OUTLIERS) << input.name;
    EXPECT_EQ(input.a, 20);
    EXPECT_EQ(input.b, 128);
  }
  EXPECT_EQ(inputs[1].distribution, KS_KAIMING);
}

TEST(LinearFamily, WorkCountsTheWeightsInTheTypeThatTheyAreKeptIn) {
  const Settings set = linear_of(3, 5, 7);
  EXPECT_EQ(work_of(linear(), set).flops, 2 * 3 * 5 * 7);
  EXPECT_EQ(work_of(linear(), set).bytes, 4 * (3 * 7 + 5 * 7 + 3 * 5));
  EXPECT_EQ(work_of(linear(), with(set, {{"dtype", "bf16"}})).bytes, 4 * (3 * 7 + 3 * 5) + 2 * 5 * 7);
  EXPECT_EQ(work_of(linear(), with(set, {{"dtype", "s8"}, {"epilogue", "bias"}})).bytes,
            4 * (3 * 7 + 3 * 5 + 5) + 5 * 7);
}

TEST(LinearFamily, ExtentsThatAreNoneAreRefusedByName) {
  for (const char* name : {"m", "n", "k"})
    EXPECT_THAT(refusal_of_linear(with(linear_of(2, 2, 2), {{name, -1}}), KS_BAD_PARAMETER), IsGolden());
}

TEST(LinearFamily, SizesNearTheEndOfTheIntegersAreRefusedNotComputed) {
  EXPECT_THAT(refusal_of_linear(
                  with(linear_of(2, 2, 2), {{"n", std::int64_t{1} << 40}, {"k", std::int64_t{1} << 40}}),
                  KS_BAD_PARAMETER),
              IsGolden());
  constexpr int most = 2147483647;
  EXPECT_THAT(refusal_of_linear(linear_of(most, 1, most), KS_BAD_PARAMETER), IsGolden());
}

TEST(LinearFamily, SumsThatMayNotFit32BitsAreUnsupported) {
  EXPECT_THAT(refusal_of_linear(quantised_linear_of(1, 1, 65537, "dynamic", "u8"), KS_UNSUPPORTED),
              IsGolden());
  std::string why;
  EXPECT_EQ(can_run(linear(), "own", quantised_linear_of(1, 1, 65536, "dynamic", "u8"), why), KS_OK) << why;
}

TEST(LinearFamily, WordsThatAreNoneAreRefusedWithTheChoices) {
  for (const char* name : {"dtype", "epilogue", "scales", "weight_scales", "activations"})
    EXPECT_THAT(refusal_of_linear(with(linear_of(2, 2, 2), {{name, "none_such"}}), KS_BAD_PARAMETER),
                IsGolden());
}

TEST(LinearFamily, VariantsNameTheOnesThatComputeTheType) {
  for (const auto& [variant, dtype] : {std::pair{"own", "f32"}, {"blas", "s8"}, {"blocked", "bf16"}}) {
    std::string why;
    EXPECT_EQ(can_run(linear(), variant, with(linear_of(2, 2, 2), {{"dtype", dtype}}), why),
              KS_UNSUPPORTED);
    EXPECT_THAT(why, IsGolden());
  }
}

TEST(LinearFamily, EachVariantSaysSoWhenTheHostHasNoMemory) {
  for (const std::string& variant : names_of_variants(linear())) {
    const Measured measured = measure(
        linear(), variant, with(linear_of(64, 64, 64), {{"dtype", variant == "own" ? "s8" : "f32"}}),
        {.bytes_max = 4096});
    EXPECT_EQ(measured.status, KS_OUT_OF_MEMORY) << variant;
    EXPECT_EQ(measured.failed_in, "prepare") << variant;
  }
}

TEST(LinearFamily, EachTellsWhatItReallyRanOn) {
  const auto runtime = [](const char* variant, const char* dtype) {
    return told_in(
        measure(linear(), variant, with(linear_of(3, 5, 7), {{"dtype", dtype}}), {.threads = 2}).runtime);
  };
  EXPECT_EQ(runtime("own", "s8")["threads"], "2");
  EXPECT_NE(runtime("own", "s8")["isa"], "");
  EXPECT_NE(runtime("blas", "f32")["core"], "");
  EXPECT_NE(runtime("onednn", "f32")["impl"], "");
}

// It has its fast ones only for scales of columns that it knows beforehand.
TEST(LinearFamily, OneDnnHasItsFast8BitKernels) {
  for (const char* scales : {"dynamic", "static"}) {
    for (const char* activations : {"s8", "u8"}) {
      const auto point =
          with(linear_of(16, 64, 64), {{"dtype", "s8"}, {"scales", scales}, {"activations", activations}});
      const Measured measured = measure(linear(), "onednn", point, {});
      if (measured.runtime.find("isa=avx512_core_") == std::string::npos)
        GTEST_SKIP() << "for AVX-512 with VNNI: " << measured.runtime << measured.why;
      EXPECT_THAT(told_in(measured.runtime)["impl"], ::testing::StartsWith("brg:"))
          << scales << activations;
    }
  }
}

}  // namespace
}  // namespace kernsweep::testing
