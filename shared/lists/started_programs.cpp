#include "shared/lists/started_programs.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

namespace kernsweep {
namespace {

constexpr std::size_t kScriptMax = 64 << 10;  // bytes

std::string_view name_of(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_among(std::string_view name, const auto& names) {
  return std::ranges::find(names, name) != std::end(names);
}

// Whether the first line is that of a script for a shell: "#!/bin/sh", "#!/usr/bin/env bash". A shell also
// runs an executable text without such a line.
bool is_for_shell(std::string_view text) {
  if (text.starts_with("\177ELF")) return false;
  if (!text.starts_with("#!")) return text.find('\0') == std::string_view::npos;
  std::string_view line = text.substr(2, text.find('\n') - 2);
  while (!line.empty()) {
    const auto end = line.find_first_of(" \t\r");
    if (is_shell(std::string(line.substr(0, end)))) return true;
    line = end == std::string_view::npos ? std::string_view() : line.substr(end + 1);
  }
  return false;
}

}  // namespace

bool is_shell(const std::string& program) {
  constexpr std::string_view kShells[] = {"sh", "bash", "dash", "ash", "ksh", "zsh"};
  return is_among(name_of(program), kShells);
}

bool is_shell_builtin(std::string_view name) {
  constexpr std::string_view kBuiltins[] = {
      ":",       "[",      "test",    "true",  "false",  "echo",      "printf",   "read",
      "mapfile", "set",    "shift",   "unset", "return", "break",     "continue", "exit",
      "wait",    "jobs",   "bg",      "fg",    "kill",   "times",     "type",     "hash",
      "umask",   "ulimit", "getopts", "let",   "shopt",  "enable",    "popd",     "dirs",
      "alias",   "trap",   "unalias", "pwd",   "disown", "readarray", "caller",   "bind"};
  return is_among(name, kBuiltins);
}

bool is_interpreter(const std::string& program) {
  constexpr std::string_view kInterpreters[] = {"perl",  "ruby", "node",   "nodejs", "Rscript",
                                                "julia", "lua",  "luajit", "php",    "octave",
                                                "awk",   "gawk", "mawk",   "java",   "tclsh"};
  return is_among(name_of(program), kInterpreters);
}

bool is_python(const std::string& program) {
  return name_of(program).starts_with("python") || name_of(program).starts_with("pypy");
}

bool builds_and_runs(const std::string& program, const std::vector<std::string>& words) {
  constexpr std::string_view kTools[] = {"make",  "gmake",  "ninja", "just", "bazel", "meson",
                                         "scons", "rake",   "npm",   "npx",  "yarn",  "pnpm",
                                         "mvn",   "gradle", "ctest", "tox",  "nox",   "gradlew"};
  constexpr std::string_view kOthers[] = {"cmake", "cargo", "go", "dotnet", "zig", "stack", "cabal"};
  constexpr std::string_view kRuns[] = {"--build", "run", "test", "bench", "exec", "build", "tool"};
  const std::string_view name = name_of(program);
  return is_among(name, kTools) ||
         (is_among(name, kOthers) &&
          std::ranges::any_of(words, [&](const std::string& word) { return is_among(word, kRuns); }));
}

std::optional<std::string> shell_file_text(const std::string& path) {
  struct Read {
    timespec changed{};
    off_t bytes = -1;
    std::optional<std::string> text;
  };
  static std::map<std::string, Read> known;
  struct stat now {};
  if (stat(path.c_str(), &now) != 0 || !S_ISREG(now.st_mode)) return std::nullopt;
  Read& read = known[path];
  if (read.bytes == now.st_size && read.changed.tv_sec == now.st_mtim.tv_sec &&
      read.changed.tv_nsec == now.st_mtim.tv_nsec)
    return read.text;
  std::ifstream file(path, std::ios::binary);
  std::string text(kScriptMax + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, file.gcount())));
  const bool is_too_large = text.size() > kScriptMax && is_for_shell(text);
  read = {now.st_mtim, now.st_size, is_too_large ? std::nullopt : std::optional(text)};
  return read.text;
}

std::optional<std::string> script_text(const std::string& path) {
  auto text = shell_file_text(path);
  if (!text || is_for_shell(*text)) return text;
  return "";
}

}  // namespace kernsweep
