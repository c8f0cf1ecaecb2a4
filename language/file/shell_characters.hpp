// What a shell would do and nothing does here: a command is run without one. Notes for `check` and `run`,
// each with the way to write it.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "language/file/yaml_tree.hpp"

namespace kernsweep {

// Notes about redirections, pipes, lists, variables, patterns and assignments in the commands of a sweep
// file, those of references too, and about variables and `~` in the values of `env.` axes and of those that
// commands name (`passed`).
void note_shell_characters(const Node& root, const std::set<std::string, std::less<>>& passed,
                           std::vector<std::string>& notes);

// For the error about a placeholder that no column has: what to write in place of ${NAME}; else empty.
std::string variable_hint(const std::string& text, const std::string& name);

}  // namespace kernsweep
