#include "kernels/cpu/gemm/micro_kernel.hpp"

#include "kernels/cpu/gemm/micro_kernel_loop.hpp"

namespace kernsweep {

// 16-byte vectors: what every x86-64 and aarch64 has. 16 registers: 8 sums, 2 of B, 1 of A.
constexpr MicroKernel<float> kBaselineF32 = Tile<float, 16, 4, 2>::named("baseline");
constexpr MicroKernel<double> kBaselineF64 = Tile<double, 16, 4, 2>::named("baseline");

namespace {

// __builtin_cpu_supports also checks the support of the operating system (XCR0). Best first.
template <class T>
const MicroKernel<T>* choose(std::string_view isa, [[maybe_unused]] const MicroKernel<T>* avx512,
                             [[maybe_unused]] const MicroKernel<T>* avx2, const MicroKernel<T>* baseline) {
  const bool best = isa == "best";
#if defined(__x86_64__)
  if ((best || isa == avx512->isa) && __builtin_cpu_supports("avx512f")) return avx512;
  if ((best || isa == avx2->isa) && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return avx2;
#endif
  return best || isa == baseline->isa ? baseline : nullptr;
}

}  // namespace

#if defined(__x86_64__)
template <>
const MicroKernel<float>* find_micro_kernel<float>(std::string_view isa) {
  return choose(isa, &kAvx512F32, &kAvx2F32, &kBaselineF32);
}
template <>
const MicroKernel<double>* find_micro_kernel<double>(std::string_view isa) {
  return choose(isa, &kAvx512F64, &kAvx2F64, &kBaselineF64);
}
#else
template <>
const MicroKernel<float>* find_micro_kernel<float>(std::string_view isa) {
  return choose<float>(isa, nullptr, nullptr, &kBaselineF32);
}
template <>
const MicroKernel<double>* find_micro_kernel<double>(std::string_view isa) {
  return choose<double>(isa, nullptr, nullptr, &kBaselineF64);
}
#endif

}  // namespace kernsweep
