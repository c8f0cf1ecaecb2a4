// Environment variables of a process as text in its results: a line NAME=value for each; the value is
// escaped (escaped_text.hpp).
#pragma once

#include <string>
#include <string_view>

#include "shared/text/escaped_text.hpp"

namespace kernsweep {

// Appends a line.
inline void append_variable(std::string& lines, std::string_view name, std::string_view value) {
  if (!lines.empty()) lines += '\n';
  append_escaped(lines, name);
  append_escaped(lines += '=', value);
}

// Calls use(name, value) for each line that is not empty.
template <class Use>
void each_variable(std::string_view lines, Use use) {
  each_line(lines, [&](std::string_view line) {
    const std::size_t at = std::min(line.find('='), line.size());
    use(unescaped(line.substr(0, at)), unescaped(line.substr(std::min(at + 1, line.size()))));
  });
}

}  // namespace kernsweep
