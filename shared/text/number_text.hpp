// Parses a text that is a number and nothing else.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace kernsweep {

// All whole numbers up to this one are exact doubles.
inline constexpr double kWholeDoubleMax = 0x1p53;

// Reads what std::from_chars reads: no blanks, no '+'; a real may be "inf" or "nan". Returns nothing if the
// text is empty, continues after the number, or is outside the range of `Number`.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace kernsweep
