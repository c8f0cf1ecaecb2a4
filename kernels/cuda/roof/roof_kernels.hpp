// The loops that measure the roofs of a GPU, and their arguments.
//
// fma: every thread has independent chains in registers. f64 and f32 use multiply-adds. Other types, and
// f64 where tensor cores support it, use products of small matrices on the tensor cores, one per warp,
// chain and round, with operands of ones: each round adds the depth of the product to every sum. On the
// host a thread computes its own sums of such a product from its own operands, which is right because all
// operands are equal.
//
// The initial sums and the summands are arguments, different for each chain; otherwise a compiler would
// compute one chain, or none.
#pragma once

#include <cstdint>

#include "kernels/cuda/host_device.hpp"

namespace kernsweep::cuda {

inline constexpr int kRoofChains = 8;
inline constexpr int kRoofThreads = 256;  // per block
inline constexpr double kRoofFactor = 3;  // z = x + 3 y

struct RoofFmaArguments {
  std::int64_t rounds;
  double zeros[kRoofChains];
  double one;          // f64 and f32, also on tensor cores
  std::uint32_t ones;  // other types: 32 bits of ones
  double* extents;     // two per thread: its smallest sum and its largest
};

// n elements of f64 each, aligned to 16 bytes.
struct RoofArrayArguments {
  double* z;  // read: one sum for each thread
  const double* x;
  const double* y;
  std::int64_t n;
  std::int64_t passes;
};

struct RoofFillArguments {
  double* to;
  double value;
  std::int64_t n;
};

enum class RoofProduct { tf32, bf16, f16, s8, f64 };

// Number of products that one instruction adds to each sum.
constexpr int roof_depth(RoofProduct product) {
  return product == RoofProduct::tf32 ? 8 : product == RoofProduct::s8 ? 32 : 16;
}

// Chains of four sums each. Sums of f64 take two registers each.
constexpr int roof_chains(RoofProduct product) {
  return product == RoofProduct::f64 ? kRoofChains / 2 : kRoofChains;
}

// Operations of one round for one thread; a product of 16 x depth by depth x 8 is divided among 32 threads.
constexpr std::int64_t roof_operations(RoofProduct product) {
  return std::int64_t{roof_chains(product)} * 2 * 16 * 8 * roof_depth(product) / 32;
}
inline constexpr std::int64_t kRoofFmaOperations = kRoofChains * 2;

// Keeps a NaN.
template <class T>
KERNSWEEP_HOST_DEVICE inline void store_extent(const T* sums, int count, double* extent) {
  double smallest = static_cast<double>(sums[0]), largest = smallest;
  for (int i = 1; i < count; ++i) {
    const auto sum = static_cast<double>(sums[i]);
    if (sum != sum || sum < smallest) smallest = sum;
    if (sum != sum || sum > largest) largest = sum;
  }
  extent[0] = smallest;
  extent[1] = largest;
}

#if !defined(__CUDA_ARCH__)
// The product of a row and a column of ones.
template <RoofProduct product, class Sum>
void add_product(Sum* sums, std::uint32_t ones, double one) {
  if constexpr (product == RoofProduct::f64) {
    for (int i = 0; i < 4; ++i) sums[i] += roof_depth(product) * one * one;
    return;
  }
  constexpr std::uint32_t kExpected = product == RoofProduct::bf16  ? 0x3f803f80
                                      : product == RoofProduct::f16 ? 0x3c003c00
                                      : product == RoofProduct::s8  ? 0x01010101
                                                                    : 0x3f800000;
  for (int i = 0; i < 4; ++i) sums[i] += static_cast<Sum>(ones == kExpected ? roof_depth(product) : 0);
}
#endif

}  // namespace kernsweep::cuda
