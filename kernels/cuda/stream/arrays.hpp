// The arrays of STREAM in device memory.
#pragma once

#include "kernels/cpu/stream/stream.hpp"
#include "kernels/cuda/variant.hpp"

namespace kernsweep::cuda {

// The inputs copied to the device, and memory for the output on host and device.
class StreamArrays : public DeviceWork {
 public:
  using Problem = stream::Problem;
  StreamArrays(const Problem& given, pack::Setup& setup);  // throws Failure

  // Copies the result to the host.
  ks_tensor output() const;
  TimedStream& queue() { return stream; }

 protected:
  Problem problem;
  std::span<std::byte> result;
  DeviceMemory x, y, z;  // y is empty for copy and scale
  TimedStream stream;
};

}  // namespace kernsweep::cuda
