// Which spelling of a number a program gets: that of the file (3.10, 007, .5). Only a whole number below
// 2^53 that is written with an exponent is passed in digits: 1e5 is 100000, because programs that read
// whole numbers read 1e5 as 1. A computed number is passed in digits, too (digits_of).
//
// Only columns that the command of a sweep or its reference command uses keep their spelling. In a sweep
// of a kernel or a Python function values are numbers, so its reference command gets them in digits.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "language/file/shell_characters.hpp"
#include "language/file/yaml_tree.hpp"
#include "shared/base/result.hpp"
#include "shared/base/value.hpp"

namespace kernsweep {

// The columns of a sweep that programs get.
struct PassedColumns {
  using Names = std::set<std::string, std::less<>>;
  Names names;  // used by a command, by the command or file of a reference, or by `metrics` to find numbers
  Names given;  // of these, without what only `metrics` uses: no program gets that
  bool words = false;           // with the spelling of the file: a `command` sweep
  bool whole_commands = false;  // `kernel: command`, whose column `command` has them
  ShellWords shell;

  bool keep_word_of(std::string_view column) const { return words && names.contains(column); }
  // Error if a program would get a value with a NUL character; a derived column may read any axis.
  Status check_nul(const Node& scalar, std::string_view column) const;
};

// `root`: a sweep file. Placeholders that cannot be read are skipped; reading them reports the error.
PassedColumns passed_columns(const Node& root);

// `value`, read from `scalar`, with the spelling that a program gets; values that are not numbers are
// unchanged.
Value with_word(const std::string& scalar, const Value& value);
// The same for a value that was computed.
Value with_digits(const Value& value);
// Whether a database must store the spelling, because the number does not determine it: 3.10, 007, +5; not
// 1e-5 and .5.
bool loses_its_word(const Value& value);

// Notes for `check`, for each column: where a program gets another spelling than the file has, an empty
// word, or a word that a shell would interpret.
class PassedNotes {
 public:
  PassedNotes(const PassedColumns& passed, const std::string& column) : passed_(passed), column_(column) {}
  void look_at(const Node& scalar, const Value& value);
  void add_to(std::vector<std::string>& notes) const;

 private:
  const PassedColumns& passed_;
  const std::string& column_;
  struct Note {
    std::string first;
    std::size_t more = 0;
    void add(std::string note);
  };
  void look_for_a_shell(const Node& scalar);

  Note word_, empty_, shell_;
};

}  // namespace kernsweep
