// What a shell would do and nothing does here: a command is run without one. Notes for `check` and `run`,
// each with the way to write it.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "language/file/yaml_tree.hpp"

namespace kernsweep {

// Notes about redirections, pipes, lists, variables, names of files, comments and assignments in the
// commands of a sweep file, those of references too.
void note_shell_characters(const Node& root, std::vector<std::string>& notes);
// The same of one command, text or a list of words; `whole`: it is a value of an axis; `key`: what
// has it.
void note_command(const Node& command, bool whole, std::vector<std::string>& notes,
                  std::string_view key = "command");

// What the commands of a sweep file leave to a shell.
struct ShellWords {
  std::set<std::string, std::less<>> read;  // columns that are named in `sh -c` and in no other command
  std::set<std::string, std::less<>> open;  // columns that are named outside of quotes
};
ShellWords shell_words(const Node& root);

// The note about a value of `column`: a variable or `~`, and where the command names the column outside of
// quotes (`open`) whatever a shell would not pass as it is. Empty: none.
std::string value_note(const Node& value, const std::string& column, bool open);

// For the error about a placeholder that no column has: what to write in place of ${NAME}; else empty.
std::string variable_hint(const std::string& text, const std::string& name);

}  // namespace kernsweep
