// The part of CUDA C++ that our .cu files need, for a compiler of the host: so tests without a GPU run the
// same kernels. How their threads run is in host_block.hpp, copies and tensor cores are in host_copies.hpp
// and host_warpgroup.hpp.
#pragma once

#include "tests/kernels/cuda/fake_driver/host_block.hpp"
#include "tests/kernels/cuda/fake_driver/host_copies.hpp"
#include "tests/kernels/cuda/fake_driver/host_warpgroup.hpp"

#define __global__
#define __device__
#define __launch_bounds__(...)

using kernsweep::testing::fake_cuda::blockDim;
using kernsweep::testing::fake_cuda::blockIdx;
using kernsweep::testing::fake_cuda::gridDim;
using kernsweep::testing::fake_cuda::threadIdx;

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
