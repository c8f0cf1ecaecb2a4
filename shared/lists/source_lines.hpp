// The files that a job ran and read as text: wire::Software.sources. One line for each, sorted, with tabs
// between role, name, path, bytes and content hash; an empty field is "-".
//
// Names and paths may contain any character, so they are escaped (escaped_text.hpp), and a field that is
// only "-" is written `\-`.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "shared/text/escaped_text.hpp"
#include "shared/text/number_text.hpp"

namespace kernsweep {

// roles: pack, library, program, started, word, linked, closed, module, package, input, depends, reference,
// reference_program, interpreter, interpreter_program, variable, build, built, built_from, built_with,
// compiler
struct SourceLine {
  std::string role;
  // As declared: a word of the command, an operand, a dotted module name, the command of a build.
  std::string name;
  // "./x": below the working directory of the worker. For a variable, also of a build: its value. May be
  // empty.
  std::string path;
  std::uint64_t bytes = 0;
  // Of the content, 32 lower-case hex digits; empty: cannot be read, or is not a file. For a build: the
  // hash of the file that it has written.
  std::string hash;
  friend auto operator<=>(const SourceLine&, const SourceLine&) = default;
};

// Whether a file of this role may be a program that runs.
inline bool may_run(std::string_view role) {
  return role == "program" || role == "started" || role == "word" || role == "reference" ||
         role == "reference_program" || role == "built";
}

// Without a line feed. `bytes` is "-" if there is no hash.
inline std::string text_of(const SourceLine& line) {
  std::string out;
  for (const std::string* field : {&line.role, &line.name, &line.path}) {
    append_cell(out, *field);
    out += '\t';
  }
  out += line.hash.empty() ? "-" : std::to_string(line.bytes);
  out += '\t';
  append_cell(out, line.hash);
  return out;
}

inline SourceLine source_line(std::string_view line) {
  SourceLine out;
  out.role = take_cell(line);
  out.name = take_cell(line);
  out.path = take_cell(line);
  out.bytes = number_of<std::uint64_t>(take_cell(line)).value_or(0);
  out.hash = take_cell(line);
  return out;
}

// Calls use(SourceLine, whole line) for each line that is not empty.
template <class Use>
void each_source(std::string_view lines, Use use) {
  each_line(lines, [&](std::string_view line) { use(source_line(line), line); });
}

}  // namespace kernsweep
