// Words for another kernsweep, on another host or in a script, from what this one was given.
#pragma once

#include <string>
#include <vector>

#include "language/space/expansion.hpp"

namespace kernsweep {

// The options that make the same replacements: "--set", "seed=2", "--quick".
std::vector<std::string> words_of(const Replacements& replacements);

// The command line `words` as a person types it again to go on with what was stopped: without --again,
// which would begin anew. Each word is quoted where a shell needs it.
std::string command_to_go_on(const std::vector<std::string>& words);

// "--cores 4" as two words. There is no quoting: no option of a worker takes a value with blanks.
std::vector<std::string> split_at_blanks(const std::string& text);

}  // namespace kernsweep
