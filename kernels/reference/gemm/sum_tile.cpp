#include "kernels/reference/gemm/sum_tile.hpp"

namespace kernsweep {
namespace {

// A row of the tile is kVectors vectors of kBytes; kRows rows, kVectors of b and one of a use all
// registers.
template <int kBytes, int kRows, int kVectors>
struct Shape {
  typedef double Vector __attribute__((vector_size(kBytes)));
  typedef double LooseVector __attribute__((vector_size(kBytes), aligned(alignof(double)), may_alias));
  static constexpr std::int64_t kLanes = kBytes / static_cast<int>(sizeof(double));

  [[gnu::always_inline]] static inline void add(std::int64_t depth, const double* a, const double* b,
                                                double* c, std::int64_t stride) {
    Vector sum[kRows][kVectors];
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v)
        sum[i][v] = *reinterpret_cast<const LooseVector*>(c + i * stride + v * kLanes);
    }
    for (std::int64_t p = 0; p < depth; ++p) {
      Vector of_b[kVectors];
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v) of_b[v] = *reinterpret_cast<const LooseVector*>(b + v * kLanes);
#pragma GCC unroll 16
      for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
        for (int v = 0; v < kVectors; ++v) sum[i][v] += a[i] * of_b[v];
      }
      a += kRows;
      b += kVectors * kLanes;
    }
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) {
#pragma GCC unroll 16
      for (int v = 0; v < kVectors; ++v)
        *reinterpret_cast<LooseVector*>(c + i * stride + v * kLanes) = sum[i][v];
    }
  }
};

// 16-byte vectors: available on every x86-64 and aarch64.
using Baseline = Shape<16, 4, 2>;
void add_baseline(std::int64_t depth, const double* a, const double* b, double* c, std::int64_t stride) {
  Baseline::add(depth, a, b, c, stride);
}
constexpr SumTile kBaselineTile = {"baseline", 4, 4, add_baseline};

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void add_avx2(std::int64_t depth, const double* a, const double* b, double* c,
                                          std::int64_t stride) {
  Shape<32, 6, 2>::add(depth, a, b, c, stride);
}
constexpr SumTile kAvx2Tile = {"avx2", 6, 8, add_avx2};

[[gnu::target("avx512f")]] void add_avx512(std::int64_t depth, const double* a, const double* b, double* c,
                                           std::int64_t stride) {
  Shape<64, 12, 2>::add(depth, a, b, c, stride);
}
constexpr SumTile kAvx512Tile = {"avx512f", 12, 16, add_avx512};
#endif

}  // namespace

// __builtin_cpu_supports also checks the support of the operating system (XCR0).
const SumTile* sum_tile(std::string_view isa) {
#if defined(__x86_64__)
  if (isa == kAvx512Tile.isa) return __builtin_cpu_supports("avx512f") != 0 ? &kAvx512Tile : nullptr;
  if (isa == kAvx2Tile.isa)
    return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 ? &kAvx2Tile : nullptr;
#endif
  return isa == kBaselineTile.isa ? &kBaselineTile : nullptr;
}

const SumTile& widest_sum_tile() {
  for (const char* isa : {"avx512f", "avx2"})
    if (const SumTile* const tile = sum_tile(isa)) return *tile;
  return kBaselineTile;
}

}  // namespace kernsweep
