// memory: the sum that proves each word, and the end of the device's memory.
#include <gmock/gmock.h>

#include "kernels/cuda/memory/memory_kernels.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/cuda/cuda_fixture.hpp"

namespace kernsweep::testing {
namespace {

class CudaMemory : public FakeCuda {};

TEST_F(CudaMemory, TheFormulaIsTheSumOfTheWords) {
  std::uint64_t sum = 0;
  for (std::int64_t n = 0; n < 1000; ++n) {
    ASSERT_EQ(cuda::sum_of_words(n), sum) << n;
    sum += cuda::word_at(n);
  }
}

TEST_F(CudaMemory, TheFormulaHoldsForMoreWordsThanAProductOfTheirNumberHasBits) {
  const std::int64_t n = std::int64_t{1} << 47;
  EXPECT_EQ(cuda::sum_of_words(n + 1) - cuda::sum_of_words(n), cuda::word_at(n));
  EXPECT_EQ(cuda::sum_of_words(n + 2) - cuda::sum_of_words(n + 1), cuda::word_at(n + 1));
}

TEST_F(CudaMemory, AWorkingSetThatDoesNotFitIsOutOfMemoryInTheRunAndSaysHowMuchWasFree) {
  fake_cuda::start({.memory_bytes = 1 << 20});
  const Measured fits = measure(family("memory"), "cuda", settings({{"bytes", 900000}}));
  EXPECT_EQ(fits.status, KS_OK) << fits.why;
  EXPECT_GE(fits.metrics.at("device_peak_bytes"), 900000);
  EXPECT_LT(fits.metrics.at("device_allocated_bytes"), 900000);
  const Measured too_large = measure(family("memory"), "cuda", settings({{"bytes", 2000000}}));
  EXPECT_EQ(too_large.status, KS_OUT_OF_MEMORY);
  EXPECT_EQ(too_large.failed_in, "run");
  EXPECT_THAT(too_large.why, IsGolden());
}

TEST_F(CudaMemory, CountsEachWordWrittenAndRead) {
  EXPECT_EQ(work_of(family("memory"), settings({{"bytes", 20}})).bytes, 32);
}

TEST_F(CudaMemory, RefusesLessThanAWord) {
  std::string why;
  EXPECT_EQ(can_run(family("memory"), "cuda", settings({{"bytes", 7}}), why), KS_BAD_PARAMETER);
  EXPECT_THAT(why, IsGolden());
}

}  // namespace
}  // namespace kernsweep::testing
