#include "language/space/count.hpp"

#include <algorithm>

namespace kernsweep {

void Count::add(const Count& other) {
  overflown_ = __builtin_add_overflow(value_, other.value_, &value_) || overflown_ || other.overflown_;
}

void Count::multiply(const Count& other) {
  overflown_ = __builtin_mul_overflow(value_, other.value_, &value_) || overflown_ || other.overflown_;
}

std::string Count::to_text() const {
  if (overflown_) return "more than 3.4e38";
  std::string digits;
  Wide rest = value_;
  do {
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  } while (rest != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

}  // namespace kernsweep
