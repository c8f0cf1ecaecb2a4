// What a .cu file of ours needs of CUDA C++, for a compiler of the host: so that tests without a GPU run
// the very kernels, one thread after the other. Kernels whose threads wait for each other cannot be run so.
#pragma once

#define __global__
#define __device__
#define __launch_bounds__(threads)

namespace {

struct Index {
  unsigned x;
};
Index blockIdx, blockDim, gridDim, threadIdx;

}  // namespace

struct alignas(16) double2 {
  double x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};

template <class Vector>
Vector __ldcg(const Vector* place) {
  return *place;
}
template <class Vector>
void __stcs(Vector* place, Vector value) {
  *place = value;
}
