// The phases of implicit_gemm_kernel.hpp; names end in the type of the images and the side of a tile.
#include "kernels/cuda/conv2d/implicit_gemm_kernel.hpp"

namespace kernsweep::cuda {
namespace {

template <class T, int kTile>
__device__ void implicit_gemm(const ImplicitGemmArguments& a) {
  using Gemm = ImplicitGemm<T, kTile>;
  __shared__ typename Gemm::Shared shared;
  typename Gemm::Registers registers;
  const Gemm gemm(a, blockIdx.x, shared);
  implicit_gemm_phases(gemm, a.depth, [&](auto phase) {
    phase(static_cast<int>(threadIdx.x), registers);
    __syncthreads();
  });
}

}  // namespace
}  // namespace kernsweep::cuda

using namespace kernsweep::cuda;

#define KERNSWEEP_IMPLICIT_GEMM(name, T, tile)                          \
  extern "C" __global__ void __launch_bounds__(kImplicitGemmThreads, 1) \
      conv2d_implicit_gemm_##name##_##tile(ImplicitGemmArguments a) {   \
    implicit_gemm<T, tile>(a);                                          \
  }

KERNSWEEP_IMPLICIT_GEMM(f32, float, 64)
KERNSWEEP_IMPLICIT_GEMM(f32, float, 128)
KERNSWEEP_IMPLICIT_GEMM(bf16, Bf16, 64)
KERNSWEEP_IMPLICIT_GEMM(bf16, Bf16, 128)
KERNSWEEP_IMPLICIT_GEMM(f16, F16, 64)
KERNSWEEP_IMPLICIT_GEMM(f16, F16, 128)
KERNSWEEP_IMPLICIT_GEMM(s8, std::int8_t, 64)
KERNSWEEP_IMPLICIT_GEMM(s8, std::int8_t, 128)
