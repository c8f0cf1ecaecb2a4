// Gives consecutive numbers to distinct keys: 0 to the first key, 1 to the second, and so on.
//
// A hash table that stores only hashes and numbers. The caller keeps the keys and compares them, so a key
// may be of any type: a text, a row of numbers, a position. Linear probing over entries of 8 bytes, at most
// half full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

class CodeTable {
 public:
  static constexpr std::uint32_t kCodesMax = UINT32_MAX - 1;

  std::uint32_t size() const { return count_; }

  // Returns the number of the key with this hash for which same(number) is true. If there is none, the key
  // is added and its number is the old size(); the caller must then store the key under that number.
  template <class Same>
  std::uint32_t number(std::uint32_t hash, const Same& same) {
    if (2 * (std::size_t{count_} + 1) > entries_.size()) grow();
    const std::size_t mask = entries_.size() - 1;
    std::size_t at = hash & mask;
    for (; entries_[at].after != 0; at = (at + 1) & mask)
      if (entries_[at].hash == hash && same(entries_[at].after - 1)) return entries_[at].after - 1;
    KS_ASSERT(count_ < kCodesMax);
    entries_[at] = {hash, count_ + 1};
    return count_++;
  }

  // Mixes a number: every bit of `number` influences every bit of the hash.
  static std::uint32_t hash_of(std::uint64_t number) {
    number ^= number >> 32;
    number *= 0x9E3779B97F4A7C15U;
    number ^= number >> 29;
    number *= 0xBF58476D1CE4E5B9U;
    return static_cast<std::uint32_t>(number >> 32);
  }

 private:
  struct Entry {
    std::uint32_t hash = 0;
    std::uint32_t after = 0;  // the number plus 1; 0: the entry is free
  };

  void grow() {
    const std::vector<Entry> old = std::exchange(entries_, {});
    entries_.resize(old.empty() ? 16 : 2 * old.size());
    const std::size_t mask = entries_.size() - 1;
    for (const Entry& entry : old) {
      if (entry.after == 0) continue;
      std::size_t at = entry.hash & mask;
      while (entries_[at].after != 0) at = (at + 1) & mask;
      entries_[at] = entry;
    }
  }

  std::vector<Entry> entries_;
  std::uint32_t count_ = 0;
};

}  // namespace kernsweep
