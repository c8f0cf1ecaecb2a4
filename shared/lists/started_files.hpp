// The files that the words of a command start or read through a shell, a script, or `python -m`. They
// affect what a command computes as its own words do.
//
// A text is read, not run: both branches of an `if` count. Where it starts something that cannot be named
// from the text, `unknown` says so; its content cannot be compared later.
#pragma once

#include <string>
#include <vector>

#include "shared/lists/launched_program.hpp"

namespace kernsweep {

struct StartedFile {
  bool is_started = false;  // a program, whose libraries count, too
  std::string name;         // of a program: in the form of name_of_launched()
  std::string path;
  friend bool operator==(const StartedFile&, const StartedFile&) = default;
};

struct StartedFiles {
  std::vector<StartedFile> files;
  std::vector<std::string> unknown;  // words that start something which is not known, "$BIN"
};

// `by`: a command from its program on, by.words[by.at], with the environment of the program. `program`: the
// file of that program; empty: there is none.
StartedFiles started_files(const Launched& by, const std::string& program);

// The note about a command that starts these; "": there are none.
std::string text_of_unknown(const std::vector<std::string>& unknown);

}  // namespace kernsweep
