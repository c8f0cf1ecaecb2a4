// Every variant of conv2d against the reference.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <ostream>
#include <regex>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/pack_harness.hpp"

namespace kernsweep::testing {
namespace {

const ks_family& conv2d() {
  return family_of(open_pack("conv2d"), "conv2d");
}

struct Shape {
  const char* what;
  int batch, c_in, c_out, h, w, kh, kw, stride, padding, dilation, groups;
};

// Channels around the 8, 16 and 32 lanes of a tile, rows around its 6 and 14 pixels, primes, ones, and each
// way in which a kernel meets an edge.
constexpr Shape kShapes[] = {
    {"one product", 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1},
    {"one pixel, deep", 1, 131, 33, 1, 1, 1, 1, 1, 0, 1, 1},
    {"point-wise", 2, 17, 64, 7, 14, 1, 1, 1, 0, 1, 1},
    {"point-wise, every second pixel", 1, 16, 31, 14, 13, 1, 1, 2, 0, 1, 1},
    {"point-wise, padded", 1, 5, 7, 3, 4, 1, 1, 1, 2, 1, 1},
    {"primes", 3, 7, 13, 11, 17, 3, 5, 1, 2, 1, 1},
    {"a row of images", 1, 3, 32, 1, 29, 1, 3, 1, 1, 1, 1},
    {"a column", 1, 3, 32, 29, 1, 3, 1, 1, 1, 1, 1},
    {"first layer", 1, 3, 64, 23, 23, 7, 7, 2, 3, 1, 1},
    {"3 x 3", 2, 32, 48, 14, 14, 3, 3, 1, 1, 1, 1},
    {"3 x 3, stride 2, odd", 1, 8, 24, 15, 15, 3, 3, 2, 1, 1, 1},
    {"3 x 3, stride 3", 1, 8, 16, 17, 16, 3, 3, 3, 1, 1, 1},
    {"kernel larger than image", 1, 4, 9, 2, 3, 5, 5, 1, 2, 1, 1},
    {"padding larger than kernel", 1, 3, 5, 4, 4, 2, 2, 1, 4, 1, 1},
    {"stride larger than image", 1, 3, 5, 4, 4, 3, 3, 9, 1, 1, 1},
    {"dilated", 1, 6, 10, 12, 13, 3, 3, 1, 2, 2, 1},
    {"dilated, stride 2, unpadded", 1, 6, 10, 12, 13, 3, 2, 2, 0, 3, 1},
    {"two groups", 2, 6, 34, 9, 9, 3, 3, 1, 1, 1, 2},
    {"depth-wise", 1, 16, 16, 10, 9, 3, 3, 1, 1, 1, 16},
    {"empty batch", 0, 3, 4, 5, 5, 3, 3, 1, 1, 1, 1},
};

Settings set_of(const Shape& s, const char* layout) {
  return settings({{"batch", s.batch},
                   {"c_in", s.c_in},
                   {"c_out", s.c_out},
                   {"h", s.h},
                   {"w", s.w},
                   {"kh", s.kh},
                   {"kw", s.kw},
                   {"stride", s.stride},
                   {"padding", s.padding},
                   {"dilation", s.dilation},
                   {"groups", s.groups},
                   {"layout", layout}});
}

struct Way {
  const char* variant;
  Settings set;

