// launch: how many kernels, graphs and waits a run has.
#include <gmock/gmock.h>

#include "tests/kernels/cuda/cuda_fixture.hpp"

namespace kernsweep::testing {
namespace {

class CudaLaunch : public FakeCuda {
 protected:
  fake_cuda::Done done_by(const Settings& set, int runs) {
    fake_cuda::start();
    const Measured measured = measure(family("launch"), "cuda", set, {.runs = runs});
    EXPECT_EQ(measured.why, "");
    return fake_cuda::done();
  }
};

TEST_F(CudaLaunch, StartsEachKernelByItselfOrAllAsOneGraph) {
  const Settings set = settings({{"kernels", 10}});
  EXPECT_EQ(done_by(with(set, {{"graph", false}}), 3).graphs, 0);
  EXPECT_EQ(done_by(with(set, {{"graph", false}}), 3).kernels, 30);
  EXPECT_EQ(done_by(with(set, {{"graph", true}}), 3).graphs, 3);
  EXPECT_EQ(done_by(with(set, {{"graph", true}}), 3).kernels, 30);
}

TEST_F(CudaLaunch, WaitsOncePerRunOrAfterEachKernel) {
  const auto waits = [&](const char* sync) {
    const Settings set = settings({{"kernels", 10}, {"sync", sync}});
    return done_by(set, 2).host_waits - done_by(set, 1).host_waits;
  };
  EXPECT_EQ(waits("step"), 1);
  EXPECT_EQ(waits("kernel"), 11);
}

TEST_F(CudaLaunch, IsTimedByTheHost) {
  EXPECT_FALSE(measure(family("launch"), "cuda", settings({{"kernels", 1}})).elapsed);
}

TEST_F(CudaLaunch, AGraphCannotWaitInBetween) {
  std::string why;
  EXPECT_EQ(can_run(family("launch"), "cuda", settings({{"graph", true}, {"sync", "kernel"}}), why),
            KS_UNSUPPORTED);
  EXPECT_THAT(why, ::testing::HasSubstr("set sync: step or graph: false"));
  EXPECT_EQ(can_run(family("launch"), "cuda", settings({{"kernels", 0}}), why), KS_BAD_PARAMETER);
  EXPECT_EQ(can_run(family("launch"), "naive", settings({{"n", 0}}), why), KS_BAD_PARAMETER);
}

}  // namespace
}  // namespace kernsweep::testing
