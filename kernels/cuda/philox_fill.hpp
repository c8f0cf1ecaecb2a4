// Fills device memory with the same random words and floats, bit by bit, that tensors makes on a host.
#pragma once

#include <cstdint>

#include "kernels/cuda/cuda_work.hpp"
#include "kernels/cuda/philox_kernels.hpp"

namespace kernsweep::cuda {

// The constructor loads the kernels; later calls only fill. Throws Failure. Requires that open_device() was
// called on this thread; `device` is its result.
class PhiloxFill {
 public:
  explicit PhiloxFill(const Device& device);

  // Writes words 0 to n - 1 of a stream to n words of device memory, in the order of `stream`.
  void words(std::uint32_t* out, std::int64_t n, std::uint64_t seed, std::uint32_t random_stream,
             const Stream& stream) const;
  // Writes elements 0 to n - 1 of uniform(a, b) in f32.
  void uniform(float* out, std::int64_t n, std::uint64_t seed, UniformF32 range,
               const Stream& stream) const;

 private:
  const Device& device_;
  const Module& module_;
};

}  // namespace kernsweep::cuda
