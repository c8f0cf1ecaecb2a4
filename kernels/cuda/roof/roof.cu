// Kernels for the roofs of a GPU: see roof_kernels.hpp.
#include "kernels/cuda/roof/roof_kernels.hpp"
#include "kernels/cuda/thread_index.hpp"

namespace kernsweep::cuda {
namespace {

#if defined(__CUDA_ARCH__)
#define KERNSWEEP_ROOF_MMA(shape_and_types, sum)                                        \
  asm volatile("mma.sync.aligned." shape_and_types                                      \
               " {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"                 \
               : "+" sum(sums[0]), "+" sum(sums[1]), "+" sum(sums[2]), "+" sum(sums[3]) \
               : "r"(ones))

// 16 x 16 by 16 x 8: two instructions of 16 x 8 by 8 x 8 since 9.0, eight of 8 x 4 by 4 x 8 before.
__device__ void add_product_f64(double* sums, double one) {
#if __CUDA_ARCH__ >= 900
#pragma unroll
  for (int i = 0; i < 2; ++i)
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64"
        " {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
        : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
        : "d"(one));
#else
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    double* const two = sums + 2 * (i % 2);
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%2}, {%0,%1};"
                 : "+d"(two[0]), "+d"(two[1])
                 : "d"(one));
  }
#endif
}

template <RoofProduct product, class Sum>
__device__ void add_product(Sum* sums, std::uint32_t ones, double one) {
  if constexpr (product == RoofProduct::f64) {
    add_product_f64(sums, one);
  } else if constexpr (product == RoofProduct::tf32) {
    KERNSWEEP_ROOF_MMA("m16n8k8.row.col.f32.tf32.tf32.f32", "f");
  } else if constexpr (product == RoofProduct::bf16) {
    KERNSWEEP_ROOF_MMA("m16n8k16.row.col.f32.bf16.bf16.f32", "f");
  } else if constexpr (product == RoofProduct::f16) {
    KERNSWEEP_ROOF_MMA("m16n8k16.row.col.f32.f16.f16.f32", "f");
  } else {
    KERNSWEEP_ROOF_MMA("m16n8k32.row.col.s32.s8.s8.s32", "r");
  }
}
#endif

template <RoofProduct product, class Sum>
__device__ void multiply_matrices(const RoofFmaArguments& a) {
  constexpr int kChains = roof_chains(product);
  Sum sums[4 * kChains];
#if defined(__CUDACC__)
#pragma unroll
#endif
  for (int i = 0; i < 4 * kChains; ++i) sums[i] = static_cast<Sum>(a.zeros[i / 4]);
  for (std::int64_t round = 0; round < a.rounds; ++round) {
#if defined(__CUDACC__)
#pragma unroll
#endif
    for (int c = 0; c < kChains; ++c) add_product<product>(sums + 4 * c, a.ones, a.one);
  }
  store_extent(sums, 4 * kChains, a.extents + 2 * first_item());
}

template <class T>
__device__ void multiply_add(const RoofFmaArguments& a) {
  const T one = static_cast<T>(a.one);
  T sums[kRoofChains];
#if defined(__CUDACC__)
#pragma unroll
#endif
  for (int c = 0; c < kRoofChains; ++c) sums[c] = static_cast<T>(a.zeros[c]);
#if defined(__CUDACC__)
#pragma unroll 4
#endif
  for (std::int64_t round = 0; round < a.rounds; ++round) {
#if defined(__CUDACC__)
#pragma unroll
#endif
    for (int c = 0; c < kRoofChains; ++c) sums[c] = sums[c] * one + one;
  }
  store_extent(sums, kRoofChains, a.extents + 2 * first_item());
}

