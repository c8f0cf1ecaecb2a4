// The files that a shell's text names: those of `sh -c TEXT`, of `sh FILE`, and of a script that a shell
// runs. They affect what a command computes as its own words do.
//
// The text is not run, and hardly parsed: a word that only looks like a file costs one more measurement if
// that file changes. What a text computes ("$DIR/x", `cat list`) is not found.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernsweep::command {

struct ShellWord {
  std::string text;
  bool is_command = false;  // the first one of a command, looked up in PATH if it has no slash
  bool is_input = false;    // behind '<'
};

// The words of a text without quotes, names of assignments, comments, and files that it writes by '>'.
std::vector<ShellWord> words_of_shell(std::string_view text);

// The text that a shell gets by the words of a command, whose program is words[at]: by -c, from the file
// that the first other word names, or, if the program is itself a script, from its file `path`. Empty: it
// is no shell, or the file is larger than 64 KiB.
std::string shell_text(const std::vector<std::string>& words, std::size_t at, const std::string& path);

}  // namespace kernsweep::command
