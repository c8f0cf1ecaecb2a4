// launch: how many kernels, graphs and waits a run has.
#include <gmock/gmock.h>

#include "tests/golden_text/golden_text.hpp"
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

TEST_F(CudaLaunch, StartsTheKernelsOfEachStepAndAGraphForEachStep) {
  const Settings set = settings({{"kernels", 10}, {"steps", 4}});
  for (const char* sync : {"run", "step"}) {
    const fake_cuda::Done plain = done_by(with(set, {{"sync", sync}}), 3);
    EXPECT_EQ(plain.kernels, 3 * 4 * 10);
    EXPECT_EQ(plain.graphs, 0);
    const fake_cuda::Done graphs = done_by(with(set, {{"sync", sync}, {"graph", true}}), 3);
    EXPECT_EQ(graphs.kernels, 3 * 4 * 10);
    EXPECT_EQ(graphs.graphs, 3 * 4);
  }
}

TEST_F(CudaLaunch, CountsTheKernelsOfAllStepsAndSoDoesItsWork) {
  const Settings set = settings({{"kernels", 3}, {"steps", 5}, {"n", 7}});
  for (const char* sync : {"run", "step", "kernel"})
    for (const bool graph : {false, true}) {
      if (graph && std::string(sync) == "kernel") continue;
      const Measured measured =
          measure(family("launch"), "cuda", with(set, {{"sync", sync}, {"graph", graph}}), {.runs = 2});
      EXPECT_EQ(measured.values, std::vector<double>(7, 15)) << sync << " " << graph;
    }
  EXPECT_EQ(measure(family("launch"), "naive", set).values, std::vector<double>(7, 15));
  EXPECT_EQ(work_of(family("launch"), set).flops, 3 * 5 * 7);
  EXPECT_EQ(work_of(family("launch"), set).bytes, 8 * 3 * 5 * 7);
}

TEST_F(CudaLaunch, WaitsOncePerRunOrAfterEachStepOrAfterEachKernel) {
  const auto waits = [&](const char* sync, int steps, bool graph) {
    const Settings set = settings({{"kernels", 10}, {"steps", steps}, {"sync", sync}, {"graph", graph}});
    return done_by(set, 2).host_waits - done_by(set, 1).host_waits;
  };
  for (const bool graph : {false, true}) {
    EXPECT_EQ(waits("run", 1, graph), 1);
    EXPECT_EQ(waits("run", 4, graph), 1);
    EXPECT_EQ(waits("step", 1, graph), 1);
    EXPECT_EQ(waits("step", 4, graph), 4);
  }
  EXPECT_EQ(waits("kernel", 1, false), 10);
  EXPECT_EQ(waits("kernel", 4, false), 40);
}

TEST_F(CudaLaunch, IsTimedByTheHost) {
  EXPECT_FALSE(measure(family("launch"), "cuda", settings({{"kernels", 1}})).elapsed);
}

TEST_F(CudaLaunch, AGraphCannotWaitInBetween) {
  std::string why;
  EXPECT_EQ(can_run(family("launch"), "cuda", settings({{"graph", true}, {"sync", "kernel"}}), why),
            KS_UNSUPPORTED);
  EXPECT_THAT(why, IsGolden());
  EXPECT_EQ(can_run(family("launch"), "cuda", settings({{"kernels", 0}}), why), KS_BAD_PARAMETER);
  EXPECT_EQ(can_run(family("launch"), "naive", settings({{"n", 0}}), why), KS_BAD_PARAMETER);
}

TEST_F(CudaLaunch, HasNoMoreKernelsInARunThanItsCountersCanCount) {
  const auto refusal = [](std::int64_t kernels, std::int64_t steps) {
    std::string why;
    const Settings set = settings({{"kernels", kernels}, {"steps", steps}});
    const ks_status status = can_run(family("launch"), "naive", set, why);
    EXPECT_EQ(status, why.empty() ? KS_OK : KS_BAD_PARAMETER);
    return why;
  };
  EXPECT_EQ(refusal(1 << 12, 1 << 12), "");
  EXPECT_THAT(refusal(1 << 12, (1 << 12) + 1), IsGolden());
  EXPECT_THAT(refusal(1, 0), IsGolden());
  EXPECT_THAT(refusal(1 << 24, std::int64_t{1} << 62), IsGolden());
}

}  // namespace
}  // namespace kernsweep::testing
