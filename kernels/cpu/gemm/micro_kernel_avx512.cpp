// Compiled with -mavx512f; called only on such processors. 32 registers: 24 sums, 2 of B, others A.
#include "kernels/cpu/gemm/micro_kernel_loop.hpp"

namespace kernsweep {

constexpr MicroKernel<float> kAvx512F32 = Tile<float, 64, 12, 2>::named("avx512f");
constexpr MicroKernel<double> kAvx512F64 = Tile<double, 64, 12, 2>::named("avx512f");

}  // namespace kernsweep
