// Random words by position: word w of block b of a stream is a pure function of (seed, stream, b, w).
//
// The function is Philox4x32-7 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2,
// 3", SC 2011) as the library Random123 defines it: counter = {low half of b, high half of b, stream, 0},
// key = {low half of seed, high half of seed}. So any thread, host or GPU can make any part of a tensor, in
// any order, and gets the same bits.
#pragma once

#include <cstdint>
#include <span>

#include "tensors/loops.hpp"

namespace kernsweep {

// Writes whole blocks of four words: words[4 * i + w] = word w of block first_block + i. Requires that
// words.size() is a multiple of 4 and that `instructions` are usable.
void fill_philox(std::uint64_t seed, std::uint32_t stream, std::uint64_t first_block,
                 std::span<std::uint32_t> words, Instructions instructions);

// One call of the function with any counter and key, for tests against published values.
void philox_block(const std::uint32_t counter[4], const std::uint32_t key[2], std::uint32_t out[4]);

}  // namespace kernsweep
