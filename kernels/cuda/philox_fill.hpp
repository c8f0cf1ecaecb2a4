// Fills device memory with the random words and floats that tensors makes on a host, bit by bit.
#pragma once

#include <cstdint>

#include "kernels/cuda/cuda_work.hpp"
#include "kernels/cuda/philox_kernels.hpp"

namespace kernsweep::cuda {

// Loads the kernels in the constructor; then fills as often as wanted. Throws Failure. Requires:
// open_device() was called on this thread; `device` is its result.
class PhiloxFill {
 public:
  explicit PhiloxFill(const Device& device);

  // Words 0 to n - 1 of a stream, into n words of device memory; in the order of `stream`.
  void words(std::uint32_t* out, std::int64_t n, std::uint64_t seed, std::uint32_t random_stream,
             const Stream& stream) const;
  // Elements 0 to n - 1 of uniform(a, b) in f32.
  void uniform(float* out, std::int64_t n, std::uint64_t seed, UniformF32 range,
               const Stream& stream) const;

 private:
  const Device& device_;
  const Module& module_;
};

}  // namespace kernsweep::cuda
