// One thread per element of C adds its products one after the other: gemm_naive_<dtype>.
//
// A block is 32 columns wide, so that a warp reads one element of A and adjacent elements of B.
#include "kernels/cuda/element_types.hpp"
#include "kernels/cuda/gemm/gemm_kernels.hpp"

namespace kernsweep::cuda {
namespace {

template <class T>
__device__ void gemm_by_elements(const GemmArguments& g) {
  constexpr std::int64_t kColumns = 32;
  const std::int64_t rows = blockDim.x / kColumns;
  for (std::int64_t batch = blockIdx.z; batch < g.batch; batch += gridDim.z)
    for (std::int64_t i = blockIdx.y * rows + threadIdx.x / kColumns; i < g.m; i += gridDim.y * rows)
      for (std::int64_t j = blockIdx.x * kColumns + threadIdx.x % kColumns; j < g.n;
           j += gridDim.x * kColumns) {
        const T* a = static_cast<const T*>(g.a) + batch * g.at_a.batch_step + i * g.at_a.row_step;
        const T* b = static_cast<const T*>(g.b) + batch * g.at_b.batch_step + j * g.at_b.column_step;
        Sum<T> sum = 0;
        for (std::int64_t p = 0; p < g.k; ++p)
          sum += widened(a[p * g.at_a.column_step]) * widened(b[p * g.at_b.row_step]);
        store(g.c, batch * g.at_c.batch_step + i * g.at_c.row_step + j, g.out, sum);
      }
}

}  // namespace
}  // namespace kernsweep::cuda

using namespace kernsweep::cuda;

#define KERNSWEEP_GEMM_NAIVE(name, T)                                                    \
  extern "C" __global__ void __launch_bounds__(256) gemm_naive_##name(GemmArguments g) { \
    gemm_by_elements<T>(g);                                                              \
  }

KERNSWEEP_GEMM_NAIVE(f64, double)
KERNSWEEP_GEMM_NAIVE(f32, float)
KERNSWEEP_GEMM_NAIVE(bf16, Bf16)
KERNSWEEP_GEMM_NAIVE(f16, F16)
KERNSWEEP_GEMM_NAIVE(s8, std::int8_t)
KERNSWEEP_GEMM_NAIVE(f8e4m3, F8E4M3)
KERNSWEEP_GEMM_NAIVE(f8e5m2, F8E5M2)
