// Compiled with -mavx2 -mfma; called only if the processor has both. 16 registers: 12 sums, 2 of B, 1 of A.
#include "kernels/cpu/gemm/micro_kernel_loop.hpp"

namespace kernsweep {

constexpr MicroKernel<float> kAvx2F32 = Tile<float, 32, 6, 2>::named("avx2");
constexpr MicroKernel<double> kAvx2F64 = Tile<double, 32, 6, 2>::named("avx2");

}  // namespace kernsweep
