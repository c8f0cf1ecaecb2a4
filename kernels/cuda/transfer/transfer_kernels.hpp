// What the kernel between two copies does with one element, and the arguments of transfer.cu.
#pragma once

#include <cstdint>

#include "kernels/cuda/host_device.hpp"

namespace kernsweep::cuda {

// One step: a linear congruential generator modulo 2^32 (the factors of Knuth and Lewis, Numerical
// Recipes).
inline constexpr std::uint32_t kStepFactor = 1664525;
inline constexpr std::uint32_t kStepAddend = 1013904223;

// `steps` steps in sequence: a configurable amount of arithmetic with a result that can be checked.
KERNSWEEP_HOST_DEVICE inline std::uint32_t stepped(std::uint32_t value, std::int64_t steps) {
  for (std::int64_t step = 0; step < steps; ++step) value = value * kStepFactor + kStepAddend;
  return value;
}

// transfer_steps: to[i] = stepped(from[i], steps) for 0 <= i < n.
struct TransferArguments {
  const std::uint32_t* from;
  std::uint32_t* to;
  std::int64_t n;
  std::int64_t steps;
};

}  // namespace kernsweep::cuda
