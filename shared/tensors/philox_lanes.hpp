// Ten rounds of Philox4x32 over vectors of 64-bit lanes, each with one 32-bit word in its low half: the
// multiplier of x86 reads only that half, so what a product leaves in the high half never needs to be
// cleared.
//
// Why not the plain loop: gcc 12 does vectorise it, with shuffles between the halves that cost more than
// the rounds. Internal: included only by the loops_*.cpp, each compiled for its own instructions; hence the
// anonymous namespace.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shared/tensors/philox_constants.hpp"

namespace kernsweep {
namespace {

// Writes as many whole steps as fit into `blocks` and returns how many blocks that were.
// Four vectors at once: a round's multiplications wait for those of the round before, four chains fill the
// gaps.
template <class Vector>
std::size_t philox_in_lanes(std::uint64_t seed, std::uint32_t stream, std::uint64_t first_block,
                            std::uint32_t* words, std::size_t blocks) {
  using Lanes = typename Vector::Lanes;
  constexpr std::size_t kChains = 4;
  constexpr std::size_t kStep = kChains * Vector::kBlocks;
  const Lanes m0 = Vector::all(philox::kMultiplier0);
  const Lanes m1 = Vector::all(philox::kMultiplier1);
  std::size_t done = 0;
  for (; done + kStep <= blocks; done += kStep) {
    Lanes c0[kChains], c1[kChains], c2[kChains], c3[kChains];
    for (std::size_t v = 0; v < kChains; ++v) {
      c0[v] = Vector::sum(Vector::all(first_block + done + v * Vector::kBlocks), Vector::offsets());
      c1[v] = Vector::high(c0[v]);
      c2[v] = Vector::all(stream);
      c3[v] = Vector::all(0);
    }
    auto k0 = static_cast<std::uint32_t>(seed);
    auto k1 = static_cast<std::uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
      for (std::size_t v = 0; v < kChains; ++v) {
        const Lanes p0 = Vector::product(c0[v], m0);
        const Lanes p1 = Vector::product(c2[v], m1);
        c0[v] = Vector::mix(Vector::high(p1), c1[v], Vector::all(k0));
        c1[v] = p1;
        c2[v] = Vector::mix(Vector::high(p0), c3[v], Vector::all(k1));
        c3[v] = p0;
      }
      k0 += philox::kKeyStep0;
      k1 += philox::kKeyStep1;
    }
    for (std::size_t v = 0; v < kChains; ++v)
      Vector::store(c0[v], c1[v], c2[v], c3[v], words + 4 * (done + v * Vector::kBlocks));
  }
  return done;
}

}  // namespace
}  // namespace kernsweep
