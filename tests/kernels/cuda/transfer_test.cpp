// transfer: what it counts, the number of copies by kind of memory, and what it refuses.
#include <gmock/gmock.h>

#include <string_view>

#include "tests/golden_text/golden_text.hpp"
#include "tests/kernels/cuda/cuda_fixture.hpp"

namespace kernsweep::testing {
namespace {

class CudaTransfer : public FakeCuda {
 protected:
  // Copies between host and device of one run, by the difference that a second run makes.
  fake_cuda::Done done_by_a_run(const Settings& set) {
    fake_cuda::start();
    measure(family("transfer"), "cuda", set, {.runs = 1});
    const fake_cuda::Done once = fake_cuda::done();
    fake_cuda::start();
    measure(family("transfer"), "cuda", set, {.runs = 2});
    const fake_cuda::Done twice = fake_cuda::done();
    return {.kernels = twice.kernels - once.kernels,
            .copies = twice.copies - once.copies,
            .pinned = twice.pinned - once.pinned};
  }
};

TEST_F(CudaTransfer, TheReferenceIsTheInputAfterTheSteps) {
  HostOptions options;
  options.element = [](const std::string&, std::int64_t i) { return static_cast<double>(i); };
  const Settings set = settings({{"bytes", 12}, {"mode", "overlap"}});
  EXPECT_THAT(measure(family("transfer"), "naive", set, options).values, ::testing::ElementsAre(0, 1, 2));
  // One step of 0 is the addend alone.
  EXPECT_EQ(measure(family("transfer"), "naive", with(set, {{"steps", 1}}), options).values[0], 1013904223);
}

TEST_F(CudaTransfer, TheReferenceOfRoundsIsOneOfAllTheirSteps) {
  const auto values = [&](int rounds, int steps) {
    const Settings set = settings(
        {{"bytes", 400}, {"direction", "both"}, {"rounds", rounds}, {"steps", steps}, {"between", "host"}});
    return measure(family("transfer"), "naive", set).values;
  };
  EXPECT_EQ(values(6, 7), values(1, 42));
  EXPECT_NE(values(6, 7), values(1, 41));
}

TEST_F(CudaTransfer, WorkIsTheBytesThatReallyCrossAndTheStepsOfAllRounds) {
  const auto work = [&](const char* between) {
    return work_of(
        family("transfer"),
        settings(
            {{"bytes", 400}, {"direction", "both"}, {"rounds", 5}, {"steps", 3}, {"between", between}}));
  };
  EXPECT_EQ(work("device").bytes, 800);
  EXPECT_EQ(work("host").bytes, 4000);
  EXPECT_EQ(work("device").flops, 100 * 2 * 3 * 5);
  EXPECT_EQ(work("host").flops, 100 * 2 * 3 * 5);
}

TEST_F(CudaTransfer, DataStaysOnTheDeviceOrIsCopiedTwiceForEachKernel) {
  for (const char* mode : {"sync", "async"})
    for (const char* memory : {"pinned", "pageable"}) {
      const Settings set = settings({{"bytes", 4000},
                                     {"direction", "both"},
                                     {"memory", memory},
                                     {"mode", mode},
                                     {"rounds", 5},
                                     {"steps", 3}});
      const fake_cuda::Done device = done_by_a_run(with(set, {{"between", "device"}}));
      EXPECT_EQ(device.kernels, 5) << mode;
      EXPECT_EQ(device.copies, 2) << mode;
      const fake_cuda::Done host = done_by_a_run(with(set, {{"between", "host"}}));
      EXPECT_EQ(host.kernels, 5) << mode;
      EXPECT_EQ(host.copies, 10) << mode;
      EXPECT_EQ(host.pinned, std::string_view(memory) == "pinned" ? 10 : 0) << mode;
    }
}

TEST_F(CudaTransfer, OneRoundIsAKernelBetweenTwoCopies) {
  const Settings set = settings({{"bytes", 4000}, {"steps", 3}, {"mode", "async"}});
  const fake_cuda::Done both = done_by_a_run(with(set, {{"direction", "both"}}));
  EXPECT_EQ(both.kernels, 1);
  EXPECT_EQ(both.copies, 2);
  EXPECT_EQ(done_by_a_run(with(set, {{"direction", "h2d"}})).kernels, 0);
}

TEST_F(CudaTransfer, RefusesRoundsOfWhatHasNone) {
  const Settings good = settings({{"bytes", 400}, {"direction", "both"}, {"rounds", 2}, {"steps", 1}});
  std::string why;
  EXPECT_EQ(can_run(family("transfer"), "cuda", good, why), KS_OK) << why;
  const auto refused = [&](std::initializer_list<std::pair<const char*, Literal>> change) {
    for (const char* variant : {"cuda", "naive"})
      EXPECT_EQ(can_run(family("transfer"), variant, with(good, change), why), KS_BAD_PARAMETER);
    return why;
  };
  EXPECT_THAT(refused({{"direction", "h2d"}}), IsGolden());
  EXPECT_THAT(refused({{"direction", "d2h"}}), IsGolden());
  EXPECT_THAT(refused({{"mode", "overlap"}}), IsGolden());
  EXPECT_THAT(refused({{"steps", 0}}), IsGolden());
  EXPECT_THAT(refused({{"rounds", 0}}), IsGolden());
  EXPECT_THAT(refused({{"between", "nowhere"}}), IsGolden());
}

TEST_F(CudaTransfer, BothCountsTheBytesOfBothDirections) {
  const auto bytes = [&](const char* direction) {
    return work_of(family("transfer"), settings({{"bytes", 400}, {"direction", direction}})).bytes;
  };
  EXPECT_EQ(bytes("h2d"), 400);
  EXPECT_EQ(bytes("d2h"), 400);
  EXPECT_EQ(bytes("both"), 800);
}

TEST_F(CudaTransfer, ARunMakesTheCopiesThatItsModeSays) {
  const Settings set = settings({{"bytes", 4000}, {"direction", "both"}, {"memory", "pageable"}});
  EXPECT_EQ(done_by_a_run(with(set, {{"mode", "sync"}})).copies, 2);
  EXPECT_EQ(done_by_a_run(with(set, {{"mode", "async"}})).copies, 2);
  const fake_cuda::Done overlap =
      done_by_a_run(with(set, {{"mode", "overlap"}, {"chunks", 5}, {"streams", 2}, {"steps", 7}}));
  EXPECT_EQ(overlap.copies, 10);
  EXPECT_EQ(overlap.kernels, 5);
}

TEST_F(CudaTransfer, PinnedMemoryIsWhatTheCopiesOfARunUse) {
  for (const char* mode : {"sync", "async", "overlap"})
    for (const char* direction : {"h2d", "d2h", "both"}) {
      const Settings set = settings({{"bytes", 4000}, {"direction", direction}, {"mode", mode}});
      const fake_cuda::Done pinned = done_by_a_run(with(set, {{"memory", "pinned"}}));
      EXPECT_GT(pinned.copies, 0);
      EXPECT_EQ(pinned.pinned, pinned.copies) << mode << " " << direction;
      EXPECT_EQ(done_by_a_run(with(set, {{"memory", "pageable"}})).pinned, 0) << mode << " " << direction;
    }
}

TEST_F(CudaTransfer, RefusesNumbersThatAreNone) {
  std::string why;
  for (const auto& [name, value] : {std::pair{"bytes", 6},
                                    {"bytes", -4},
                                    {"chunks", 0},
                                    {"streams", 0},
                                    {"streams", 1000},
                                    {"steps", -1}}) {
    EXPECT_EQ(can_run(family("transfer"), "cuda", settings({{name, value}, {"mode", "overlap"}}), why),
              KS_BAD_PARAMETER);
    EXPECT_THAT(why, IsGolden());
  }
}

}  // namespace
}  // namespace kernsweep::testing
