// The commands in the text of a shell: what it may run, in whatever order. Not a shell: conditions, loops
// and redirections are only recognised, so that the words of commands are found.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kernsweep {

// Quotes are removed. An expansion is between kExpands and kExpanded: "\1PWD\2/bench", "\1(pwd)\2/bench".
struct ShellTextWord {
  static constexpr char kExpands = '\1', kExpanded = '\2';
  std::string text;
  bool has_glob = false;  // *, ? or [ without quotes
  bool is_plain() const { return text.find(kExpands) == std::string::npos; }
};

struct ShellCommand {
  std::vector<std::pair<std::string, ShellTextWord>>
      assigned;  // NAME=value before the words, or in `for NAME in`
  std::vector<ShellTextWord> words;
  std::vector<ShellTextWord> reads;  // files behind <
  bool has_input = false;            // a pipe, a file or a here-document
};

struct ShellText {
  std::vector<ShellCommand> commands;
  std::set<std::string> functions;  // that it defines
  std::set<std::string> written;    // files behind >
  bool is_understood = true;        // false: `commands` may lack some
};

ShellText read_shell_text(std::string_view text);

}  // namespace kernsweep
