#include "cli/show/status_text.hpp"

#include <gmock/gmock.h>

namespace kernsweep {
namespace {

using testing::EndsWith;

TEST(StatusText, AWorkersWordsAboutALostGpuAreOneLine) {
  wire::Workers workers;
  wire::WorkerStatus& worker = *workers.add_workers();
  worker.set_number(3);
  worker.set_name("big");
  wire::LostGpu& lost = *worker.mutable_gpus()->add_lost();
  lost.set_name("NVIDIA H200");
  lost.set_uuid("GPU-1");
  lost.set_why("it does not answer\nworker 4 on small has left");
  EXPECT_THAT(
      text_of(workers),
      EndsWith("\nworker 3 on big has lost NVIDIA H200 GPU-1: it does not answer worker 4 on small has "
               "left; start it again when the GPU is back\n"));
}

TEST(StatusText, AWorkersWordsAboutCoresThatItHasGivenUpAreOneLine) {
  wire::Workers workers;
  wire::WorkerStatus& worker = *workers.add_workers();
  worker.set_number(3);
  worker.set_name("big");
  wire::LostCores& lost = *worker.add_lost_cores();
  lost.add_cpus(2);
  lost.add_cpus(5);
  lost.set_why("it is\nnot gone");
  EXPECT_THAT(text_of(workers),
              EndsWith("\nworker 3 on big has given up cores 2, 5 (it is not gone); start "
                       "it again when that process is gone\n"));
}

TEST(StatusText, WorkersTellWhatDisturbsTheirGpus) {
  wire::Workers workers;
  wire::WorkerStatus& worker = *workers.add_workers();
  worker.set_number(3);
  worker.set_name("big");
  for (int i = 0; i < 3; ++i) {
    wire::Gpu& gpu = *worker.mutable_gpus()->add_gpus();
    gpu.set_name("H200");
    gpu.set_uuid("GPU-" + std::to_string(i));
    for (int other = 0; other < i; ++other) gpu.add_processes()->set_pid(7);
  }
  worker.mutable_gpus()->mutable_gpus(1)->add_slowed_by("sw_power_cap");
  EXPECT_THAT(
      text_of(workers),
      EndsWith("\nworker 3 on big, when it joined: H200 GPU-1 with 1 other process, slowed by "
               "sw_power_cap\nworker 3 on big, when it joined: H200 GPU-2 with 2 other processes\n"));
}

}  // namespace
}  // namespace kernsweep
