// A permutation of 0 .. size-1 that is computed and not stored.
//
// A Feistel network (Luby and Rackoff 1988) of six rounds over the next even number of bits. A result
// outside the range is permuted again until it is inside ("cycle walking", Black and Rogaway 2002): at most
// four steps on average, because the network's domain is at most four times the range.
#pragma once

#include <cstdint>

namespace kernsweep {

class Permutation {
 public:
  // size >= 1, at most 2^62.
  Permutation(std::uint64_t size, std::uint64_t seed);
  // index < size
  std::uint64_t operator()(std::uint64_t index) const;
  // The index with the image `value` (< size).
  std::uint64_t index_of(std::uint64_t value) const;

 private:
  std::uint64_t once(std::uint64_t index) const;
  std::uint64_t once_back(std::uint64_t value) const;

  std::uint64_t size_;
  std::uint64_t seed_;
  unsigned half_bits_;
};

// 64 well-mixed bits of two numbers (the finaliser of SplitMix64, Steele, Lea and Flood 2014, applied
// twice).
std::uint64_t mixed(std::uint64_t a, std::uint64_t b);

}  // namespace kernsweep
