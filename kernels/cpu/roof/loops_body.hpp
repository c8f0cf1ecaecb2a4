// The loops, for the files that compile them with the flags of one instruction set.
//
// Everything has internal linkage and nothing else is included: a function compiled here with AVX-512 must
// never be the copy that the linker keeps for the whole pack.
#pragma once

#include <cstdint>

#include "kernels/cpu/roof/loops.hpp"

namespace kernsweep::roof {
namespace {

// A multiply-add takes 4 or 5 cycles, and two begin per cycle: 10 chains are enough, and 12 with their
// factor fit into 16 registers.
constexpr int kChains = 12;
constexpr int kReads = 8;

template <class T, int kBytes>
struct Body {
  typedef T Vector __attribute__((vector_size(kBytes)));
  typedef T InMemory __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
  static constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));

  static void multiply_add(std::int64_t rounds, const void* ones, void* sums) {
    auto* const out = static_cast<InMemory*>(sums);
    const Vector one = *static_cast<const InMemory*>(ones);
    Vector sum[kChains];
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) sum[c] = out[c];
    for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
      for (int c = 0; c < kChains; ++c) sum[c] = sum[c] * one + one;
    }
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) out[c] = sum[c];
  }

  static constexpr Chain chain() {
    return {&multiply_add, 2 * kChains * kLanes, kChains * kLanes, 1};
  }

  static double read(const double* x, std::int64_t count, std::int64_t passes) {
    constexpr std::int64_t stride = kReads * kLanes;
    const std::int64_t whole = count / stride * stride;
    Vector sum[kReads] = {};
    double rest = 0;
    for (std::int64_t pass = 0; pass < passes; ++pass) {
      asm volatile("" ::"r"(x) : "memory");  // otherwise the compiler might compute one pass for all
      for (std::int64_t i = 0; i < whole; i += stride) {
#pragma GCC unroll 16
        for (int r = 0; r < kReads; ++r) sum[r] += *reinterpret_cast<const InMemory*>(x + i + r * kLanes);
      }
      for (std::int64_t i = whole; i < count; ++i) rest += x[i];
    }
    for (int r = 0; r < kReads; ++r)
      for (int lane = 0; lane < kLanes; ++lane) rest += sum[r][lane];
    return rest;
  }
};

}  // namespace
}  // namespace kernsweep::roof
