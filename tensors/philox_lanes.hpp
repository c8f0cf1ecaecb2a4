// The rounds of Philox4x32, and other loops that need wide products, over vectors of 64-bit lanes. The
// multiplier of x86 reads only the low half of a lane, so the high half of a product need not be cleared.
//
// Why not the plain loop: gcc 12 vectorises it, but with shuffles between the halves that cost more than
// the rounds. Internal: included only by the loops_*.cpp, each compiled for its own instructions; hence the
// anonymous namespace.
#pragma once

#include <cstddef>
#include <cstdint>

#include "shared/base/philox_constants.hpp"

namespace kernsweep {
namespace {

// Writes as many whole steps as fit into `blocks` and returns how many blocks that were. Several vectors
// are computed at once: a round's multiplications wait for those of the round before, and the other chains
// fill the gaps. The number of registers limits their number. The keys are vectors in memory, from which
// the xor reads them.
template <class Vector>
std::size_t philox_in_lanes(std::uint64_t seed, std::uint32_t stream, std::uint64_t first_block,
                            std::uint32_t* words, std::size_t blocks) {
  using Lanes = typename Vector::Lanes;
  constexpr std::size_t kChains = Vector::kChains;
  constexpr std::size_t kStep = kChains * Vector::kBlocks;
  const Lanes m0 = Vector::all(philox::kMultiplier0);
  const Lanes m1 = Vector::all(philox::kMultiplier1);
  Lanes keys[2 * philox::kRounds];
  for (std::uint32_t round = 0; round < philox::kRounds; ++round) {
    keys[2 * round] = Vector::all(static_cast<std::uint32_t>(seed) + round * philox::kKeyStep0);
    keys[2 * round + 1] = Vector::all(static_cast<std::uint32_t>(seed >> 32) + round * philox::kKeyStep1);
  }
  std::size_t done = 0;
  for (; done + kStep <= blocks; done += kStep) {
    Lanes c0[kChains], c1[kChains], c2[kChains], c3[kChains];
    for (std::size_t v = 0; v < kChains; ++v) {
      c0[v] = Vector::sum(Vector::all(first_block + done + v * Vector::kBlocks), Vector::offsets());
      c1[v] = Vector::high(c0[v]);
      c2[v] = Vector::all(stream);
      c3[v] = Vector::all(0);
    }
#pragma GCC unroll 16
    for (std::uint32_t round = 0; round < philox::kRounds; ++round) {
#pragma GCC unroll 4
      for (std::size_t v = 0; v < kChains; ++v) {
        const Lanes p0 = Vector::product(c0[v], m0);
        const Lanes p1 = Vector::product(c2[v], m1);
        c0[v] = Vector::mix(Vector::high(p1), c1[v], keys[2 * round]);
        c1[v] = p1;
        c2[v] = Vector::mix(Vector::high(p0), c3[v], keys[2 * round + 1]);
        c3[v] = p0;
      }
    }
    for (std::size_t v = 0; v < kChains; ++v)
      Vector::store(c0[v], c1[v], c2[v], c3[v], words + 4 * (done + v * Vector::kBlocks));
  }
  return done;
}

// Each 64-bit pair p becomes floor(p * numbers / 2^64), by four products of halves.
template <class Vector>
void scale_pairs_in_lanes(std::uint32_t* words, std::size_t count, std::uint64_t numbers) {
  using Lanes = typename Vector::Lanes;
  const Lanes low_half = Vector::all(0xffffffffu);
  const Lanes n0 = Vector::all(numbers);
  const Lanes n1 = Vector::all(numbers >> 32);
  for (std::size_t i = 0; i < count; i += Vector::kBlocks) {
    const Lanes p0 = Vector::load(words + 2 * i);
    const Lanes p1 = Vector::high(p0);
    const Lanes middle = Vector::sum(Vector::product(p1, n0), Vector::high(Vector::product(p0, n0)));
    const Lanes carry = Vector::sum(Vector::product(p0, n1), Vector::both(middle, low_half));
    const Lanes top = Vector::sum(Vector::product(p1, n1), Vector::high(middle));
    Vector::put(words + 2 * i, Vector::sum(top, Vector::high(carry)));
  }
}

}  // namespace
}  // namespace kernsweep
