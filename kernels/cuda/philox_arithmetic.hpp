// Philox4x32-7 and uniform f32, as tensors defines them (docs/internals/tensors.md): the same bits
// on the GPU as on every host.
//
// A host that compiles this must not fuse multiplications and additions: -ffp-contract=off. On the GPU,
// intrinsics keep them apart.
#pragma once

#include <cstdint>

#include "kernels/cuda/host_device.hpp"
#include "shared/base/philox_constants.hpp"

namespace kernsweep::cuda {

// Four consecutive words of a stream.
struct PhiloxBlock {
  std::uint32_t words[4];
};

// Words 4 `block` to 4 `block` + 3: counter {low half of block, high half, stream, 0}, key {low half of
// seed, high half}.
KERNSWEEP_HOST_DEVICE inline PhiloxBlock philox_block(std::uint64_t seed, std::uint32_t stream,
                                                      std::uint64_t block) {
  std::uint32_t c0 = static_cast<std::uint32_t>(block), c1 = static_cast<std::uint32_t>(block >> 32);
  std::uint32_t c2 = stream, c3 = 0;
  std::uint32_t k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
  for (std::uint32_t round = 0; round < philox::kRounds; ++round) {
    const std::uint64_t p0 = static_cast<std::uint64_t>(philox::kMultiplier0) * c0;
    const std::uint64_t p1 = static_cast<std::uint64_t>(philox::kMultiplier1) * c2;
    c0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<std::uint32_t>(p1);
    c2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<std::uint32_t>(p0);
    k0 += philox::kKeyStep0;
    k1 += philox::kKeyStep1;
  }
  return {{c0, c1, c2, c3}};
}

// uniform(a, b) in f32: low is a, span is b - a computed in f64, both rounded; bottom is the smallest f32
// >= a, top the largest < b.
struct UniformF32 {
  float low = 0, span = 1;
  float bottom = 0, top = 0;
};

KERNSWEEP_HOST_DEVICE inline float uniform_f32(std::uint32_t word, UniformF32 range) {
  const float u = static_cast<float>(static_cast<std::int32_t>(word >> 8)) * 0x1p-24f;
#if defined(__CUDA_ARCH__)
  const float value = __fadd_rn(range.low, __fmul_rn(range.span, u));
#else
  const float value = range.low + range.span * u;
#endif
  const float above = value < range.bottom ? range.bottom : value;
  return above > range.top ? range.top : above;
}

}  // namespace kernsweep::cuda
