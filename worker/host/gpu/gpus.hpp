// Lists the GPUs of this host and their current state. No setting is changed; only try_gpu() makes a
// context. To be called in a process of its own (`kernsweep-slot --gpus`), because a driver may crash or
// hang.
#pragma once

#include <cstdint>
#include <string>

namespace kernsweep {

namespace wire {
class Gpus;
}

// The GPUs that CUDA shows to this process: CUDA_VISIBLE_DEVICES applies, and with
// CUDA_DEVICE_ORDER=PCI_BUS_ID they are in the order of their bus. If there are none, `none` or `troubles`
// has the reason.
// says why.
wire::Gpus find_gpus();

// The two parts of find_gpus(). First: which GPUs the CUDA driver shows.
void add_cuda_devices(wire::Gpus& out);
// Then what NVML reports of each of these: clocks, temperature, power, other processes.
void add_management_state(wire::Gpus& out);

// Checks whether this GPU, the first that CUDA shows to this process, still works. To be called after a job
// has lost it, when no process of this worker uses it. Writes a few words to its memory and reads them
// back, because a failed GPU may still be listed, and a GPU whose context was broken by a kernel is not
// damaged.
struct GpuTrial {
  enum class Answer : std::uint8_t { works = 1, lost, unknown };
  Answer answer = Answer::unknown;
  std::string why;  // why it does not work
};
GpuTrial try_gpu(const std::string& uuid);

}  // namespace kernsweep
