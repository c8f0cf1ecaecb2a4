// Notes for `check` and `run` about shell syntax in commands, which are run without a shell; each note has
// the correct way to write it.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "language/file/yaml_tree.hpp"

namespace kernsweep {

// Notes about redirections, pipes, lists, variables, names of files, comments and assignments in the
// commands of a sweep file, including those of references.
void note_shell_characters(const Node& root, std::vector<std::string>& notes);
// The same for one command, text or a list of words; `whole`: it is a value of an axis; `key`: the key that
// has it.
void note_command(const Node& command, bool whole, std::vector<std::string>& notes,
                  std::string_view key = "command");

// Which parts of the commands of a sweep file a shell would interpret.
struct ShellWords {
  std::set<std::string, std::less<>> read;  // columns that are named in `sh -c` and in no other command
  std::set<std::string, std::less<>> open;  // columns that are named outside of quotes
};
ShellWords shell_words(const Node& root);

// The note about a value of `column`: a variable or `~`, or, if the command uses the column outside of
// quotes (`open`), any text that a shell would change. Empty: none.
std::string value_note(const Node& value, const std::string& column, bool open);

// For the error about a placeholder without a column: what to write instead of ${NAME}; else empty.
std::string variable_hint(const std::string& text, const std::string& name);

}  // namespace kernsweep
