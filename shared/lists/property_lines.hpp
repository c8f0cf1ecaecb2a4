// The stable properties of a host as one text, which is hashed for its fingerprint and stored in its row: a
// line "name = value" for each, sorted by name. No name contains " = ", and no value a line feed.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "shared/text/escaped_text.hpp"

namespace kernsweep {

inline std::string text_of_properties(const std::map<std::string, std::string>& properties) {
  std::string text;
  for (const auto& [name, value] : properties) text += name + " = " + value + "\n";
  return text;
}

// Calls use(name, value) for each line that is not empty.
template <class Use>
void each_property(std::string_view text, Use use) {
  constexpr std::string_view kIs = " = ";
  each_line(text, [&](std::string_view line) {
    const std::size_t at = std::min(line.find(kIs), line.size());
    use(line.substr(0, at), line.substr(std::min(at + kIs.size(), line.size())));
  });
}

}  // namespace kernsweep
