// STREAM's loops with 16 bytes per load and store; an item is one such vector.
#include "kernels/cuda/stream/stream_kernels.hpp"
#include "kernels/cuda/thread_index.hpp"

namespace kernsweep::cuda {
namespace {

using stream::Op;

template <Op op>
__device__ double2 stream_vector(double2 x, double2 y) {
  return {stream_element<op>(x.x, y.x), stream_element<op>(x.y, y.y)};
}

template <Op op>
__device__ float4 stream_vector(float4 x, float4 y) {
  return {stream_element<op>(x.x, y.x), stream_element<op>(x.y, y.y), stream_element<op>(x.z, y.z),
          stream_element<op>(x.w, y.w)};
}

// T is the element, Vector 16 bytes of them.
template <Op op, bool past, class T, class Vector>
__device__ void stream_loop(const StreamArguments& a) {
  constexpr bool has_y = op == Op::add || op == Op::triad;
  constexpr std::int64_t kLanes = sizeof(Vector) / sizeof(T);
  const Vector* __restrict__ x = static_cast<const Vector*>(a.x);
  const Vector* __restrict__ y = static_cast<const Vector*>(has_y ? a.y : a.x);
  Vector* __restrict__ z = static_cast<Vector*>(a.z);
  const std::int64_t vectors = a.n / kLanes;
  for (std::int64_t i = first_item(); i < vectors; i += items_apart()) {
    const Vector result = stream_vector<op>(x[i], has_y ? y[i] : x[i]);
    if constexpr (past) {
      __stcs(z + i, result);
    } else {
      z[i] = result;
    }
  }
  // The rest is less than a vector: the first threads process one element each.
  const std::int64_t i = vectors * kLanes + first_item();
  if (i < a.n) {
    const T* xs = static_cast<const T*>(a.x);
    const T* ys = static_cast<const T*>(has_y ? a.y : a.x);
    static_cast<T*>(a.z)[i] = stream_element<op>(xs[i], ys[i]);
  }
}

}  // namespace
}  // namespace kernsweep::cuda

using namespace kernsweep::cuda;
using kernsweep::stream::Op;

#define KERNSWEEP_STREAM(op)                                                                     \
  extern "C" __global__ void __launch_bounds__(1024) stream_##op##_f64(StreamArguments a) {      \
    stream_loop<Op::op, false, double, double2>(a);                                              \
  }                                                                                              \
  extern "C" __global__ void __launch_bounds__(1024) stream_##op##_f64_past(StreamArguments a) { \
    stream_loop<Op::op, true, double, double2>(a);                                               \
  }                                                                                              \
  extern "C" __global__ void __launch_bounds__(1024) stream_##op##_f32(StreamArguments a) {      \
    stream_loop<Op::op, false, float, float4>(a);                                                \
  }                                                                                              \
  extern "C" __global__ void __launch_bounds__(1024) stream_##op##_f32_past(StreamArguments a) { \
    stream_loop<Op::op, true, float, float4>(a);                                                 \
  }

KERNSWEEP_STREAM(copy)
KERNSWEEP_STREAM(scale)
KERNSWEEP_STREAM(add)
KERNSWEEP_STREAM(triad)
