// The text of a shell, parsed: its commands, and what surrounds them. Nothing is run or looked up.
//
// The syntax is that of sh and of the parts of bash that scripts use. Words keep their quotes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared/lists/shell_quotes.hpp"

namespace kernsweep {

struct ShellRedirect {
  enum class Kind { reads, writes, document, other } kind = Kind::other;
  std::string word;        // with its quotes; of a document: its text
  bool is_quoted = false;  // the end of a document: nothing in it is replaced
  bool is_output = true;   // of stdout
};

struct ShellNode {
  enum class Kind {
    command,   // words, redirects
    test,      // words between [[ and ]], or one of arithmetic: they start nothing but $(...)
    list,      // parts one after the other
    pipeline,  // parts in processes of their own, if there are several
    subshell,  // also a command in the background
    loop,      // `name` gets each of the words; parts: the condition, the body
    branches,  // of `if`; of `case` with the word that is compared, and the patterns of each part
    function,  // `name`, its body
  };
  Kind kind = Kind::command;
  std::string name;
  std::vector<std::string> words;
  std::vector<ShellRedirect> redirects;
  std::vector<ShellNode> parts;
  std::vector<std::vector<std::string>> patterns;
  std::shared_ptr<const ShellNode> body;
  enum class After { any, success, failure } after = After::any;  // of what precedes: && and ||
};

// Nothing: the text is not understood.
std::optional<ShellNode> parse_shell(std::string_view text);

}  // namespace kernsweep
