// gemm on a simulated GPU: the very kernels, their edges and what they refuse.
#include <gmock/gmock.h>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/cuda/cuda_fixture.hpp"
#include "tests/kernels/cuda/gemm_points.hpp"

namespace kernsweep::testing {
namespace {

class CudaGemm : public FakeCuda {
 protected:
  static Settings cube(int size, const char* dtype) {
    return settings({{"m", size}, {"n", size}, {"k", size}, {"dtype", dtype}});
  }
  static std::string refusal(const char* variant, const Settings& set, ks_status expected) {
    std::string why;
    EXPECT_EQ(can_run(family("gemm"), variant, set, why), expected) << why;
    return why;
  }
};

class CudaGemmVariant : public FakeCuda, public ::testing::WithParamInterface<const char*> {};

TEST_P(CudaGemmVariant, AgreesWithTheReferenceAndLeavesNothingBehind) {
  for (const CudaPoint& point : gemm_points(GetParam())) {
    EXPECT_EQ(mismatch_with_reference(family("gemm"), point.variant, point.settings), "") << text_of(point);
    ASSERT_EQ(fake_cuda::left_over(), "") << text_of(point);
  }
}

INSTANTIATE_TEST_SUITE_P(All, CudaGemmVariant, ::testing::Values("cuda_naive", "cuda_tiled", "cuda_wgmma"),
                         [](const auto& tested) { return std::string(tested.param); });

TEST_F(CudaGemm, IsTheFamilyOfTheProcessor) {
  const ks_family& cpu = family_of(open_pack("gemm"), "gemm");
  const ks_family& gpu = family("gemm");
  ASSERT_EQ(cpu.param_count, gpu.param_count);
  for (std::size_t i = 0; i < cpu.param_count; ++i) EXPECT_STREQ(cpu.params[i].name, gpu.params[i].name);
  const Settings set = cube(20, "bf16");
  EXPECT_EQ(work_of(cpu, set).flops, work_of(gpu, set).flops);
  EXPECT_EQ(tolerance_of(cpu, set).relative, tolerance_of(gpu, set).relative);
  EXPECT_EQ(measure(cpu, "naive", set).values, measure(gpu, "naive", set).values);
  for (const std::string& name : names_of_variants(gpu)) {
    const std::vector<std::string> others = names_of_variants(cpu);
    EXPECT_EQ(name == "naive", std::find(others.begin(), others.end(), name) != others.end()) << name;
  }
}

TEST_F(CudaGemm, SaysWhichKernelOnWhichGpu) {
  const Measured tiled = measure(family("gemm"), "cuda_tiled", with(cube(9, "f32"), {{"tile_n", 32}}));
  EXPECT_THAT(tiled.runtime, IsGolden());
  EXPECT_THAT(measure(family("gemm"), "cuda_naive", cube(9, "f32")).runtime, IsGolden());
}

TEST_F(CudaGemm, CountsItsMatricesAndTakesTheTimeOfTheGpu) {
  const Measured measured = measure(family("gemm"), "cuda_naive", cube(10, "bf16"));
  EXPECT_EQ(measured.metrics.at("device_peak_bytes"), 3 * 200);
  ASSERT_TRUE(measured.elapsed);
  EXPECT_GT(*measured.elapsed, 0);
}

TEST_F(CudaGemm, RefusesTilesThatItHasNot) {
  EXPECT_THAT(refusal("cuda_tiled", with(cube(8, "f32"), {{"tile_m", 48}}), KS_UNSUPPORTED), IsGolden());
  EXPECT_THAT(refusal("cuda_tiled", with(cube(8, "f32"), {{"tile_k", 12}}), KS_UNSUPPORTED), IsGolden());
  EXPECT_THAT(
      refusal("cuda_tiled", with(cube(8, "f32"), {{"thread_tile", 8}, {"tile_m", 32}}), KS_UNSUPPORTED),
      IsGolden());
}

TEST_F(CudaGemm, RefusesTypesAndOrdersThatAKernelCannotMultiply) {
  EXPECT_THAT(refusal("cuda_tiled", cube(8, "f8e4m3"), KS_UNSUPPORTED), IsGolden());
}

TEST_F(CudaGemm, EpiloguesAreForCublasLt) {
  const Settings set = with(cube(64, "bf16"), {{"trans_b", "t"}});
  for (const char* variant : {"cuda_naive", "cuda_tiled", "cuda_wgmma", "cublas"}) {
    EXPECT_EQ(refusal(variant, set, KS_OK), "");
    for (const char* epilogue : {"bias", "relu", "bias_relu", "gelu", "bias_gelu"})
      EXPECT_THAT(refusal(variant, with(set, {{"epilogue", epilogue}}), KS_UNSUPPORTED), IsGolden());
  }
}

TEST_F(CudaGemm, WgmmaTakesShortFloatsAlongKAlone) {
  const Settings set = with(cube(64, "bf16"), {{"trans_b", "t"}});
  EXPECT_THAT(measure(family("gemm"), "cuda_wgmma", set).runtime, IsGolden());
  EXPECT_THAT(measure(family("gemm"), "cuda_wgmma", with(set, {{"tile_n", 128}})).runtime, IsGolden());
  EXPECT_THAT(refusal("cuda_wgmma", with(set, {{"tile_n", 64}}), KS_UNSUPPORTED), IsGolden());
  EXPECT_THAT(refusal("cuda_wgmma", with(set, {{"dtype", "tf32"}}), KS_UNSUPPORTED), IsGolden());
  EXPECT_THAT(refusal("cuda_wgmma", cube(64, "bf16"), KS_UNSUPPORTED), IsGolden());
  EXPECT_THAT(refusal("cuda_wgmma", with(set, {{"lda", 65}}), KS_UNSUPPORTED), IsGolden());
}

// As a reference with other tiles does, which is prepared between a job's preparation and its calls.
TEST_F(CudaGemm, AKernelKeepsItsSharedMemoryWhenAnotherJobNeedsLess) {
  const auto tiled = [](std::int64_t depth) {
    return settings({{"m", 8}, {"n", 8}, {"k", 8}, {"tile_m", 128}, {"tile_n", 128}, {"tile_k", depth}});
  };
  const auto shallow = [&] { EXPECT_EQ(measure(family("gemm"), "cuda_tiled", tiled(16)).status, KS_OK); };
  EXPECT_EQ(measure(family("gemm"), "cuda_tiled", tiled(64), {.prepared = shallow}).status, KS_OK);
}

TEST_F(CudaGemm, AGpuWithoutEnoughSharedMemoryIsUnsupportedWithBothNumbers) {
  const std::string told = in_child([] {
    fake_cuda::start({.block_shared_bytes = 64 << 10});
    const Measured measured =
        measure(family("gemm"), "cuda_wgmma", with(cube(64, "bf16"), {{"trans_b", "t"}}));
    return std::to_string(measured.status) + " " + measured.failed_in + " " + measured.why;
  });
  EXPECT_THAT(told, IsGolden());
}

TEST_F(CudaGemm, AGpuWithoutMemoryForTheMatricesIsOutOfMemory) {
  fake_cuda::start({.memory_bytes = 20000});
  const Measured measured = measure(family("gemm"), "cuda_tiled", cube(50, "f32"));
  EXPECT_EQ(measured.status, KS_OUT_OF_MEMORY);
  EXPECT_THAT(measured.why, IsGolden());
}

TEST_F(CudaGemm, AKernelThatTouchesWhatItMustNotFailsTheRun) {
  for (const char* variant : {"cuda_naive", "cuda_tiled", "cuda_wgmma"}) {
    const std::string told = in_child([&] {
      fake_cuda::start({.illegal_launch = 2});
      const Measured measured =
          measure(family("gemm"), variant, with(cube(64, "bf16"), {{"trans_b", "t"}}));
      return measured.failed_in + ": " + measured.why;
    });
    EXPECT_THAT(told, IsGolden()) << variant;
  }
}

}  // namespace
}  // namespace kernsweep::testing
