// Command lines as text: words, quoted and split as a POSIX shell does it (Shell Command Language,
// 2.2 Quoting), without variables, patterns and operators.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernsweep {

// Nothing if a quote is not closed, or the line ends with a \.
std::optional<std::vector<std::string>> command_words(std::string_view line);

// `word` as a POSIX shell reads it back: in single quotes unless all of its characters are letters, digits
// or _@%+=:,./-
std::string quoted_word(std::string_view word);

// The line that command_words() splits into these words.
std::string command_line_of(const std::vector<std::string>& words);

// Places that the measuring host fills in: the path of the file that a sweep's `build` has made, and the
// path that a build writes to.
inline constexpr std::string_view kBuildPlace = "{build}", kOutPlace = "{out}";
// The column with the command of `build`; null at points whose commands do not use {build}.
inline constexpr std::string_view kBuildColumn = "command.build";
// The column of a `python` sweep with the path of the built file; kBuildPlace until a slot replaces it.
inline constexpr std::string_view kBuiltColumn = "build";
// Variables that compilers and `make` read; a build gets those of the worker.
inline constexpr std::array<std::string_view, 15> kCompilerVariables = {
    "CC",        "CFLAGS",       "CPATH", "CPLUS_INCLUDE_PATH", "CPPFLAGS",
    "CUDA_HOME", "CUDA_PATH",    "CXX",   "CXXFLAGS",           "C_INCLUDE_PATH",
    "LDFLAGS",   "LIBRARY_PATH", "LIBS",  "PKG_CONFIG_PATH",    "SOURCE_DATE_EPOCH"};
// `line` with each `place`, which may be a part of a word, replaced by `path`. Requires a line that can be
// split.
std::string with_place(std::string_view line, std::string_view place, std::string_view path);

}  // namespace kernsweep
