// The common base of all work on the GPU.
#pragma once

#include <optional>
#include <string>

#include "kernels/cuda/cuda_driver.hpp"
#include "kernels/cuda/cuda_memory.hpp"

namespace kernsweep::cuda {

// Members of every variant. The first base class, so that the GPU is open before other members are made.
struct DeviceWork {
  const Device& device = open_device();
  MemoryCount memory;
  CacheEviction eviction;
};

// Runs `call`, which uses the GPU. If the context is broken, the reason says so first.
template <class Call>
void asking_the_driver(Call&& call) {
  try {
    call();
  } catch (const Failure& failure) {
    if (failure.status() == KS_DEVICE_LOST) throw;
    if (const std::optional<std::string> lost = why_lost())
      throw Failure(KS_DEVICE_LOST, *lost + "; noticed by: " + failure.what());
    throw;
  }
}

}  // namespace kernsweep::cuda
