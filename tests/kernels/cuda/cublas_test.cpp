// gemm by cuBLAS and cuBLASLt, both simulated: what they are called with, and what they return.
#include <gmock/gmock.h>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/cuda/cuda_fixture.hpp"
#include "tests/kernels/cuda/fake_cublas/fake_cublas.hpp"
#include "tests/kernels/cuda/gemm_points.hpp"

namespace kernsweep::testing {
namespace {

class Cublas : public FakeCuda {
 protected:
  void SetUp() override {
    FakeCuda::SetUp();
    fake_cublas::start();
  }
  void TearDown() override {
    EXPECT_EQ(fake_cublas::left_over(), 0);
    FakeCuda::TearDown();
  }

  static Settings small(const char* dtype) {
    return settings({{"m", 16}, {"n", 32}, {"k", 48}, {"dtype", dtype}});
  }
  static Measured of(const char* variant, const Settings& set) {
    return measure(family("gemm"), variant, set);
  }
  static std::string refusal(const char* variant, const Settings& set, ks_status expected) {
    std::string why;
    EXPECT_EQ(can_run(family("gemm"), variant, set, why), expected) << why;
    return why;
  }
};

TEST_F(Cublas, EveryPointAgreesWithTheReferenceAndLeavesNothingBehind) {
  for (const char* variant : {"cublas", "cublaslt"})
    for (const CudaPoint& point : gemm_points(variant)) {
      const Settings set = with(point.settings, {{"workspace_bytes", 16384}});  // quickly filled
      EXPECT_EQ(mismatch_with_reference(family("gemm"), variant, set), "") << text_of(point);
      ASSERT_EQ(fake_cuda::left_over(), "") << text_of(point);
      ASSERT_EQ(fake_cublas::left_over(), 0) << text_of(point);
    }
}

TEST_F(Cublas, SeveralProductsAreOneCallAndOneProductIsThePlainCall) {
  EXPECT_EQ(of("cublas", small("bf16")).status, KS_OK);
  EXPECT_EQ(fake_cublas::last_call(), "GemmEx");
  EXPECT_EQ(of("cublas", with(small("bf16"), {{"batch", 2}})).status, KS_OK);
  EXPECT_EQ(fake_cublas::last_call(), "GemmStridedBatchedEx");
}

TEST_F(Cublas, TheAlgorithmIsThatOfTheHeuristicsList) {
  const Measured third = of("cublaslt", with(small("f16"), {{"algorithm", 2}}));
  EXPECT_EQ(third.status, KS_OK) << third.why;
  EXPECT_EQ(fake_cublas::last_call(), "LtMatmul 42");
  EXPECT_THAT(third.runtime, IsGolden());
  EXPECT_EQ(third.metrics.at("device_peak_bytes"), 2 * (16 * 48 + 48 * 32 + 16 * 32) + 8192);
  const Measured fourth = of("cublaslt", with(small("f16"), {{"algorithm", 3}}));
  EXPECT_EQ(fourth.status, KS_UNSUPPORTED);
  EXPECT_EQ(fourth.failed_in, "prepare");
  EXPECT_THAT(fourth.why, IsGolden());
}

TEST_F(Cublas, AlgorithmsThatNeedMoreThanTheWorkspaceAreNotInTheList) {
  const Settings little = with(small("f16"), {{"workspace_bytes", 4096}});
  EXPECT_EQ(of("cublaslt", with(little, {{"algorithm", 1}})).status, KS_OK);
  EXPECT_THAT(of("cublaslt", with(little, {{"algorithm", 2}})).why, IsGolden());
}

TEST_F(Cublas, TellsItsVersionItsFileAndItsWorkspace) {
  const Measured measured = of("cublas", with(small("f32"), {{"workspace_bytes", 65536}}));
  EXPECT_THAT(measured.runtime, IsGolden());
  EXPECT_EQ(measured.metrics.at("device_peak_bytes"), 4 * (16 * 48 + 48 * 32 + 16 * 32) + 65536);
}

TEST_F(Cublas, ALibraryThatIsNotThereIsUnsupportedWithItsNameAndWhatToInstall) {
  for (const char* variant : {"cublas", "cublaslt"})
    EXPECT_THAT(
        refusal(variant, with(small("f32"), {{"cublas.library", "libnowhere.so.7"}}), KS_UNSUPPORTED),
        IsGolden());
}

TEST_F(Cublas, ALibraryThatIsAnotherIsUnsupportedWithTheFunctionThatItLacks) {
  EXPECT_THAT(refusal("cublas", with(small("f32"), {{"cublas.library", "libm.so.6"}}), KS_UNSUPPORTED),
              IsGolden());
}

TEST_F(Cublas, StatusesAreToldByName) {
  for (const char* variant : {"cublas", "cublaslt"})
    for (const auto& [status, answer] :
         {std::pair{15, KS_UNSUPPORTED}, {3, KS_OUT_OF_MEMORY}, {13, KS_FAILED}}) {
      fake_cublas::start({.multiply_status = status});
      const Measured measured = of(variant, small("f32"));
      EXPECT_EQ(measured.status, answer) << variant;
      EXPECT_EQ(measured.failed_in, "prepare");
      EXPECT_THAT(measured.why, IsGolden());
    }
}

TEST_F(Cublas, ALibraryThatDoesNotStartIsUnsupported) {
  for (const char* variant : {"cublas", "cublaslt"}) {
    fake_cublas::start({.create_status = 1});
    const Measured measured = of(variant, small("f32"));
    EXPECT_EQ(measured.status, KS_UNSUPPORTED) << variant;
    EXPECT_THAT(measured.why, IsGolden());
  }
}

TEST_F(Cublas, ALibraryThatDoesNotStartOnAFullGpuIsOutOfMemory) {
  for (const char* variant : {"cublas", "cublaslt"}) {
    fake_cuda::start({.memory_bytes = std::size_t{100} << 20});
    fake_cublas::start({.create_status = 1});
    const Measured measured = of(variant, small("f32"));
    EXPECT_EQ(measured.status, KS_OUT_OF_MEMORY) << variant;
    EXPECT_THAT(measured.why, IsGolden());
  }
}

// In a child, like every test that loses the GPU. Only a wait shows the broken context.
TEST_F(Cublas, AStatusByABrokenContextLosesTheDeviceWithTheDriversOwnError) {
  struct Case {
    int status, good_products;
    std::uint64_t queued;
    const char* failed_in;
  };
  for (const char* variant : {"cublas", "cublaslt"})
    for (const Case& each : {Case{13, 0, 0, "prepare"}, Case{14, 0, 0, "prepare"}, Case{13, 1, 0, "run"},
                             Case{14, 2, 3, "run_many"}}) {
      const std::string told = in_child([&] {
        fake_cublas::start(
            {.multiply_status = each.status, .good_products = each.good_products, .breaks_context = true});
        const Measured measured =
            measure(family("gemm"), variant, small("f32"), {.runs = 1, .queued = each.queued});
        return measured.failed_in + " " + std::to_string(measured.status) + ": " + measured.why;
      });
      EXPECT_THAT(told,
                  ::testing::StartsWith(std::string(each.failed_in) + " 5: CUDA_ERROR_ILLEGAL_ADDRESS"))
          << variant;
      EXPECT_THAT(told, IsGolden()) << variant;
    }
}

TEST_F(Cublas, AStatusOfItsOwnLeavesTheDeviceAsItIs) {
  for (const char* variant : {"cublas", "cublaslt"}) {
    fake_cublas::start({.multiply_status = 13, .good_products = 2});
    const Measured measured = measure(family("gemm"), variant, small("f32"), {.runs = 1, .queued = 3});
    EXPECT_EQ(measured.status, KS_FAILED) << variant;
    EXPECT_EQ(measured.failed_in, "run_many") << variant;
    EXPECT_THAT(measured.why, IsGolden());
    fake_cublas::start();
    EXPECT_EQ(of(variant, small("f32")).status, KS_OK);
  }
}

TEST_F(Cublas, F8IsMultipliedAlongKAlone) {
  const Settings set = with(small("f8e4m3"), {{"trans_b", "t"}});
  EXPECT_EQ(mismatch_with_reference(family("gemm"), "cublaslt", set), "");
  EXPECT_THAT(refusal("cublas", set, KS_UNSUPPORTED), IsGolden());
  EXPECT_THAT(refusal("cublaslt", small("f8e4m3"), KS_UNSUPPORTED), IsGolden());
  EXPECT_THAT(refusal("cublaslt", with(set, {{"k", 40}}), KS_UNSUPPORTED), IsGolden());
  EXPECT_THAT(refusal("cublaslt", with(set, {{"dtype", "f8e5m2"}}), KS_UNSUPPORTED), IsGolden());
}

// Those that a real library may refuse by its status; the others are points of gemm_points.
TEST_F(Cublas, EpiloguesOfDoublesAndOf8BitFloatsAgreeToo) {
  for (const char* epilogue : {"bias", "relu", "bias_relu", "gelu", "bias_gelu"}) {
    const Settings f64 = with(small("f64"), {{"epilogue", epilogue}, {"workspace_bytes", 0}});
    EXPECT_EQ(mismatch_with_reference(family("gemm"), "cublaslt", f64), "") << epilogue;
    for (const char* out : {"f32", "bf16", "f16"}) {
      const Settings f8 = with(f64, {{"dtype", "f8e4m3"}, {"trans_b", "t"}, {"out", out}});
      EXPECT_EQ(mismatch_with_reference(family("gemm"), "cublaslt", f8), "") << epilogue << " " << out;
    }
  }
}

TEST_F(Cublas, ABiasLiesOnTheDeviceAndCounts) {
  const Settings set = with(small("f16"), {{"epilogue", "relu"}});
  const double without = of("cublaslt", set).metrics.at("device_peak_bytes");
  const Measured biased = of("cublaslt", with(set, {{"epilogue", "bias_relu"}}));
  EXPECT_EQ(biased.metrics.at("device_peak_bytes"), without + 32 * 2);
}

TEST_F(Cublas, EpiloguesThatItHasNotAreUnsupported) {
  EXPECT_THAT(refusal("cublaslt", with(small("s8"), {{"epilogue", "bias_relu"}}), KS_UNSUPPORTED),
              IsGolden());
  EXPECT_THAT(refusal("cublaslt", with(small("f32"), {{"epilogue", "bias"}, {"k", 0}}), KS_UNSUPPORTED),
              IsGolden());
  const Settings zeros = with(small("f32"), {{"epilogue", "gelu"}, {"k", 0}});
  EXPECT_EQ(mismatch_with_reference(family("gemm"), "cublaslt", zeros), "");
}

TEST_F(Cublas, IntegersThatItCannotReadAreUnsupported) {
  EXPECT_THAT(refusal("cublas", with(small("s8"), {{"lda", 50}}), KS_UNSUPPORTED), IsGolden());
  const Settings along_k = with(small("s8"), {{"trans_b", "t"}});
  EXPECT_EQ(of("cublaslt", along_k).status, KS_OK);
  for (const auto& [name, value] : {std::pair{"trans_b", Literal("n")},
                                    {"trans_a", Literal("t")},
                                    {"lda", Literal(50)},
                                    {"n", Literal(30)},
                                    {"ldc", Literal(34)}})
    EXPECT_THAT(refusal("cublaslt", with(along_k, {{name, value}}), KS_UNSUPPORTED), IsGolden());
}

TEST_F(Cublas, RefusesNumbersThatNoPointCanHave) {
  EXPECT_THAT(refusal("cublas", with(small("f32"), {{"workspace_bytes", 100}}), KS_BAD_PARAMETER),
              IsGolden());
  EXPECT_THAT(refusal("cublaslt", with(small("f32"), {{"algorithm", -1}}), KS_BAD_PARAMETER), IsGolden());
  EXPECT_THAT(refusal("cublas", with(small("f32"), {{"ldc", 3000000000}}), KS_UNSUPPORTED), IsGolden());
}

TEST_F(Cublas, NoRoomForTheWorkspaceIsOutOfMemory) {
  fake_cuda::start({.memory_bytes = 1 << 20});
  EXPECT_EQ(of("cublas", small("f32")).status, KS_OUT_OF_MEMORY);
}

}  // namespace
}  // namespace kernsweep::testing
