// Splits a command line into words like a POSIX shell (Shell Command Language, 2.2 Quoting), without
// variables, patterns and operators.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernsweep::command {

// Nothing if a quote is not closed, or the line ends with a \.
std::optional<std::vector<std::string>> words_of(std::string_view line);

}  // namespace kernsweep::command
