// Makes the words of a command line for another kernsweep process from the command line of this one.
#pragma once

#include <string>
#include <vector>

#include "language/space/expansion.hpp"

namespace kernsweep {

// The options that give the same replacements: "--set", "seed=2", "--quick".
std::vector<std::string> words_of(const Replacements& replacements);

// For a command that prints a sweep file and accepts replacements, which the file cannot contain. Error:
// there are some, and what to do with them.
Status check_printed_alone(const Replacements& replacements);

// The command that resumes a stopped sweep: the command line `words` without --again, which would restart
// the sweep. Words are quoted if a shell needs it.
std::string command_to_go_on(const std::vector<std::string>& words);

// Splits "--cores 4" into two words. There is no quoting: no worker option has a value with blanks.
std::vector<std::string> split_at_blanks(const std::string& text);

}  // namespace kernsweep
