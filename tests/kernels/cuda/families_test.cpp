// Every family and variant of the pack, on a driver without a GPU: the very kernels, compiled for the host.
#include <gmock/gmock.h>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/cuda/cuda_fixture.hpp"

namespace kernsweep::testing {
namespace {

class CudaFamilies : public FakeCuda {};

TEST_F(CudaFamilies, EveryVariantAgreesWithItsReferenceAndLeavesNothingBehind) {
  for (const CudaPoint& point : cuda_points()) {
    const ks_family& family = family_of(cuda_pack(), point.family);
    EXPECT_EQ(mismatch_with_reference(family, point.variant, point.settings, {.queued = 3}), "")
        << text_of(point);
    ASSERT_EQ(fake_cuda::left_over(), "") << text_of(point);
  }
}

TEST_F(CudaFamilies, ThePackRefusesAHostThatDoesNotKnowDevices) {
  EXPECT_EQ(open_pack_as("cuda", KS_API_MAJOR, 1), nullptr);
  EXPECT_NE(open_pack_as("cuda", KS_API_MAJOR, KS_API_MINOR), nullptr);
}

TEST_F(CudaFamilies, AllButTheReferencesComputeOnTheGpuAndSayOnWhich) {
  for (std::size_t f = 0; f < cuda_pack().family_count; ++f) {
    const ks_family& family = *cuda_pack().families[f];
    for (const std::string& name : names_of_variants(family)) {
      const ks_variant& variant = variant_of(family, name);
      const bool reference = name == family.reference;
      EXPECT_EQ(variant.device != nullptr && std::string(variant.device) == "gpu", !reference) << name;
      EXPECT_EQ(variant.available != nullptr, !reference) << name;
    }
  }
  const Measured measured = measure(family("memory"), "cuda", settings({{"bytes", 64}}));
  EXPECT_THAT(measured.runtime, IsGolden());
}

// The same bytes arrive, and the same counters are counted, whichever way.
TEST_F(CudaFamilies, HowBytesAreMovedAndKernelsStartedAreSettings) {
  using ::testing::ElementsAre;
  EXPECT_THAT(names_in(family("transfer").settings),
              ElementsAre("memory", "mode", "chunks", "streams", "between"));
  EXPECT_THAT(names_in(family("launch").settings), ElementsAre("graph", "sync"));
  EXPECT_THAT(names_in(family("memory").settings), ElementsAre());
}

TEST_F(CudaFamilies, StreamIsTheFamilyOfTheProcessor) {
  const ks_family& cpu = family_of(open_pack("stream"), "stream");
  const ks_family& gpu = family("stream");
  ASSERT_EQ(cpu.param_count, gpu.param_count);
  for (std::size_t i = 0; i < cpu.param_count; ++i) EXPECT_STREQ(cpu.params[i].name, gpu.params[i].name);
  const Settings set = settings({{"n", 100}});
  EXPECT_EQ(work_of(cpu, set).bytes, work_of(gpu, set).bytes);
  EXPECT_EQ(tolerance_of(cpu, set).relative, tolerance_of(gpu, set).relative);
  EXPECT_EQ(measure(cpu, "naive", set).values, measure(gpu, "naive", set).values);
}

TEST_F(CudaFamilies, StreamCountsItsDeviceMemoryAndTakesTheTimeOfTheGpu) {
  const Measured triad = measure(family("stream"), "cuda", settings({{"n", 1000}, {"op", "triad"}}));
  EXPECT_EQ(triad.metrics.at("device_allocated_bytes"), 3 * 8000);
  EXPECT_EQ(triad.metrics.at("device_peak_bytes"), 3 * 8000);
  ASSERT_TRUE(triad.elapsed);
  EXPECT_GT(*triad.elapsed, 0);
  EXPECT_LT(*triad.elapsed, 60);
  const Measured copy = measure(family("stream"), "cuda", settings({{"n", 1000}, {"op", "copy"}}));
  EXPECT_EQ(copy.metrics.at("device_peak_bytes"), 2 * 8000);
}

TEST_F(CudaFamilies, EveryVariantEmptiesTheCachesOfItsGpuAndNotWithTheMeasurementsMemory) {
  HostOptions cold;
  cold.cold = true;
  for (const auto& [name, set] : {std::pair{"stream", settings({{"n", 1000}})},
                                  {"transfer", settings({{"bytes", 4096}})},
                                  {"launch", settings({{"kernels", 3}})},
                                  {"memory", settings({{"bytes", 4096}})}}) {
    EXPECT_EQ(mismatch_with_reference(family(name), "cuda", set, cold), "") << name;
    ASSERT_EQ(fake_cuda::left_over(), "") << name;
  }
  EXPECT_EQ(
      measure(family("stream"), "cuda", settings({{"n", 1000}}), cold).metrics.at("device_peak_bytes"),
      3 * 8000);
  fake_cuda::start({.memory_bytes = std::size_t{5} << 20});
  const Measured full = measure(family("stream"), "cuda", settings({{"n", 1000}}), cold);
  EXPECT_EQ(full.failed_in, "evict");
  EXPECT_THAT(full.why, IsGolden()) << "twice the simulated L2";
}

TEST_F(CudaFamilies, WhatNeedsTheHostInBetweenIsNotQueued) {
  for (const char* name : {"transfer", "launch", "memory", "roof"})
    EXPECT_EQ(variant_of(family(name), "cuda").run_many, nullptr) << name;
  for (const char* variant : {"cuda_naive", "cuda_tiled", "cuda_wgmma", "cublas", "cublaslt"})
    EXPECT_NE(variant_of(family("gemm"), variant).run_many, nullptr) << variant;
  EXPECT_NE(variant_of(family("conv2d"), "cuda_direct").run_many, nullptr);
}

TEST_F(CudaFamilies, QueuedRunsAreHeldUntilAllAreThereAndTimedTogether) {
  const Settings set = settings({{"n", 1000}});
  const Measured one = measure(family("stream"), "cuda", set, {.runs = 1});
  EXPECT_EQ(fake_cuda::done().held, 0);
  const int kernels = fake_cuda::done().kernels;
  const Measured queued = measure(family("stream"), "cuda", set, {.runs = 0, .queued = 20});
  EXPECT_EQ(queued.failed_in, "");
  EXPECT_EQ(fake_cuda::done().held, 1);
  EXPECT_EQ(fake_cuda::done().kernels, kernels + 20);
  EXPECT_EQ(queued.values, one.values);
  EXPECT_GT(queued.elapsed.value_or(0), 0);
}

TEST_F(CudaFamilies, ADriverThatHoldsNoStreamSaysWhatToDo) {
  fake_cuda::start({.hold_result = 801});
  const Measured measured = measure(family("stream"), "cuda", settings({{"n", 8}}), {.queued = 3});
  EXPECT_EQ(measured.status, KS_UNSUPPORTED);
  EXPECT_EQ(measured.failed_in, "run_many");
  EXPECT_THAT(measured.why, IsGolden());
}

TEST_F(CudaFamilies, AnIllegalAccessAmongQueuedRunsLosesTheDevice) {
  fake_cuda::start({.illegal_launch = 4});
  const Measured measured = measure(family("stream"), "cuda", settings({{"n", 8}}), {.queued = 5});
  EXPECT_EQ(measured.status, KS_DEVICE_LOST);
  EXPECT_EQ(measured.failed_in, "run_many");
  fake_cuda::start();  // a GPU that is lost takes nothing back
}

TEST_F(CudaFamilies, StreamRefusesBlocksAndCopiesThatAreNone) {
  std::string why;
  for (const int block : {0, 31, 33, 1056, -32}) {
    EXPECT_EQ(can_run(family("stream"), "cuda", settings({{"block", block}}), why), KS_BAD_PARAMETER);
    EXPECT_THAT(why, IsGolden());
  }
  EXPECT_EQ(can_run(family("stream"), "cuda_memcpy", settings({{"op", "triad"}}), why), KS_UNSUPPORTED);
  EXPECT_THAT(why, IsGolden());
  EXPECT_EQ(
      can_run(family("stream"), "cuda_memcpy", settings({{"op", "copy"}, {"non_temporal", true}}), why),
      KS_UNSUPPORTED);
}

TEST_F(CudaFamilies, AGpuWithoutMemoryForTheArraysIsOutOfMemoryWithNumbers) {
  fake_cuda::start({.memory_bytes = 20000});
  const Measured measured = measure(family("stream"), "cuda", settings({{"n", 1000}, {"op", "triad"}}));
  EXPECT_EQ(measured.status, KS_OUT_OF_MEMORY);
  EXPECT_EQ(measured.failed_in, "prepare");
  EXPECT_THAT(measured.why, IsGolden());
}

TEST_F(CudaFamilies, AHostWithoutMemoryForTheOutputIsOutOfMemoryToo) {
  for (const auto& [name, set] : {std::pair{"stream", settings({{"n", 100000}})},
                                  {"transfer", settings({{"bytes", 400000}})},
                                  {"launch", settings({{"n", 100000}})}}) {
    for (const char* variant : {"cuda", "naive"}) {
      const Measured measured = measure(family(name), variant, set, {.bytes_max = 4096});
      EXPECT_EQ(measured.status, KS_OUT_OF_MEMORY) << name << "." << variant;
      EXPECT_EQ(measured.failed_in, "prepare") << name << "." << variant;
    }
  }
}

}  // namespace
}  // namespace kernsweep::testing
