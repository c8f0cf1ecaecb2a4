// A command line taken apart as a POSIX shell takes apart words (Shell Command Language, 2.2 Quoting), and
// nothing else of a shell: no variable, no pattern, no operator.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernsweep::command {

// Nothing: a quote is not closed, or a \ keeps nothing.
std::optional<std::vector<std::string>> words_of(std::string_view line);

}  // namespace kernsweep::command
