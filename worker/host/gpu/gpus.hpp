// The GPUs of this host: what they are, and what they are like now. Looks only: no setting of a card is
// changed and no context made. For a process of its own (`kernsweep-slot --gpus`): a driver that crashes or
// hangs costs the answer, not the worker.
#pragma once

#include <cstdint>
#include <string>

namespace kernsweep {

namespace wire {
class Gpus;
}

// Those that CUDA shows to this process, so that CUDA_VISIBLE_DEVICES holds. With
// CUDA_DEVICE_ORDER=PCI_BUS_ID they come in the order of their bus. Without one, `none` or `troubles` says
// why.
wire::Gpus find_gpus();

// The parts of it. What the CUDA driver says: which there are.
void add_cuda_devices(wire::Gpus& out);
// What its management library says of each of those: clocks, temperature, power, who else computes there.
void add_management_state(wire::Gpus& out);

// Does this GPU, the first that CUDA shows to this process, still work? Asked when a job has lost it, while
// no process of ours is there. The one look that makes a context: a few words are written to its memory and
// read back, because a GPU that fell off its bus may still be listed, and one on which a kernel broke its
// context is none the worse.
struct GpuTrial {
  enum class Answer : std::uint8_t { works = 1, lost, unknown };
  Answer answer = Answer::unknown;
  std::string why;  // of what does not work
};
GpuTrial try_gpu(const std::string& uuid);

}  // namespace kernsweep