// Bypasses the caches of the multiprocessors, which are not measured here.
__device__ void read_passes(const RoofArrayArguments& a) {
  const auto* const x = reinterpret_cast<const double2*>(a.x);
  double sum = 0;
  for (std::int64_t pass = 0; pass < a.passes; ++pass) {
    asm volatile("" ::: "memory");  // otherwise the compiler might compute one pass for all
#if defined(__CUDACC__)
#pragma unroll 4
#endif
    for (std::int64_t i = first_item(); i < a.n / 2; i += items_apart()) {
      const double2 two = __ldcg(x + i);
      sum += two.x + two.y;
    }
    if (first_item() == 0 && a.n % 2 != 0) sum += __ldcg(a.x + a.n - 1);
  }
  a.z[first_item()] = sum;
}

template <bool triad, bool past>
__device__ void write_passes(const RoofArrayArguments& a) {
  const auto* const x = reinterpret_cast<const double2*>(a.x);
  const auto* const y = reinterpret_cast<const double2*>(triad ? a.y : a.x);
  auto* const z = reinterpret_cast<double2*>(a.z);
  for (std::int64_t pass = 0; pass < a.passes; ++pass) {
    asm volatile("" ::: "memory");
#if defined(__CUDACC__)
#pragma unroll 4
#endif
    for (std::int64_t i = first_item(); i < a.n / 2; i += items_apart()) {
      double2 result = __ldcg(x + i);
      if constexpr (triad) {
        const double2 added = __ldcg(y + i);
        result = {result.x + kRoofFactor * added.x, result.y + kRoofFactor * added.y};
      }
      if constexpr (past) {
        __stcs(z + i, result);
      } else {
        z[i] = result;
      }
    }
    if (first_item() == 0 && a.n % 2 != 0)
      a.z[a.n - 1] = a.x[a.n - 1] + (triad ? kRoofFactor * a.y[a.n - 1] : 0);
  }
}

}  // namespace
}  // namespace kernsweep::cuda

using namespace kernsweep::cuda;

#define KERNSWEEP_ROOF_KERNEL(name, Arguments, loop)                                    \
  extern "C" __global__ void __launch_bounds__(kRoofThreads) roof_##name(Arguments a) { \
    loop(a);                                                                            \
  }

KERNSWEEP_ROOF_KERNEL(fma_f64, RoofFmaArguments, multiply_add<double>)
KERNSWEEP_ROOF_KERNEL(fma_f32, RoofFmaArguments, multiply_add<float>)
#define KERNSWEEP_ROOF_PRODUCT(name, type, Sum)                                                    \
  extern "C" __global__ void __launch_bounds__(kRoofThreads) roof_fma_##name(RoofFmaArguments a) { \
    multiply_matrices<RoofProduct::type, Sum>(a);                                                  \
  }
KERNSWEEP_ROOF_PRODUCT(tf32, tf32, float)
KERNSWEEP_ROOF_PRODUCT(bf16, bf16, float)
KERNSWEEP_ROOF_PRODUCT(f16, f16, float)
KERNSWEEP_ROOF_PRODUCT(s8, s8, std::int32_t)
KERNSWEEP_ROOF_PRODUCT(f64_tensor, f64, double)
KERNSWEEP_ROOF_KERNEL(read, RoofArrayArguments, read_passes)
#define KERNSWEEP_ROOF_WRITE(name, triad, past)                                                  \
  extern "C" __global__ void __launch_bounds__(kRoofThreads) roof_##name(RoofArrayArguments a) { \
    write_passes<triad, past>(a);                                                                \
  }
KERNSWEEP_ROOF_WRITE(copy, false, false)
KERNSWEEP_ROOF_WRITE(copy_past, false, true)
KERNSWEEP_ROOF_WRITE(triad, true, false)
KERNSWEEP_ROOF_WRITE(triad_past, true, true)

extern "C" __global__ void __launch_bounds__(kRoofThreads) roof_fill(RoofFillArguments a) {
  for (std::int64_t i = first_item(); i < a.n; i += items_apart()) a.to[i] = a.value;
}
