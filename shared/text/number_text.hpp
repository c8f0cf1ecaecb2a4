// A number that is the whole of a text.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace kernsweep {

// As std::from_chars reads it: no blanks, no '+'; a real may be "inf" or "nan". Nothing when the text is
// empty, goes on behind the number, or is beyond what `Number` holds.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace kernsweep
