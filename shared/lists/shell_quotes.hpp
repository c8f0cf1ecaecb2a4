// Where the quoted parts of a shell's words end.
#pragma once

#include <cstddef>
#include <string_view>

namespace kernsweep {

// The end of the quoted text, the substitution or the array that begins at `at`: '...', "...", `...`,
// $(...), ${...}, (...). npos: it does not end.
std::size_t end_of_quoted(std::string_view text, std::size_t at, int depth = 0);

// The length of the name of a variable at the beginning; 0: there is none.
std::size_t length_of_name(std::string_view text);
// The place of '=' or '+=' in the word of an assignment; npos: it is none.
std::size_t assigned_at(std::string_view word);

}  // namespace kernsweep
