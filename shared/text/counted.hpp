// Counts in sentences: "1 job", "1,234 jobs".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kernsweep {

// "1,234,567"
inline std::string grouped(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
  return text;
}

// The count with the form that fits it: "1 job has", "12 jobs have".
inline std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return grouped(count) + " " + std::string(count == 1 ? one : many);
}

}  // namespace kernsweep
