// What STREAM's loops do with one element, and the arguments of the kernels in stream.cu.
//
// A kernel's name is stream_<op>_<dtype>, with _past if its stores mark their lines to be evicted first
// from L2: stream_triad_f64, stream_copy_f32_past.
#pragma once

#include <cstdint>

#include "kernels/cpu/stream/op.hpp"
#include "kernels/cuda/host_device.hpp"

namespace kernsweep::cuda {

// Arrays of n elements in device memory, aligned to 16 bytes; y is not read by copy and scale.
struct StreamArguments {
  const void* x;
  const void* y;
  void* z;
  std::int64_t n;
};

template <stream::Op op, class T>
KERNSWEEP_HOST_DEVICE inline T stream_element(T x, T y) {
  constexpr T q = static_cast<T>(stream::kScalar);
  if constexpr (op == stream::Op::copy) return x;
  if constexpr (op == stream::Op::scale) return q * x;
  if constexpr (op == stream::Op::add) return x + y;
  if constexpr (op == stream::Op::triad) return x + q * y;
}

}  // namespace kernsweep::cuda
