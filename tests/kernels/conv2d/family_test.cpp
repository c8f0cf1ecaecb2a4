// What conv2d requires, counts and rejects, for any variant.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/pack_harness.hpp"

namespace kernsweep::testing {
namespace {

using ::testing::ElementsAre;

const ks_family& family() {
  return family_of(open_pack("conv2d"), "conv2d");
}

// The same images in the other order give the same results in the other order.
TEST(Conv2dFamily, TheLayoutIsASettingAndAllElseTheProblem) {
  EXPECT_THAT(names_in(family().settings), ElementsAre("layout"));
}

// res3a_branch2b of ResNet-50: 56 x 56 to 28 x 28.
Settings layer() {
  return settings({{"c_in", 128},
                   {"c_out", 64},
                   {"h", 56},
                   {"w", 56},
                   {"kh", 3},
                   {"kw", 3},
                   {"stride", 2},
                   {"padding", 1}});
}

std::string refusal(const Settings& set) {
  std::string why;
  EXPECT_EQ(can_run(family(), "naive", set, why), KS_BAD_PARAMETER);
  std::vector<ks_input> inputs;
  std::string same;
  EXPECT_EQ(inputs_of(family(), set, inputs, same), KS_BAD_PARAMETER);
  return why;
}

std::vector<std::int64_t> shape_of(const ks_input& input) {
  return {input.shape, input.shape + input.rank};
}

TEST(Conv2dFamily, ImagesFollowTheLayoutAndWeightsNeverDo) {
  std::vector<ks_input> inputs;
  std::string why;
  ASSERT_EQ(inputs_of(family(), with(layer(), {{"batch", 2}}), inputs, why), KS_OK) << why;
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_STREQ(inputs[0].name, "input");
  EXPECT_STREQ(inputs[1].name, "weights");
  EXPECT_THAT(shape_of(inputs[0]), ElementsAre(2, 128, 56, 56));
  EXPECT_THAT(shape_of(inputs[1]), ElementsAre(64, 128, 3, 3));
  EXPECT_EQ(inputs[1].distribution, KS_KAIMING);
  EXPECT_EQ(inputs[1].fan_in, 128 * 9);
  ASSERT_EQ(inputs_of(family(), with(layer(), {{"layout", "nhwc"}, {"groups", 4}}), inputs, why), KS_OK)
      << why;
  EXPECT_THAT(shape_of(inputs[0]), ElementsAre(1, 56, 56, 128));
  EXPECT_THAT(shape_of(inputs[1]), ElementsAre(64, 32, 3, 3));
}

// 2 * 64 * 28 * 28 results * 128 * 9 products; bytes: 128*56*56 + 64*128*9 in, 64*28*28 out.
TEST(Conv2dFamily, WorkCountsEveryProductAndEveryElementOnce) {
  const double in = 128 * 56 * 56 + 64 * 128 * 9;
  const double out = 64 * 28 * 28;
  EXPECT_EQ(work_of(family(), layer()).flops, 2 * out * 128 * 9);
  EXPECT_EQ(work_of(family(), layer()).bytes, 4 * (in + out));
  EXPECT_EQ(work_of(family(), with(layer(), {{"dtype", "tf32"}})).bytes, 4 * (in + out));
  EXPECT_EQ(work_of(family(), with(layer(), {{"dtype", "bf16"}})).bytes, 2 * (in + out));
  EXPECT_EQ(work_of(family(), with(layer(), {{"dtype", "f16"}})).bytes, 2 * (in + out));
  EXPECT_EQ(work_of(family(), with(layer(), {{"dtype", "s8"}})).bytes, in + 4 * out);  // s32 results
  EXPECT_EQ(work_of(family(), with(layer(), {{"groups", 2}})).flops, 2 * out * 64 * 9);
  EXPECT_EQ(work_of(family(), with(layer(), {{"batch", 0}})).flops, 0);
}

TEST(Conv2dFamily, AnEpilogueHasANumberForEachChannelInTheTypeOfTheResult) {
  std::vector<ks_input> inputs;
  std::string why;
  ASSERT_EQ(inputs_of(family(), with(layer(), {{"epilogue", "bias_relu"}, {"dtype", "s8"}}), inputs, why),
            KS_OK);
  ASSERT_EQ(inputs.size(), 3u);
  EXPECT_STREQ(inputs[2].name, "bias");
  EXPECT_EQ(inputs[2].dtype, KS_S32);
  EXPECT_THAT(shape_of(inputs[2]), ElementsAre(64));
  ASSERT_EQ(inputs_of(family(), with(layer(), {{"epilogue", "relu"}}), inputs, why), KS_OK);
  EXPECT_EQ(inputs.size(), 2u);
  EXPECT_EQ(work_of(family(), with(layer(), {{"epilogue", "bias"}})).bytes,
            work_of(family(), layer()).bytes + 4 * 64);
  EXPECT_EQ(work_of(family(), with(layer(), {{"epilogue", "bias"}})).flops,
            work_of(family(), layer()).flops);
  EXPECT_STREQ(family().constants, "weights|bias");
  EXPECT_THAT(refusal(with(layer(), {{"epilogue", "bias_gelu"}})), IsGolden());
}

// relu may leave of a channel only what is near zero, however large its sums are.
TEST(Conv2dFamily, ChannelsBehindAnActivationHaveTheScaleOfTheWholeOutput) {
  EXPECT_EQ(tolerance_of(family(), with(layer(), {{"epilogue", "bias"}})).scale_dims, 2);
  EXPECT_EQ(tolerance_of(family(), with(layer(), {{"epilogue", "relu"}})).scale_dims, 0);
}

TEST(Conv2dFamily, AKernelThatDoesNotFitIsRefusedWithTheNumbers) {
  const Settings small = with(layer(), {{"h", 4}, {"w", 6}, {"kh", 7}, {"kw", 5}, {"stride", 1}});
  const std::string why = refusal(small);  // 4 + 2 = 6 < 7
  EXPECT_THAT(why, IsGolden());
  std::string fits;
  EXPECT_EQ(can_run(family(), "naive", with(small, {{"kh", 6}}), fits), KS_OK) << fits;
}

// The edge of floor with a negative numerator: (2 - 3) / 2 rounds to 0 in C, and + 1 would make an extent
// of 1.
TEST(Conv2dFamily, AKernelOnePixelTooLargeIsRefusedAtAnyStride) {
  for (const int stride : {1, 2, 3, 100})
    refusal(with(layer(), {{"h", 2}, {"padding", 0}, {"stride", stride}}));
}

TEST(Conv2dFamily, DilationCountsWhenFitting) {
  refusal(with(layer(), {{"h", 8}, {"padding", 0}, {"dilation", 4}}));  // 3 elements span 9
  std::string why;
  EXPECT_EQ(can_run(family(), "naive", with(layer(), {{"h", 9}, {"padding", 0}, {"dilation", 4}}), why),
            KS_OK)
      << why;
}

TEST(Conv2dFamily, ExtentsThatAreNoneAreRefusedByName) {
  for (const char* name : {"c_in", "c_out", "h", "w", "kh", "kw", "stride", "dilation", "groups"}) {
    EXPECT_THAT(refusal(with(layer(), {{name, 0}})), IsGolden());
    EXPECT_THAT(refusal(with(layer(), {{name, -3}})), IsGolden());
  }
  EXPECT_THAT(refusal(with(layer(), {{"padding", -1}})), IsGolden());
  EXPECT_THAT(refusal(with(layer(), {{"batch", -1}})), IsGolden());
}

TEST(Conv2dFamily, GroupsMustDivideBothChannels) {
  EXPECT_THAT(refusal(with(layer(), {{"groups", 3}})), IsGolden());
  EXPECT_THAT(refusal(with(layer(), {{"groups", 128}})), IsGolden());
}

TEST(Conv2dFamily, SizesNearTheEndOfTheIntegersAreRefusedNotComputed) {
  refusal(with(layer(), {{"h", std::int64_t{1} << 40}}));
  refusal(
      with(layer(), {{"batch", 2147483647}, {"c_in", 2147483647}, {"h", 2147483647}, {"w", 2147483647}}));
  refusal(with(layer(), {{"padding", 2147483647}}));
  refusal(with(layer(), {{"dilation", 2147483647}, {"kh", 2147483647}}));
}

TEST(Conv2dFamily, WordsThatAreNoneAreRefusedWithTheChoices) {
  EXPECT_THAT(refusal(with(layer(), {{"layout", "hwcn"}})), IsGolden());
  EXPECT_THAT(refusal(with(layer(), {{"dtype", "f64"}})), IsGolden());
  EXPECT_THAT(refusal(with(layer(), {{"stride", "two"}})), IsGolden());
}

TEST(Conv2dFamily, AMissingExtentIsRefusedByName) {
  Settings set = layer();
  set.erase("c_out");
  EXPECT_THAT(refusal(set), IsGolden());
}

// 128 * 128 * 131072 = 2^31: one more than s32 holds.
TEST(Conv2dFamily, SumsOfWholeNumbersThatMightNotFitAreUnsupported) {
  const auto deep = [](int channels) {
    return settings(
        {{"c_in", channels}, {"c_out", 1}, {"h", 1}, {"w", 1}, {"kh", 1}, {"kw", 1}, {"dtype", "s8"}});
  };
  std::string why;
  EXPECT_EQ(can_run(family(), "naive", deep(131072), why), KS_UNSUPPORTED);
  EXPECT_THAT(why, IsGolden());
  EXPECT_EQ(can_run(family(), "naive", deep(131071), why), KS_OK);
}

// 4 sqrt(128 * 9) 2^-24; with 8 bits of precision in the result, its half unit dominates; whole numbers are
// exact.
TEST(Conv2dFamily, TolerancesFollowTheDepthOfTheSumAndTheType) {
  EXPECT_NEAR(tolerance_of(family(), layer()).relative, 8.09e-6, 1e-8);
  EXPECT_NEAR(tolerance_of(family(), with(layer(), {{"dtype", "bf16"}})).relative, 1.0 / 256, 1e-4);
  EXPECT_NEAR(tolerance_of(family(), with(layer(), {{"dtype", "f16"}})).relative, 1.0 / 2048, 2e-5);
  EXPECT_NEAR(tolerance_of(family(), with(layer(), {{"dtype", "tf32"}})).relative, 1.0 / 512, 1e-5);
  // Transformed values may be stored in the type of the images; other names of plain sums are plain sums.
  const Settings f16 = with(layer(), {{"dtype", "f16"}});
  EXPECT_NEAR(tolerance_of(family(), with(f16, {{"algorithm", "implicit_gemm"}})).relative, 1.0 / 2048,
              2e-5);
  EXPECT_NEAR(tolerance_of(family(), with(f16, {{"algorithm", "winograd"}})).relative, 10.0 / 2048, 1e-4);
  // Transforms of larger kernels have more points. A missing tap is 1 / sqrt(128 * 25), 1.8e-2.
  const Settings five = with(layer(), {{"kh", 5}, {"kw", 5}, {"padding", 2}});
  EXPECT_NEAR(tolerance_of(family(), with(layer(), {{"algorithm", "winograd"}})).relative, 8.09e-5, 1e-7);
  EXPECT_NEAR(tolerance_of(family(), with(five, {{"algorithm", "winograd"}})).relative, 1.35e-3, 1e-5);
  const ks_tolerance whole = tolerance_of(family(), with(layer(), {{"dtype", "s8"}}));
  EXPECT_EQ(whole.relative, 0);
  EXPECT_EQ(whole.absolute, 0);
}

}  // namespace
}  // namespace kernsweep::testing
