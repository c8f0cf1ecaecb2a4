// The arrays of STREAM in device memory.
#pragma once

#include "kernels/cpu/stream/stream.hpp"
#include "kernels/cuda/entries.hpp"

namespace kernsweep::cuda {

// The inputs copied to the device, and memory for the output on both sides.
class StreamArrays : public DeviceWork {
 public:
  // Requires: stream::parse of the parameters is KS_OK. Throws Failure.
  StreamArrays(const ks_params* params, const ks_context& context, const ks_tensor* inputs);

  // Copies the result to the host and sets a view of it.
  void output(ks_tensor& out);
  TimedStream& queue() { return stream; }

 protected:
  std::size_t bytes() const;  // of one array

  stream::Problem problem;
  DeviceMemory x, y, z;  // y is empty for copy and scale
  void* result = nullptr;
  TimedStream stream;
};

}  // namespace kernsweep::cuda
