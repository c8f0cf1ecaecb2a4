#include "cli/status_text.hpp"

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

}  // namespace
}  // namespace kernsweep
