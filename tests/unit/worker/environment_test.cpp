#include "worker/process/environment.hpp"

#include <gmock/gmock.h>

#include <cstdlib>

namespace kernsweep {
namespace {

using ::testing::Contains;
using ::testing::Not;
using ::testing::StartsWith;

TEST(SlotEnvironment, DropsWhatIsNotOnThePassList) {
  setenv("KERNSWEEP_TEST_SECRET", "x", 1);
  EXPECT_THAT(slot_environment({}, 1), Not(Contains(StartsWith("KERNSWEEP_TEST_SECRET="))));
  unsetenv("KERNSWEEP_TEST_SECRET");
}

TEST(SlotEnvironment, KeepsThePathOfTheWorker) {
  setenv("PATH", "/usr/bin:/bin", 1);
  EXPECT_THAT(slot_environment({}, 1), Contains("PATH=/usr/bin:/bin"));
}

TEST(SlotEnvironment, TellsEveryLibraryTheThreadsOfTheJob) {
  const auto lines = slot_environment({}, 3);
  for (const char* name : {"BLIS", "MKL", "OMP", "OPENBLAS"}) {
    EXPECT_THAT(lines, Contains(std::string(name) + "_NUM_THREADS=3"));
  }
}

TEST(SlotEnvironment, CudaShowsAJobItsGpusAndNoOther) {
  const std::string name = "CUDA_VISIBLE_DEVICES=";
  EXPECT_THAT(slot_environment({}, 1), Contains(name));
  EXPECT_THAT(slot_environment({}, 1), Contains("CUDA_DEVICE_ORDER=PCI_BUS_ID"));
  EXPECT_THAT(slot_environment({{"CUDA_VISIBLE_DEVICES", "0"}}, 1), Contains(name));
  const auto pinned = slot_environment({{"CUDA_VISIBLE_DEVICES", "0"}}, 1, "GPU-1,GPU-2");
  EXPECT_THAT(pinned, Contains(name + "GPU-1,GPU-2"));
  EXPECT_THAT(pinned, Not(Contains(name + "0")));
}

TEST(SlotEnvironment, WhoSaysWhatIsHereSeesEveryGpuOfTheWorker) {
  unsetenv("CUDA_VISIBLE_DEVICES");
  EXPECT_THAT(environment_with_every_gpu(), Not(Contains(StartsWith("CUDA_VISIBLE_DEVICES="))));
  setenv("CUDA_VISIBLE_DEVICES", "1", 1);
  EXPECT_THAT(environment_with_every_gpu(), Contains("CUDA_VISIBLE_DEVICES=1"));
  EXPECT_THAT(environment_with_every_gpu(), Not(Contains("CUDA_VISIBLE_DEVICES=")));
  EXPECT_THAT(environment_with_every_gpu(), Not(Contains(StartsWith("CUDA_DEVICE_ORDER="))));
  setenv("CUDA_DEVICE_ORDER", "FASTEST_FIRST", 1);
  EXPECT_THAT(environment_with_every_gpu(), Contains("CUDA_DEVICE_ORDER=FASTEST_FIRST"));
  unsetenv("CUDA_DEVICE_ORDER");
  EXPECT_THAT(slot_environment({}, 1), Contains("CUDA_VISIBLE_DEVICES=")) << "not on the pass list";
  unsetenv("CUDA_VISIBLE_DEVICES");
}

TEST(SlotEnvironment, TheFileHasTheLastWord) {
  const auto lines = slot_environment({{"OMP_NUM_THREADS", "7"}, {"PATH", "/nowhere"}}, 1);
  EXPECT_THAT(lines, Contains("OMP_NUM_THREADS=7"));
  EXPECT_THAT(lines, Not(Contains("OMP_NUM_THREADS=1")));
  EXPECT_THAT(lines, Contains("PATH=/nowhere"));
}

}  // namespace
}  // namespace kernsweep
