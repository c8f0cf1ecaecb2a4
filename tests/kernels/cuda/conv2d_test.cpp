// conv2d on a simulated GPU: what our own kernels need, refuse and count.
#include <gmock/gmock.h>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/cuda/cuda_fixture.hpp"

namespace kernsweep::testing {
namespace {

class CudaConv2d : public FakeCuda {
 protected:
  static const ks_family& conv2d() { return family("conv2d"); }
};

// 2 images of 3 x 8 x 8 under 5 kernels of 3 x 3 x 3: 5 x 6 x 6 results each.
const Settings kLayer =
    settings({{"batch", 2}, {"c_in", 3}, {"c_out", 5}, {"h", 8}, {"w", 8}, {"kh", 3}, {"kw", 3}});

TEST_F(CudaConv2d, IsTheFamilyOfTheProcessor) {
  const ks_family& cpu = family_of(open_pack("conv2d"), "conv2d");
  ASSERT_EQ(cpu.param_count, conv2d().param_count);
  for (std::size_t i = 0; i < cpu.param_count; ++i) {
    EXPECT_STREQ(cpu.params[i].name, conv2d().params[i].name);
    EXPECT_STREQ(cpu.params[i].choices, conv2d().params[i].choices);
  }
  EXPECT_EQ(work_of(cpu, kLayer).flops, work_of(conv2d(), kLayer).flops);
  EXPECT_EQ(tolerance_of(cpu, kLayer).relative, tolerance_of(conv2d(), kLayer).relative);
  EXPECT_EQ(measure(cpu, "naive", kLayer).values, measure(conv2d(), "naive", kLayer).values);
  for (const std::string& gpu : names_of_variants(conv2d()))
    for (const std::string& name : names_of_variants(cpu))
      EXPECT_TRUE(gpu != name || gpu == "naive") << gpu << " is two variants of one family";
}

TEST_F(CudaConv2d, CountsItsDeviceMemoryAndTakesTheTimeOfTheGpu) {
  const double arrays = 4 * (2 * 3 * 64 + 5 * 27 + 2 * 5 * 36);
  const Measured direct = measure(conv2d(), "cuda_direct", kLayer);
  EXPECT_EQ(direct.metrics.at("device_peak_bytes"), arrays);
  EXPECT_GT(direct.elapsed.value_or(0), 0);
  const Measured tiles = measure(conv2d(), "cuda_implicit_gemm", kLayer);
  EXPECT_EQ(tiles.metrics.at("device_peak_bytes"), arrays + 16 * 27) << "a table of 27 taps";
  EXPECT_GT(tiles.elapsed.value_or(0), 0);
}

// Wrong sums of another magnitude could hide behind a tolerance; whole numbers hide nothing.
TEST_F(CudaConv2d, SumsOfWholeNumbersAreExactAtTheirLargest) {
  HostOptions extreme;
  extreme.element = [](const std::string&, std::int64_t) { return -128.0; };
  const Settings deep =
      settings({{"c_in", 2000}, {"c_out", 1}, {"h", 8}, {"w", 8}, {"kh", 8}, {"kw", 8}, {"dtype", "s8"}});
  for (const char* variant : {"cuda_direct", "cuda_implicit_gemm"})
    EXPECT_EQ(measure(conv2d(), variant, deep, extreme).values, std::vector<double>{128.0 * 128 * 128000})
        << variant;
}

TEST_F(CudaConv2d, AnEmptyBatchStartsNoKernel) {
  for (const char* variant : {"cuda_direct", "cuda_implicit_gemm"}) {
    const Measured none = measure(conv2d(), variant, with(kLayer, {{"batch", 0}}));
    EXPECT_EQ(none.status, KS_OK) << none.why;
    EXPECT_TRUE(none.values.empty());
  }
  EXPECT_EQ(fake_cuda::done().kernels, 0);
}

TEST_F(CudaConv2d, RefusesWhatItCannotDoWithAReason) {
  std::string why;
  for (const char* variant : {"cuda_direct", "cuda_implicit_gemm"}) {
    EXPECT_EQ(can_run(conv2d(), variant, with(kLayer, {{"dtype", "tf32"}}), why), KS_UNSUPPORTED);
    EXPECT_THAT(why, IsGolden());
    EXPECT_EQ(can_run(conv2d(), variant, with(kLayer, {{"kh", 9}}), why), KS_BAD_PARAMETER);
  }
  for (const int tile : {0, 32, 65, -64}) {
    EXPECT_EQ(can_run(conv2d(), "cuda_implicit_gemm", with(kLayer, {{"tile", tile}}), why),
              KS_BAD_PARAMETER);
    EXPECT_THAT(why, IsGolden());
  }
}

// Extents that do not fit the 32 bits of a tap, and more tiles than a grid has blocks.
TEST_F(CudaConv2d, TilesRefuseWhatTheirNumbersCannotHold) {
  std::string why;
  const Settings line = settings({{"c_in", 1}, {"c_out", 1}, {"h", 1}, {"w", 1}, {"kh", 1}, {"kw", 1}});
  EXPECT_EQ(can_run(conv2d(), "cuda_implicit_gemm", with(line, {{"w", 2147483647}, {"padding", 1}}), why),
            KS_UNSUPPORTED);
  EXPECT_THAT(why, IsGolden());
  const Settings groups = with(line, {{"c_in", 1 << 20}, {"c_out", 1 << 20}, {"groups", 1 << 20}});
  EXPECT_EQ(can_run(conv2d(), "cuda_implicit_gemm", with(groups, {{"w", 1 << 18}}), why), KS_UNSUPPORTED);
  EXPECT_THAT(why, IsGolden());
  EXPECT_EQ(can_run(conv2d(), "cuda_direct", with(groups, {{"w", 1 << 18}}), why), KS_OK) << why;
}

TEST_F(CudaConv2d, AGpuWithoutMemoryIsOutOfMemoryAndLeavesNothingBehind) {
  for (const char* variant : {"cuda_direct", "cuda_implicit_gemm"})
    for (const std::size_t bytes : {1000u, 2000u, 3500u}) {
      if (bytes == 3500u && std::string(variant) == "cuda_direct") continue;  // has no table of taps
      fake_cuda::start({.memory_bytes = bytes});
      const Measured measured = measure(conv2d(), variant, kLayer);
      EXPECT_EQ(measured.status, KS_OUT_OF_MEMORY) << variant << " " << bytes;
      EXPECT_EQ(measured.failed_in, "prepare");
      EXPECT_EQ(fake_cuda::left_over(), "");
    }
}

TEST_F(CudaConv2d, AHostWithoutMemoryForTheOutputIsOutOfMemoryToo) {
  const Measured measured = measure(conv2d(), "cuda_direct", kLayer, {.bytes_max = 64});
  EXPECT_EQ(measured.status, KS_OUT_OF_MEMORY);
  EXPECT_EQ(measured.failed_in, "prepare");
}

TEST_F(CudaConv2d, EmptiesTheCachesOfItsGpu) {
  HostOptions cold;
  cold.cold = true;
  for (const char* variant : {"cuda_direct", "cuda_implicit_gemm"})
    EXPECT_EQ(mismatch_with_reference(conv2d(), variant, kLayer, cold), "");
}

}  // namespace
}  // namespace kernsweep::testing
