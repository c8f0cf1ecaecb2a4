// transfer: what it counts, how many copies it makes of which memory, and what it refuses.
#include <gmock/gmock.h>

#include "tests/kernels/cuda/cuda_fixture.hpp"

namespace kernsweep::testing {
namespace {

using ::testing::HasSubstr;

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
    EXPECT_THAT(why, HasSubstr(std::string(name) + " is " + std::to_string(value)));
  }
}

}  // namespace
}  // namespace kernsweep::testing
