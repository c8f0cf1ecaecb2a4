// What some programs run that their words do not name as programs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernsweep {

bool is_shell(const std::string& program);
// Builtins of shells; what they start is in their words.
bool is_shell_builtin(std::string_view name);
// Its first file is what it runs: perl, node, awk; Python has modules, too.
bool is_interpreter(const std::string& program);
bool is_python(const std::string& program);
// Runs what files of its own name: make, cargo run.
bool builds_and_runs(const std::string& program, const std::vector<std::string>& words);

// The text of a small script of a shell. "": the file is no script; nothing: it is one, but too large. The
// file is read again only if it has changed.
std::optional<std::string> script_text(const std::string& path);
// The text of a small file that a shell is given.
std::optional<std::string> shell_file_text(const std::string& path);

}  // namespace kernsweep
