// The reference of conv2d against sums done by hand.
//
// Images count 1, 2, 3, ... in the order of their memory, unless a test says otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/kernels/pack_harness.hpp"

namespace kernsweep::testing {
namespace {

using ::testing::ElementsAre;

Measured reference(const Settings& set, std::vector<double> weights) {
  HostOptions options;
  options.element = [weights](const std::string& input, std::int64_t index) {
    return input == "weights" ? weights.at(static_cast<std::size_t>(index))
                              : static_cast<double>(index + 1);
  };
  Measured measured = measure(family_of(open_pack("conv2d"), "conv2d"), "naive", set, options);
  EXPECT_EQ(measured.status, KS_OK) << measured.failed_in << ": " << measured.why;
  return measured;
}

Settings one_channel(int image, int kernel) {
  return settings({{"c_in", 1}, {"c_out", 1}, {"h", image}, {"w", image}, {"kh", kernel}, {"kw", kernel}});
}

// 1 2 3
// 4 5 6  with  1 2  : 1 + 2*2 + 3*4 + 4*5 = 37. Were the kernel turned, as in a true convolution: 4 + 6 + 8
// + 5 = 23. 7 8 9        3 4
TEST(Conv2dReference, TheKernelIsNotTurned) {
  EXPECT_THAT(reference(one_channel(3, 2), {1, 2, 3, 4}).values, ElementsAre(37, 47, 67, 77));
}

// The same image under nine ones, every second position, one row and column of zeros around it:
// the four corners' sums are 1+2+4+5, 2+3+5+6, 4+5+7+8, 5+6+8+9.
TEST(Conv2dReference, PaddingIsZerosAndStrideSkipsPositions) {
  const Settings set = with(one_channel(3, 3), {{"stride", 2}, {"padding", 1}});
  EXPECT_THAT(reference(set, std::vector<double>(9, 1.0)).values, ElementsAre(12, 16, 24, 28));
}

// 5 x 5; the corners of the image under a 2 x 2 kernel spread by 4: 1 + 10*5 + 100*21 + 1000*25.
TEST(Conv2dReference, DilationSpreadsTheKernel) {
  EXPECT_THAT(reference(with(one_channel(5, 2), {{"dilation", 4}}), {1, 10, 100, 1000}).values,
              ElementsAre(1 + 50 + 2100 + 25000));
}

// Floor: (4 + 0 - 3) / 2 + 1 = 1; the image's last row and column are never read.
TEST(Conv2dReference, PositionsThatDoNotFitAreLeftOut) {
  const Measured measured =
      reference(with(one_channel(4, 3), {{"stride", 2}}), std::vector<double>(9, 1.0));
  EXPECT_THAT(measured.shape, ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(measured.values, ElementsAre(1 + 2 + 3 + 5 + 6 + 7 + 9 + 10 + 11));
}

// A 3 x 3 kernel on a single pixel of value 1 with padding 1: only its middle, 5, meets the pixel.
TEST(Conv2dReference, AKernelLargerThanTheImageFitsIntoThePadding) {
  EXPECT_THAT(reference(with(one_channel(1, 3), {{"padding", 1}}), {1, 2, 3, 4, 5, 6, 7, 8, 9}).values,
              ElementsAre(5));
}

// Channels with weights 1 and -1; the bias counts 1, 2 as the images do.
TEST(Conv2dReference, AnEpilogueAddsTheBiasOfTheChannelThenReplacesWhatIsBelowZero) {
  const Settings set = with(one_channel(2, 1), {{"c_out", 2}});
  const auto with_epilogue = [&](const char* name) {
    return reference(with(set, {{"epilogue", name}}), {1, -1}).values;
  };
  EXPECT_THAT(with_epilogue("bias"), ElementsAre(2, 3, 4, 5, 1, 0, -1, -2));
  EXPECT_THAT(with_epilogue("bias_relu"), ElementsAre(2, 3, 4, 5, 1, 0, 0, 0));
  EXPECT_THAT(with_epilogue("relu"), ElementsAre(1, 2, 3, 4, 0, 0, 0, 0));
}

// Pixels at which no element of the kernel meets the image are 0: a 1 x 1 kernel, padding 1.
TEST(Conv2dReference, ResultsInThePaddingAreZero) {
  EXPECT_THAT(reference(with(one_channel(1, 1), {{"padding", 1}}), {7}).values,
              ElementsAre(0, 0, 0, 0, 7, 0, 0, 0, 0));
}

// Distinguishes h from w and kh from kw: 1 x 3 image, 1 x 2 kernel.
TEST(Conv2dReference, HeightAndWidthAreTwoThings) {
  const Measured measured =
      reference(settings({{"c_in", 1}, {"c_out", 1}, {"h", 1}, {"w", 3}, {"kh", 1}, {"kw", 2}}), {1, 10});
  EXPECT_THAT(measured.shape, ElementsAre(1, 1, 1, 2));
  EXPECT_THAT(measured.values, ElementsAre(1 + 20, 2 + 30));
}

// Two channels of two pixels. In memory nchw: 1 2 | 3 4; in nhwc each pixel is a pair: (1, 2), (3, 4).
TEST(Conv2dReference, ChannelsAreSummedInEitherLayout) {
  const Settings set = settings({{"c_in", 2}, {"c_out", 2}, {"h", 1}, {"w", 2}, {"kh", 1}, {"kw", 1}});
  const std::vector<double> weights = {1, 10, 100, 1000};  // o i
  EXPECT_THAT(reference(set, weights).values, ElementsAre(31, 42, 3100, 4200));
  const Measured last = reference(with(set, {{"layout", "nhwc"}}), weights);
  EXPECT_THAT(last.values, ElementsAre(21, 43, 2100, 4300));
  EXPECT_THAT(last.strides, ElementsAre(4, 1, 4, 2));
}

// Two groups of one channel: 10 * 1 and 100 * 2, with nothing of the other.
TEST(Conv2dReference, GroupsDoNotMix) {
  const Settings set =
      settings({{"c_in", 2}, {"c_out", 2}, {"h", 1}, {"w", 1}, {"kh", 1}, {"kw", 1}, {"groups", 2}});
  EXPECT_THAT(reference(set, {10, 100}).values, ElementsAre(10, 200));
}

// Each image separately: 1 to 4 and 5 to 8 under four ones.
TEST(Conv2dReference, ImagesOfABatchDoNotMix) {
  EXPECT_THAT(reference(with(one_channel(2, 2), {{"batch", 2}}), std::vector<double>(4, 1.0)).values,
              ElementsAre(10, 26));
}

TEST(Conv2dReference, ResultsAreF64AndS32ForWholeNumbers) {
  EXPECT_EQ(reference(one_channel(1, 1), {1}).dtype, KS_F64);
  EXPECT_EQ(reference(with(one_channel(1, 1), {{"dtype", "bf16"}}), {1}).dtype, KS_F64);
  EXPECT_EQ(reference(with(one_channel(1, 1), {{"dtype", "f16"}}), {1}).dtype, KS_F64);
  const Measured whole = reference(with(one_channel(2, 2), {{"dtype", "s8"}}), {-128, -128, -128, 127});
  EXPECT_EQ(whole.dtype, KS_S32);
  EXPECT_THAT(whole.values, ElementsAre(-128 * 6 + 127 * 4));
}

// 1 + 2^-20 has more than the 10 bits of fraction that the arithmetic of tf32 may keep.
TEST(Conv2dReference, OperandsOfTf32AreTheF32AsTheyAre) {
  EXPECT_THAT(reference(with(one_channel(1, 1), {{"dtype", "tf32"}}), {1 + 0x1p-20}).values,
              ElementsAre(1 + 0x1p-20));
}

}  // namespace
}  // namespace kernsweep::testing
