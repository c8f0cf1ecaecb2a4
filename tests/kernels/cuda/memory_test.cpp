// memory: the sum that proves each word, and the end of the device's memory.
#include <gmock/gmock.h>

#include "kernels/cuda/memory/memory_kernels.hpp"
#include "tests/kernels/cuda/cuda_fixture.hpp"

namespace kernsweep::testing {
namespace {

using ::testing::HasSubstr;

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
  EXPECT_THAT(too_large.why, HasSubstr("allocating 2000000 bytes on the GPU, of whose 1048576 bytes"));
  EXPECT_THAT(too_large.why, HasSubstr("were free; make the problem smaller"));
}

TEST_F(CudaMemory, CountsEachWordWrittenAndRead) {
  EXPECT_EQ(work_of(family("memory"), settings({{"bytes", 20}})).bytes, 32);
}

TEST_F(CudaMemory, RefusesLessThanAWord) {
  std::string why;
  EXPECT_EQ(can_run(family("memory"), "cuda", settings({{"bytes", 7}}), why), KS_BAD_PARAMETER);
  EXPECT_THAT(why, HasSubstr("bytes is 7"));
}

}  // namespace
}  // namespace kernsweep::testing