  // Otherwise the bytes of our pointers are part of the test's name, other ones in each process.
  friend void PrintTo(const Way& way, std::ostream* out) { *out << way.variant; }
};

class Conv2dEveryShape : public ::testing::TestWithParam<Way> {};

TEST_P(Conv2dEveryShape, AgreesWithTheReferenceInBothLayoutsOnOneThreadAndOnThree) {
  int answered = 0;
  for (const Shape& shape : kShapes)
    for (const char* layout : {"nchw", "nhwc"})
      for (const int threads : {1, 3}) {
        Settings set = GetParam().set;
        set.merge(set_of(shape, layout));
        std::string why;
        if (can_run(conv2d(), GetParam().variant, set, why) == KS_UNSUPPORTED) {
          EXPECT_NE(why, "") << "a refusal needs a reason";
          continue;
        }
        ++answered;
        EXPECT_EQ(mismatch_with_reference(conv2d(), GetParam().variant, set, {.threads = threads}), "")
            << shape.what << " " << layout << " threads " << threads;
      }
  // A processor may lack an instruction set or the library an algorithm, but then for every shape or for a
  // few.
  if (answered == 0) GTEST_SKIP() << "not on this processor";
}

std::string name_of_way(const ::testing::TestParamInfo<Way>& info) {
  std::string name = info.param.variant;
  for (const auto& [key, value] : info.param.set) {
    const auto* text = std::get_if<std::string>(&value);
    if (text != nullptr) name += "_" + *text;
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    All, Conv2dEveryShape,
    ::testing::Values(
        Way{"vectorised", {}}, Way{"vectorised", settings({{"isa", "baseline"}})},
        Way{"vectorised", settings({{"isa", "avx2"}})}, Way{"vectorised", settings({{"isa", "avx512f"}})},
        Way{"im2col", {}}, Way{"onednn", {}}, Way{"onednn", settings({{"weights", "plain"}})},
        Way{"onednn", settings({{"activations", "packed"}})},
        Way{"onednn", settings({{"activations", "packed"}, {"algorithm", "winograd"}})},
        Way{"onednn", settings({{"algorithm", "auto"}})}, Way{"onednn", settings({{"dtype", "bf16"}})},
        Way{"onednn", settings({{"dtype", "f16"}})}, Way{"onednn", settings({{"dtype", "s8"}})},
        Way{"onednn", settings({{"dtype", "s8"}, {"weights", "plain"}})},
        Way{"vectorised", settings({{"epilogue", "bias_relu"}})},
        Way{"vectorised", settings({{"epilogue", "relu"}, {"isa", "baseline"}})},
        Way{"vectorised", settings({{"epilogue", "bias_relu"}, {"epilogue_by", "pass"}})},
        Way{"vectorised", settings({{"epilogue", "bias"}, {"epilogue_by", "pass"}})},
        Way{"im2col", settings({{"epilogue", "bias_relu"}})},
        Way{"im2col", settings({{"epilogue", "relu"}})}, Way{"onednn", settings({{"epilogue", "bias"}})},
        Way{"onednn", settings({{"epilogue", "bias_relu"}})},
        Way{"onednn", settings({{"epilogue", "bias_relu"}, {"activations", "packed"}})},
        Way{"onednn", settings({{"epilogue", "bias_relu"}, {"epilogue_by", "pass"}})},
        Way{"onednn", settings({{"epilogue", "bias_relu"}, {"dtype", "bf16"}})},
        Way{"onednn", settings({{"epilogue", "bias_relu"}, {"dtype", "s8"}})}),
    name_of_way);

// Points that no variant may refuse: otherwise the test above could pass without a comparison.
TEST(Conv2dVariants, NoF32VariantRefusesAnyShapeByDefault) {
  for (const char* variant : {"naive", "vectorised", "im2col", "onednn"})
    for (const Shape& shape : kShapes)
      for (const char* layout : {"nchw", "nhwc"}) {
        std::string why;
        EXPECT_EQ(can_run(conv2d(), variant, set_of(shape, layout), why), KS_OK)
            << variant << " " << shape.what << " " << layout << ": " << why;
      }
}

TEST(Conv2dVariants, OurOwnRefuseOtherTypesAndNameTheOneThatMayDoThem) {
  for (const char* variant : {"vectorised", "im2col"})
    for (const char* dtype : {"tf32", "bf16", "f16", "s8"}) {
      std::string why;
      EXPECT_EQ(can_run(conv2d(), variant, with(set_of(kShapes[0], "nchw"), {{"dtype", dtype}}), why),
                KS_UNSUPPORTED);
      EXPECT_THAT(why, IsGolden());
    }
}

TEST(Conv2dVariants, APassIsOfResultsInTheirOwnLayout) {
  const Settings pass =
      with(set_of(kShapes[5], "nchw"), {{"epilogue", "bias_relu"}, {"epilogue_by", "pass"}});
  for (const Settings& set : {with(pass, {{"activations", "packed"}}), with(pass, {{"dtype", "s8"}})}) {
    std::string why;
    EXPECT_EQ(can_run(conv2d(), "onednn", set, why), KS_UNSUPPORTED);
    EXPECT_THAT(why, IsGolden());
  }
}

// A fused epilogue and one by a pass do the same to the same sums.
TEST(Conv2dVariants, FusedOrNotGivesTheSameBits) {
  for (const char* layout : {"nchw", "nhwc"})
    for (const Shape& shape : kShapes) {
      const Settings set = with(set_of(shape, layout), {{"epilogue", "bias_relu"}});
      EXPECT_TRUE(same_bits(measure(conv2d(), "vectorised", set),
                            measure(conv2d(), "vectorised", with(set, {{"epilogue_by", "pass"}}))))
          << shape.what << " " << layout;
    }
}

TEST(Conv2dVariants, NothingOnAProcessorRoundsToTf32) {
  for (const char* variant : {"vectorised", "im2col", "onednn"}) {
    std::string why;
    EXPECT_EQ(can_run(conv2d(), variant, with(set_of(kShapes[0], "nchw"), {{"dtype", "tf32"}}), why),
              KS_UNSUPPORTED);
    EXPECT_THAT(why, IsGolden());
  }
}

Settings s8_set(const char* weights) {
  return settings({{"c_in", 32},
                   {"c_out", 48},
                   {"h", 14},
                   {"w", 14},
                   {"kh", 3},
                   {"kw", 3},
                   {"padding", 1},
                   {"layout", "nhwc"},
                   {"dtype", "s8"},
                   {"weights", weights}});
}

TEST(Conv2dOnednn, RefusesRoundedWeightsExactlyWhereTheyMakeResultsWrong) {
  std::string why;
  const bool refused = can_run(conv2d(), "onednn", s8_set("packed"), why) == KS_UNSUPPORTED;
  EXPECT_EQ(can_run(conv2d(), "onednn", s8_set("rounded"), why), KS_OK) << why;
  EXPECT_EQ(mismatch_with_reference(conv2d(), "onednn", s8_set("rounded")) != "", refused);
  EXPECT_EQ(can_run(conv2d(), "onednn", s8_set("plain"), why), KS_OK) << why;
  EXPECT_EQ(mismatch_with_reference(conv2d(), "onednn", s8_set("plain")), "");
}

#if defined(__x86_64__)
// On any processor: oneDNN takes one without VNNI for granted. It reads its environment once, so the test
// continues in a new process (threadsafe), which has not used the library yet.
TEST(Conv2dOnednnDeathTest, SaysWhyItRefusesS8WithoutVnni) {
  if (__builtin_cpu_supports("avx2") == 0) GTEST_SKIP() << "the text names avx2";
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  setenv("ONEDNN_MAX_CPU_ISA", "AVX2", 1);
  const auto refuse_s8 = [] {
    std::string why;
    const ks_status status = can_run(conv2d(), "onednn", s8_set("packed"), why);
    std::cerr << std::regex_replace(why, std::regex("oneDNN [0-9.]+"), "oneDNN <version>");
    std::_Exit(status == KS_UNSUPPORTED ? 0 : 1);
  };
  EXPECT_EXIT(refuse_s8(), ::testing::ExitedWithCode(0), IsGolden());
  unsetenv("ONEDNN_MAX_CPU_ISA");
}
#endif

TEST(Conv2dVariants, PointWiseIm2colNeedsNoMemoryForGathering) {
  // 64 x 100 x 4 bytes for the result and nothing else: 17 x 100 gathered elements would not fit.
  const Settings set = settings({{"c_in", 17}, {"c_out", 64}, {"h", 10}, {"w", 10}, {"kh", 1}, {"kw", 1}});
  for (const char* layout : {"nchw", "nhwc"}) {
    const HostOptions tight = {.bytes_max = 64 * 100 * 4};
    EXPECT_EQ(measure(conv2d(), "im2col", with(set, {{"layout", layout}}), tight).status, KS_OK) << layout;
    EXPECT_EQ(measure(conv2d(), "im2col", with(set, {{"layout", layout}, {"padding", 1}}), tight).status,
              KS_OUT_OF_MEMORY)
        << layout;
  }
}

TEST(Conv2dVariants, EveryVariantSaysSoWhenTheHostHasNoMemory) {
  const Settings set = settings({{"c_in", 16}, {"c_out", 16}, {"h", 32}, {"w", 32}, {"kh", 3}, {"kw", 3}});
  for (const std::string& variant : names_of_variants(conv2d())) {
    const Measured measured = measure(conv2d(), variant, set, {.bytes_max = 4096});
    EXPECT_EQ(measured.status, KS_OUT_OF_MEMORY) << variant;
    EXPECT_EQ(measured.failed_in, "prepare") << variant;
    EXPECT_NE(measured.why, "") << variant;
  }
}

// A single pixel lies in memory alike in both layouts, which oneDNN 2.6.3 once took for permission to run
// the kernel that it had kept from the other one.
TEST(Conv2dVariants, OnePixelIsRightInTheSecondLayoutToo) {
  for (const int c_out : {1, 8, 33})
    for (const int kernel : {1, 3})
      for (const char* layout : {"nchw", "nhwc", "nchw"}) {
        const Settings set = settings({{"c_in", 16},
                                       {"c_out", c_out},
                                       {"h", 1},
                                       {"w", 1},
                                       {"kh", kernel},
                                       {"kw", kernel},
                                       {"padding", kernel / 2},
                                       {"layout", layout},
                                       {"algorithm", "auto"}});
        EXPECT_EQ(mismatch_with_reference(conv2d(), "onednn", set), "")
            << c_out << " " << kernel << " " << layout;
      }
}

TEST(Conv2dVariants, ALibraryThatIsNotThereIsAFailureWithItsName) {
  const Measured measured =
      measure(conv2d(), "im2col", with(set_of(kShapes[1], "nchw"), {{"blas.library", "libnowhere.so.9"}}));
  EXPECT_NE(measured.status, KS_OK);
  EXPECT_THAT(measured.why, IsGolden());
}

TEST(Conv2dVariants, EachTellsWhatItReallyRanOn) {
  const auto runtime = [](const char* variant) {
    return measure(conv2d(), variant, set_of(kShapes[1], "nchw")).runtime;
  };
  EXPECT_THAT(runtime("onednn"), ::testing::StartsWith("oneDNN "));
  EXPECT_THAT(runtime("im2col"), ::testing::HasSubstr("libopenblas"));
  EXPECT_NE(told_in(runtime("vectorised"))["isa"], "");
}

}  // namespace
}  // namespace kernsweep::testing
