// The innermost part of `blocked`: a tile of C that stays in registers while k runs.
//
// One source (micro_kernel_loop.hpp), compiled once per instruction set, each in a file of its own with its
// own compiler flags; the best one that the processor and the operating system allow is chosen at the first
// request.
#pragma once

#include <cstdint>
#include <string_view>

namespace kernsweep {

template <class T>
struct MicroKernel {
  const char* isa;
  std::int64_t rows;     // of the tile
  std::int64_t columns;  // of the tile
  // c[rows x columns], leading dimension ldc: c = A B, or c += A B if `add`. `a` is packed k x rows, `b`
  // packed k x columns; both may be unaligned.
  void (*multiply)(std::int64_t k, const T* a, const T* b, T* c, std::int64_t ldc, bool add);
};

// The kernel for "avx512f", "avx2" or "baseline"; for "best" the first of these that this host supports.
// Null if this host does not support the named one.
template <class T>
const MicroKernel<T>* find_micro_kernel(std::string_view isa);
template <>
const MicroKernel<float>* find_micro_kernel<float>(std::string_view isa);
template <>
const MicroKernel<double>* find_micro_kernel<double>(std::string_view isa);

extern const MicroKernel<float> kBaselineF32;
extern const MicroKernel<double> kBaselineF64;
#if defined(__x86_64__)
extern const MicroKernel<float> kAvx2F32;
extern const MicroKernel<double> kAvx2F64;
extern const MicroKernel<float> kAvx512F32;
extern const MicroKernel<double> kAvx512F64;
#endif

}  // namespace kernsweep
