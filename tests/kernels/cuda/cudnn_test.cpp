// conv2d by cuDNN, with a simulated library: descriptors, layouts, weights, algorithms and statuses.
#include <cudnn.h>
#include <gmock/gmock.h>

#include <map>
#include <regex>
#include <set>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/cuda/cuda_fixture.hpp"
#include "tests/kernels/cuda/fake_cudnn/fake_cudnn.hpp"

namespace kernsweep::testing {
namespace {

class CudaCudnn : public FakeCuda {
 protected:
  void SetUp() override {
    FakeCuda::SetUp();
    fake_cudnn::start();
  }
  void TearDown() override {
    EXPECT_EQ(fake_cudnn::left_over(), "");
    FakeCuda::TearDown();
  }
  static const ks_family& conv2d() { return family("conv2d"); }
};

// 2 images of 3 x 8 x 8 under 5 kernels of 3 x 3 x 3: 5 x 6 x 6 results each.
const Settings kSmallLayer =
    settings({{"batch", 2}, {"c_in", 3}, {"c_out", 5}, {"h", 8}, {"w", 8}, {"kh", 3}, {"kw", 3}});
const std::size_t kLayerBytes = 4 * (2 * 3 * 64 + 5 * 27 + 2 * 5 * 36);

TEST_F(CudaCudnn, EveryShapeLayoutTypeAndAlgorithmAgreesWithTheReferenceOrIsUnsupportedByName) {
  std::map<std::string, int> answered;
  std::set<std::string> refusals;
  for (const char* dtype : {"f32", "tf32", "bf16", "f16"})
    for (const Settings& shape : conv2d_settings(dtype)) {
      const Measured reference = measure(conv2d(), "naive", shape);
      for (const char* algorithm : {"heuristic", "implicit_gemm", "implicit_precomp_gemm", "gemm",
                                    "winograd", "winograd_nonfused", "fft", "fft_tiling"}) {
        const Settings set = with(shape, {{"algorithm", algorithm}});
        const Measured measured = measure(conv2d(), "cudnn", set);
        if (measured.status == KS_UNSUPPORTED) {
          EXPECT_EQ(measured.failed_in, "prepare");
          refusals.insert(std::string(algorithm) + ": " + measured.why);
        } else {
          ++answered[algorithm];
          EXPECT_EQ(difference(measured, reference, tolerance_of(conv2d(), set)), "")
              << text_of({"conv2d", "cudnn", set});
        }
        ASSERT_EQ(fake_cudnn::left_over() + fake_cuda::left_over(), "");
      }
    }
  std::string told;
  for (const std::string& each : refusals) told += each + "\n";
  EXPECT_THAT(told, IsGolden());
  EXPECT_EQ(answered.size(), 8u);
  for (const auto& [algorithm, count] : answered) EXPECT_GE(count, 12) << algorithm;
}

TEST_F(CudaCudnn, WhatCanBeDoneInBothLayoutsIsDescribedInTheLayoutOfThePoint) {
  for (const bool last : {false, true}) {
    const Settings set = with(kSmallLayer, {{"layout", last ? "nhwc" : "nchw"}});
    EXPECT_EQ(mismatch_with_reference(conv2d(), "cudnn", set), "");
    EXPECT_EQ(fake_cudnn::done().channels_last, last);
  }
}

// The library recommends tensor cores; f32 does not use them.
TEST_F(CudaCudnn, OnlyTf32LetsF32BeRounded) {
  const auto math_of = [](const char* dtype, const char* algorithm) {
    const Settings set = with(kSmallLayer, {{"dtype", dtype}, {"algorithm", algorithm}});
    EXPECT_EQ(measure(conv2d(), "cudnn", set).status, KS_OK);
    return fake_cudnn::done().math;
  };
  EXPECT_EQ(math_of("f32", "heuristic"), CUDNN_FMA_MATH);
  EXPECT_EQ(math_of("f32", "gemm"), CUDNN_FMA_MATH);
  EXPECT_EQ(math_of("tf32", "implicit_gemm"), CUDNN_DEFAULT_MATH);
  EXPECT_EQ(math_of("tf32", "heuristic"), CUDNN_TENSOR_OP_MATH);
  EXPECT_EQ(math_of("bf16", "implicit_gemm"), CUDNN_TENSOR_OP_MATH);
  EXPECT_EQ(math_of("f16", "implicit_gemm"), CUDNN_TENSOR_OP_MATH);
}

TEST_F(CudaCudnn, TheHeuristicTakesTheFirstThatWorks) {
  measure(conv2d(), "cudnn", kSmallLayer);
  EXPECT_EQ(fake_cudnn::done().algorithm, CUDNN_CONVOLUTION_FWD_ALGO_WINOGRAD_NONFUSED);
  measure(conv2d(), "cudnn", with(kSmallLayer, {{"stride", 2}}));
  EXPECT_EQ(fake_cudnn::done().algorithm, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_PRECOMP_GEMM);
  fake_cudnn::start({.recommended_fail = 2});
  measure(conv2d(), "cudnn", kSmallLayer);
  EXPECT_EQ(fake_cudnn::done().algorithm, CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM);
  fake_cudnn::start({.recommended_fail = 4});
  const Measured none = measure(conv2d(), "cudnn", kSmallLayer);
  EXPECT_EQ(none.status, KS_UNSUPPORTED);
  EXPECT_THAT(none.why, IsGolden());
}

TEST_F(CudaCudnn, RuntimeTellsVersionAlgorithmAndMathAndTheWorkspaceIsCounted) {
  const Measured measured = measure(conv2d(), "cudnn", with(kSmallLayer, {{"algorithm", "gemm"}}));
  EXPECT_THAT(measured.runtime, IsGolden());
  EXPECT_EQ(measured.metrics.at("device_peak_bytes"), kLayerBytes + 4096);
  EXPECT_GT(measured.elapsed.value_or(0), 0);
  EXPECT_THAT(measure(conv2d(), "cudnn", with(kSmallLayer, {{"algorithm", "heuristic"}})).runtime,
              IsGolden());
}

TEST_F(CudaCudnn, AWorkspaceThatDoesNotFitIsOutOfMemory) {
  fake_cuda::start({.memory_bytes = kLayerBytes + 4000});
  const Measured measured = measure(conv2d(), "cudnn", with(kSmallLayer, {{"algorithm", "gemm"}}));
  EXPECT_EQ(measured.status, KS_OUT_OF_MEMORY);
  EXPECT_THAT(measured.why, IsGolden());
  EXPECT_EQ(measure(conv2d(), "cudnn", with(kSmallLayer, {{"algorithm", "implicit_gemm"}})).status, KS_OK);
}

TEST_F(CudaCudnn, ALibraryThatIsNotThereIsUnsupportedAndSaysWhatToInstall) {
  const Settings set = with(kSmallLayer, {{"cudnn.library", "libnowhere.so.9"}});
  std::string why;
  EXPECT_EQ(can_run(conv2d(), "cudnn", set, why), KS_UNSUPPORTED);
  const std::regex toolkit("for CUDA [0-9]+");
  EXPECT_THAT(std::regex_replace(why, toolkit, "for CUDA <toolkit>"), IsGolden());
  const Measured measured = measure(conv2d(), "cudnn", set, {.skip_can_run = true});
  EXPECT_EQ(measured.status, KS_UNSUPPORTED);
  EXPECT_EQ(measured.why, why);
  EXPECT_EQ(can_run(conv2d(), "cudnn", with(set, {{"cudnn.library", "libc.so.6"}}), why), KS_UNSUPPORTED);
  EXPECT_THAT(why, IsGolden());
}

TEST_F(CudaCudnn, OfAnotherMajorVersionIsUnsupported) {
  fake_cudnn::start({.version = 8907});
  std::string why;
  EXPECT_EQ(can_run(conv2d(), "cudnn", kSmallLayer, why), KS_UNSUPPORTED);
  EXPECT_EQ(why, "libcudnn.so.9 is cuDNN 8.9.7, the pack was built for 9; install that");
}

TEST_F(CudaCudnn, StatusesAreToldByNameAndSortedByWhatTheyMean) {
  struct Case {
    const char* function;
    int status;
    ks_status answer;
    const char* failed_in;
  };
  for (const Case& each :
       {Case{"cudnnCreate", CUDNN_STATUS_NOT_INITIALIZED, KS_UNSUPPORTED, "prepare"},
        Case{"cudnnCreateConvolutionDescriptor", CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED,
             KS_OUT_OF_MEMORY, "prepare"},
        Case{"cudnnSetTensor4dDescriptor", CUDNN_STATUS_NOT_SUPPORTED, KS_UNSUPPORTED, "prepare"},
        Case{"cudnnGetConvolutionForwardAlgorithm_v7", CUDNN_STATUS_EXECUTION_FAILED, KS_FAILED, "prepare"},
        Case{"cudnnConvolutionForward", CUDNN_STATUS_EXECUTION_FAILED, KS_FAILED, "run"}}) {
    fake_cudnn::start({.fails = each.function, .status = each.status});
    const Measured measured = measure(conv2d(), "cudnn", kSmallLayer);
    EXPECT_EQ(measured.status, each.answer) << each.function;
    EXPECT_EQ(measured.failed_in, each.failed_in) << each.function;
    EXPECT_THAT(measured.why, IsGolden()) << each.function;
    EXPECT_EQ(fake_cudnn::left_over() + fake_cuda::left_over(), "") << each.function;
  }
}

TEST_F(CudaCudnn, ThatDoesNotStartOnAFullGpuIsOutOfMemory) {
  fake_cuda::start({.memory_bytes = std::size_t{100} << 20});
  fake_cudnn::start({.fails = "cudnnCreate", .status = CUDNN_STATUS_NOT_INITIALIZED});
  const Measured measured = measure(conv2d(), "cudnn", kSmallLayer);
  EXPECT_EQ(measured.status, KS_OUT_OF_MEMORY);
  EXPECT_THAT(measured.why, IsGolden());
}

// In a child, like all that loses the GPU.
TEST_F(CudaCudnn, AStatusByABrokenContextLosesTheDeviceWithTheDriversOwnError) {
  for (const int status : {CUDNN_STATUS_EXECUTION_FAILED, CUDNN_STATUS_INTERNAL_ERROR}) {
    const std::string told = in_child([&] {
      fake_cudnn::start({.fails = "cudnnConvolutionForward", .status = status, .breaks_context = true});
      const Measured measured = measure(conv2d(), "cudnn", kSmallLayer);
      return measured.failed_in + " " + std::to_string(measured.status) + ": " + measured.why;
    });
    EXPECT_THAT(told, IsGolden());
  }
}

TEST_F(CudaCudnn, RefusesWhatTheLibraryHasNotBeforeItIsAsked) {
  std::string why;
  EXPECT_EQ(can_run(conv2d(), "cudnn", with(kSmallLayer, {{"dtype", "s8"}}), why), KS_UNSUPPORTED);
  EXPECT_THAT(why, IsGolden());
  EXPECT_EQ(can_run(conv2d(), "cudnn", with(kSmallLayer, {{"algorithm", "direct"}}), why),
            KS_BAD_PARAMETER);
  EXPECT_THAT(why, IsGolden());
  const Measured none = measure(conv2d(), "cudnn", with(kSmallLayer, {{"batch", 0}}));
  EXPECT_EQ(none.status, KS_OK) << none.why;
  EXPECT_EQ(fake_cudnn::done().convolutions, 0);
}

}  // namespace
}  // namespace kernsweep::testing
