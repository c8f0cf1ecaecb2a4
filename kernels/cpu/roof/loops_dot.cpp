// Products of pairs (bf16) and of fours (s8), added to wider sums: AVX512_BF16 and AVX512_VNNI. Compiled
// for both; each chain is called only if the processor has its instructions.
#include <immintrin.h>

#include "kernels/cpu/roof/loops.hpp"

namespace kernsweep::roof {
namespace {

constexpr int kChains = 12;
constexpr int kLanes = 16;

// vdpbf16ps: each f32 lane gains two products, 4 operations.
void add_pairs(std::int64_t rounds, const void* ones, void* sums) {
  auto* const out = static_cast<float*>(sums);
  const auto one = (__m512bh)_mm512_load_si512(ones);
  __m512 sum[kChains];
#pragma GCC unroll 16
  for (int c = 0; c < kChains; ++c) sum[c] = _mm512_load_ps(out + c * kLanes);
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) sum[c] = _mm512_dpbf16_ps(sum[c], one, one);
  }
#pragma GCC unroll 16
  for (int c = 0; c < kChains; ++c) _mm512_store_ps(out + c * kLanes, sum[c]);
}

// vpdpbusd: each s32 lane gains four products of u8 with s8, 8 operations.
void add_fours(std::int64_t rounds, const void* ones, void* sums) {
  auto* const out = static_cast<std::int32_t*>(sums);
  const __m512i one = _mm512_load_si512(ones);
  __m512i sum[kChains];
#pragma GCC unroll 16
  for (int c = 0; c < kChains; ++c) sum[c] = _mm512_load_si512(out + c * kLanes);
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
    for (int c = 0; c < kChains; ++c) sum[c] = _mm512_dpbusd_epi32(sum[c], one, one);
  }
#pragma GCC unroll 16
  for (int c = 0; c < kChains; ++c) _mm512_store_si512(out + c * kLanes, sum[c]);
}

}  // namespace

const Chain kAvx512Bf16Chain = {&add_pairs, 4 * kChains* kLanes, kChains* kLanes, 2};
const Chain kAvx512VnniChain = {&add_fours, 8 * kChains* kLanes, kChains* kLanes, 4};

}  // namespace kernsweep::roof
