#include "language/space/permutation.hpp"

#include <bit>

#include "shared/base/result.hpp"

namespace kernsweep {
namespace {

constexpr std::uint64_t kRounds = 6;

std::uint64_t finalised(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ULL;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ULL;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBULL;
  return x ^ (x >> 31);
}

}  // namespace

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  return finalised(finalised(a) ^ b);
}

Permutation::Permutation(std::uint64_t size, std::uint64_t seed) : size_(size), seed_(seed), half_bits_(1) {
  KS_ASSERT(size >= 1 && size <= std::uint64_t{1} << 62);
  const auto bits = static_cast<unsigned>(std::bit_width(size - 1));
  half_bits_ = bits < 2 ? 1 : (bits + 1) / 2;
}

std::uint64_t Permutation::once(std::uint64_t index) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = index >> half_bits_, right = index & mask;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    const std::uint64_t next = left ^ (mixed(seed_ + round, right) & mask);
    left = right;
    right = next;
  }
  return left << half_bits_ | right;
}

std::uint64_t Permutation::once_back(std::uint64_t value) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  std::uint64_t left = value >> half_bits_, right = value & mask;
  for (std::uint64_t round = kRounds; round-- > 0;) {
    const std::uint64_t before = right ^ (mixed(seed_ + round, left) & mask);
    right = left;
    left = before;
  }
  return left << half_bits_ | right;
}

std::uint64_t Permutation::operator()(std::uint64_t index) const {
  do {
    index = once(index);
  } while (index >= size_);
  return index;
}

std::uint64_t Permutation::index_of(std::uint64_t value) const {
  do {
    value = once_back(value);
  } while (value >= size_);
  return value;
}

}  // namespace kernsweep
