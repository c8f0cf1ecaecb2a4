// Words for another kernsweep, on another host or in a script, from what this one was given.
#pragma once

#include <string>
#include <vector>

#include "coordinator/sweep/expansion.hpp"

namespace kernsweep {

// The options that make the same replacements: "--set", "seed=2", "--quick".
std::vector<std::string> words_of(const Replacements& replacements);

// "--cores 4" as two words. There is no quoting: no option of a worker takes a value with blanks.
std::vector<std::string> split_at_blanks(const std::string& text);

}  // namespace kernsweep
