// The loop of the micro-kernel, for the files that compile it with the flags of one instruction set.
//
// Everything has internal linkage, and only <cstdint> is included: an inline function compiled here with
// AVX-512 must never be the copy that the linker keeps for the whole pack.
#pragma once

#include <cstdint>

#include "kernels/cpu/gemm/micro_kernel.hpp"

namespace kernsweep {
namespace {

// `kVectors` vectors of `kBytes` bytes next to each other make a row of the tile. kRows * kVectors sums
// plus kVectors of B and one broadcast element of A must fit into the registers.
template <class T, int kBytes, int kRows, int kVectors>
struct Tile {
  typedef T Vector __attribute__((vector_size(kBytes)));
  typedef T LooseVector __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
  static constexpr std::int64_t kLanes = kBytes / static_cast<int>(sizeof(T));

  // At a fixed place within a cache line: 32 bytes further the loop took a quarter longer on a Xeon with
  // AMX.
  [[gnu::aligned(64)]] static void multiply(std::int64_t k, const T* a, const T* b, T* c, std::int64_t ldc,
                                            bool add) {
    Vector sum[kRows][kVectors] = {};
    for (std::int64_t p = 0; p < k; ++p) {
      Vector of_b[kVectors];
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) of_b[v] = *reinterpret_cast<const LooseVector*>(b + v * kLanes);
#pragma GCC unroll 16
      for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v) sum[row][v] += a[row] * of_b[v];
      }
      a += kRows;
      b += kVectors * kLanes;
    }
#pragma GCC unroll 16
    for (int row = 0; row < kRows; ++row) {
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) {
        auto* to = reinterpret_cast<LooseVector*>(c + row * ldc + v * kLanes);
        *to = add ? *to + sum[row][v] : sum[row][v];
      }
    }
  }

  static constexpr MicroKernel<T> named(const char* isa) {
    return {isa, kRows, kVectors * kLanes, &multiply};
  }
};

}  // namespace
}  // namespace kernsweep
