// Counts that may be larger than 64 bits.
#pragma once

#include <cstdint>
#include <string>

namespace kernsweep {

// A natural number below 2^128; a larger one is only known to be too large.
class Count {
 public:
  Count() = default;
  explicit Count(std::uint64_t value) : value_(value) {}

  void add(const Count& other);
  void multiply(const Count& other);
  bool above(std::uint64_t limit) const { return overflown_ || value_ > limit; }
  // Requires that the number fits into 64 bits.
  std::uint64_t value() const { return static_cast<std::uint64_t>(value_); }
  // All digits, or "more than 3.4e38".
  std::string to_text() const;

 private:
  __extension__ using Wide = unsigned __int128;
  Wide value_ = 0;
  bool overflown_ = false;
};

}  // namespace kernsweep
