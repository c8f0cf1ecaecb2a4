// What the kernels of memory.cu write and add up, and their arguments. All sums are modulo 2^64.
#pragma once

#include <cstdint>

#include "kernels/cuda/host_device.hpp"

namespace kernsweep::cuda {

inline constexpr std::uint64_t kWordFactor = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio: changes all bits
inline constexpr std::uint64_t kWordAddend = 0x0123456789ABCDEF;

// The word at index i.
KERNSWEEP_HOST_DEVICE inline std::uint64_t word_at(std::int64_t i) {
  return static_cast<std::uint64_t>(i) * kWordFactor + kWordAddend;
}

// The sum of words 0 to n - 1, without adding them: factor n (n - 1) / 2 + addend n.
inline std::uint64_t sum_of_words(std::int64_t n) {
  const auto count = static_cast<std::uint64_t>(n);
  const std::uint64_t pairs = n % 2 == 0 ? count / 2 * (count - 1) : (count - 1) / 2 * count;
  return kWordFactor * pairs + kWordAddend * count;
}

// memory_write: words[i] = word_at(i) for 0 <= i < n.
struct MemoryWriteArguments {
  std::uint64_t* words;
  std::int64_t n;
};

// memory_read: sums[t] = the sum of the words that thread t reads, for every thread of the grid.
struct MemoryReadArguments {
  const std::uint64_t* words;
  std::int64_t n;
  std::uint64_t* sums;
};

}  // namespace kernsweep::cuda
