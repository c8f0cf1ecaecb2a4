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
}

// Wrong sums of another magnitude could hide behind a tolerance; whole numbers hide nothing.
TEST_F(CudaConv2d, SumsOfWholeNumbersAreExactAtTheirLargest) {
  HostOptions extreme;
  extreme.element = [](const std::string&, std::int64_t) { return -128.0; };
  const Settings deep =
      settings({{"c_in", 2000}, {"c_out", 1}, {"h", 8}, {"w", 8}, {"kh", 8}, {"kw", 8}, {"dtype", "s8"}});
  EXPECT_EQ(measure(conv2d(), "cuda_direct", deep, extreme).values,
            std::vector<double>{128.0 * 128 * 128000});
}

TEST_F(CudaConv2d, AnEmptyBatchStartsNoKernel) {
  const Measured none = measure(conv2d(), "cuda_direct", with(kLayer, {{"batch", 0}}));
  EXPECT_EQ(none.status, KS_OK) << none.why;
  EXPECT_TRUE(none.values.empty());
  EXPECT_EQ(fake_cuda::done().kernels, 0);
}

TEST_F(CudaConv2d, RefusesWhatItCannotDoWithAReason) {
  std::string why;
  EXPECT_EQ(can_run(conv2d(), "cuda_direct", with(kLayer, {{"dtype", "tf32"}}), why), KS_UNSUPPORTED);
  EXPECT_THAT(why, IsGolden());
  EXPECT_EQ(can_run(conv2d(), "cuda_direct", with(kLayer, {{"kh", 9}}), why), KS_BAD_PARAMETER);
}

TEST_F(CudaConv2d, AGpuWithoutMemoryIsOutOfMemoryAndLeavesNothingBehind) {
  for (const std::size_t bytes : {1000u, 2000u}) {
    fake_cuda::start({.memory_bytes = bytes});
    const Measured measured = measure(conv2d(), "cuda_direct", kLayer);
    EXPECT_EQ(measured.status, KS_OUT_OF_MEMORY) << bytes;
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
  EXPECT_EQ(mismatch_with_reference(conv2d(), "cuda_direct", kLayer, cold), "");
}

}  // namespace
}  // namespace kernsweep::testing
