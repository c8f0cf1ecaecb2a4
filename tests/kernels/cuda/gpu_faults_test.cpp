// Faults on the GPU of this host, planted in processes of their own: what they cost is the process, and the
// GPU works on for others.
#include <gmock/gmock.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "kernels/cuda/cuda_api.hpp"
#include "kernels/cuda/cuda_driver.hpp"
#include "tests/kernels/cuda/faults/faults.hpp"
#include "tests/kernels/cuda/points.hpp"

namespace kernsweep::testing {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;

class CudaGpuFaults : public ::testing::Test {
 protected:
  void SetUp() override {
    char why[512] = "";
    if (cuda::available({why, sizeof why}) != KS_OK) GTEST_SKIP() << why;
    int mode = 0;
    cuda::check(cuda::api().cuDeviceGetAttribute(&mode, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, 0),
                "asking for the compute mode");
    if (mode != CU_COMPUTEMODE_DEFAULT) GTEST_SKIP() << "the GPU takes one process at a time";
    // Clients of MPS share a context's fate: others' programs would end with ours.
    if (std::getenv("CUDA_MPS_PIPE_DIRECTORY") || std::ifstream("/tmp/nvidia-mps/control").good())
      GTEST_SKIP() << "other programs are on the GPU by MPS, and would be lost with it";
    // By fork and exec of this program: a context of CUDA does not go over into a child.
    ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  }

  static std::string mismatch() {
    return mismatch_with_reference(family_of(cuda_pack(), "stream"), "cuda",
                                   settings({{"n", 1000}, {"op", "triad"}}));
  }

  // This process has a context while the other loses its own, and computes well before and after.
  static void expect_works() { EXPECT_EQ(mismatch(), ""); }
};

TEST_F(CudaGpuFaults, AnIllegalAccessLosesTheGpuForItsProcessAlone) {
  const auto fail_and_tell = [] {
    const std::string told = illegal_access();
    const Measured next = measure(family_of(cuda_pack(), "memory"), "cuda", settings({{"bytes", 4096}}));
    std::fprintf(stderr, "%snext job: %d\n", told.c_str(), next.status);
    std::_Exit(0);
  };
  expect_works();
  EXPECT_EXIT(
      fail_and_tell(), ::testing::ExitedWithCode(0),
      AllOf(ContainsRegex(
                "5: CUDA_ERROR_ILLEGAL_ADDRESS while waiting for the GPU; this process can compute"),
            ContainsRegex("5: CUDA_ERROR_ILLEGAL_ADDRESS while allocating"),
            ContainsRegex("next job: 5\n")));
  expect_works();
}

TEST_F(CudaGpuFaults, AKernelWithoutEndDiesWithItsProcess) {
  expect_works();
  EXPECT_EXIT(wait_for_an_endless_kernel(), ::testing::KilledBySignal(SIGKILL), "the kernel was running");
  expect_works();
}

}  // namespace
}  // namespace kernsweep::testing
