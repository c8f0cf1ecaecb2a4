#include "kernels/cpu/gemm/micro_kernel.hpp"

#include "kernels/cpu/gemm/micro_kernel_loop.hpp"
#include "kernels/cpu/libraries/isa.hpp"

namespace kernsweep {

// 16-byte vectors: what every x86-64 and aarch64 has. 16 registers: 8 sums, 2 of B, 1 of A.
constexpr MicroKernel<float> kBaselineF32 = Tile<float, 16, 4, 2>::named("baseline");
constexpr MicroKernel<double> kBaselineF64 = Tile<double, 16, 4, 2>::named("baseline");

template <>
const MicroKernel<float>* find_micro_kernel<float>(std::string_view isa) {
  return KERNSWEEP_KERNELS_FOR(isa, kAvx512F32, kAvx2F32, kBaselineF32);
}
template <>
const MicroKernel<double>* find_micro_kernel<double>(std::string_view isa) {
  return KERNSWEEP_KERNELS_FOR(isa, kAvx512F64, kAvx2F64, kBaselineF64);
}

}  // namespace kernsweep
