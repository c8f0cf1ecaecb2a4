// What programs start by their words: shells, scripts, Python's modules, tools that build and run.
#include <glob.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <utility>

#include "shared/lists/end_notes.hpp"
#include "shared/lists/executable.hpp"
#include "shared/lists/shell_reading.hpp"

namespace kernsweep {
namespace {

constexpr std::size_t kScriptMax = 64 << 10;  // bytes

std::string name_in_path(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

bool is_shell_name(std::string_view name) {
  constexpr std::string_view kShells[] = {"sh", "bash", "dash", "ash", "ksh", "zsh"};
  return std::ranges::find(kShells, name) != std::end(kShells);
}

bool is_python_name(std::string_view name) {
  return name.starts_with("python") || name.starts_with("pypy");
}

// Programs whose first file is what they run.
bool is_interpreter_name(std::string_view name) {
  constexpr std::string_view kInterpreters[] = {
      "perl", "ruby", "node", "nodejs", "Rscript", "julia", "lua",   "luajit", "php",   "octave", "deno",
      "bun",  "java", "awk",  "gawk",   "mawk",    "tclsh", "guile", "sbcl",   "ocaml", "gnuplot"};
  return std::ranges::find(kInterpreters, name) != std::end(kInterpreters);
}

// Programs that run the program among their words.
bool is_wrapper_name(std::string_view name) {
  constexpr std::string_view kWrappers[] = {
      "setarch", "unshare", "prlimit", "setpriv",  "flock",  "script",   "xargs",  "find",
      "sudo",    "doas",    "perf",    "strace",   "ltrace", "valgrind", "mpirun", "mpiexec",
      "srun",    "chroot",  "watch",   "parallel", "gdb",    "unbuffer", "runuser"};
  return std::ranges::find(kWrappers, name) != std::end(kWrappers);
}

// Tools that run what their own files name.
bool builds_and_runs(const std::string& name, const std::vector<std::string>& words) {
  constexpr std::string_view kTools[] = {
      "make",  "gmake", "bmake", "ninja", "samu", "just", "bazel",  "bazelisk", "buck2",  "meson",
      "scons", "rake",  "tup",   "mage",  "npm",  "npx",  "yarn",   "pnpm",     "gradle", "mvn",
      "ant",   "sbt",   "lein",  "ctest", "tox",  "nox",  "invoke", "gradlew"};
  constexpr std::string_view kWords[] = {"run",  "test",  "bench", "generate", "tool",
                                         "exec", "build", "r",     "t",        "b"};
  if (std::ranges::find(kTools, name) != std::end(kTools)) return true;
  if (name == "cmake") return std::ranges::find(words, "--build") != words.end();
  const bool has_words = name == "cargo" || name == "go" || name == "dotnet" || name == "zig" ||
                         name == "stack" || name == "cabal";
  return has_words && std::ranges::any_of(words, [&](const std::string& word) {
           return std::ranges::find(kWords, word) != std::end(kWords);
         });
}

bool is_in_system(std::string_view path) {
  return (path.starts_with("/usr/") && !path.starts_with("/usr/local/")) || path.starts_with("/bin/") ||
         path.starts_with("/sbin/");
}

// Whether a shell runs the text of an executable file: "#!/bin/sh", "#!/usr/bin/env bash", or no such line.
bool is_script_text(std::string_view text) {
  if (!text.starts_with("#!")) return true;
  std::string_view line = text.substr(2, text.find('\n') - 2);
  while (!line.empty()) {
    const auto end = line.find_first_of(" \t\r");
    const std::string_view word = line.substr(0, end);
    if (is_shell_name(word.substr(word.rfind('/') + 1))) return true;
    line = end == std::string_view::npos ? std::string_view() : line.substr(end + 1);
  }
  return false;
}

// The folders of the modules of this Python, and of the user.
std::vector<std::string> module_folders(const std::string& program, const std::string& home) {
  std::vector<std::string> out;
  std::error_code error;
  const std::filesystem::path path(program);
  const std::string own = path.parent_path().parent_path();
  const std::string real = std::filesystem::canonical(path, error).parent_path().parent_path();
  for (const std::string& prefix : {own, real, std::string("/usr/local"), home + "/.local"}) {
    glob_t found{};
    if (!prefix.empty() && glob((prefix + "/lib/python3*").c_str(), 0, nullptr, &found) == 0)
      for (std::size_t i = 0; i < found.gl_pathc; ++i)
        for (const char* folder : {"", "/site-packages", "/dist-packages"})
          out.push_back(found.gl_pathv[i] + std::string(folder) + "/");
    globfree(&found);
  }
  return out;
}

}  // namespace

// The file is read again only if it has changed, because each job asks.
std::optional<std::string> small_text(const std::string& path) {
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
  read = {now.st_mtim, now.st_size, std::nullopt};
  const bool is_text = text.find('\0') == std::string::npos && !text.starts_with("\177ELF");
  if (is_text && is_script_text(text))
    read.text = text.size() > kScriptMax ? std::string(1, kUnknownText) : text;
  return read.text;
}

void ShellReading::run_kind(const Words& words, const std::string& path) {
  const std::string name = name_in_path(words[0]);
  if (is_shell_name(name)) {
    run_shell(words);
  } else if (is_python_name(name)) {
    run_python(words, path);
  } else if (builds_and_runs(name, words)) {
    note_unknown(name);
  } else {
    for (std::size_t i = 1; is_interpreter_name(name) && i < words.size(); ++i) note_word(words[i], true);
    if (!path.empty()) run_script(path, words, is_in_system(path));
    run_inner(words);
  }
}

void ShellReading::run_shell(const Words& words) {
  bool has_text = false, reads_input = false;
  std::size_t i = 1;
  for (; i < words.size() && (words[i].starts_with('-') || words[i].starts_with('+')); ++i) {
    const std::string& word = words[i];
    if (word == "--" || word == "-") {
      ++i;
      break;
    }
    if (word == "--rcfile" || word == "--init-file") ++i;
    if (word.starts_with("--")) continue;
    has_text = has_text || word.find('c') != std::string::npos;
    reads_input = reads_input || word.find('s') != std::string::npos;
    if (word.ends_with('o') || word.ends_with('O')) ++i;
  }
  const auto behind = [&](std::size_t at) {
    return at < words.size() ? Words(words.begin() + static_cast<std::ptrdiff_t>(at), words.end())
                             : Words();
  };
  if (has_text && i < words.size()) {
    read_apart(words[i], i + 1 < words.size() ? words[i + 1] : words[0], behind(i + 2));
  } else if (!has_text && !reads_input && i < words.size()) {
    bool any = false;
    note_word(words[i], true);
    for (const std::string& folder : state_.folders) {
      const std::string path = words[i].starts_with('/') ? words[i] : folder + words[i];
      const auto text = is_known_text(path) ? small_text(path) : std::nullopt;
      if (!text || (any && words[i].starts_with('/'))) continue;
      any = true;
      if (is_known_text(*text))
        read_apart(*text, words[i], behind(i + 1));
      else
        note_unknown(words[i]);
    }
    if (!any) note_unknown(words[i]);
  } else if (document_ != nullptr) {
    read_apart(*std::exchange(document_, nullptr), words[0], behind(i));
  } else if (const auto text = input_.empty() ? std::nullopt : small_text(state_.folders.front() + input_);
             text) {
    read_apart(*text, words[0], behind(i));
  } else if (depth_ > 0) {
    note_unknown(words[0]);
  }
}

// In a shell of its own.
void ShellReading::read_apart(const std::string& text, const std::string& program, Words arguments) {
  const ShellState before = state_;
  const auto [document, input] = std::pair(std::exchange(document_, nullptr), std::exchange(input_, ""));
  const int conditional = std::exchange(conditional_, 0);
  state_.functions.clear();
  state_.pushed.clear();
  state_.program = state_.source = program;
  state_.arguments = std::move(arguments);
  (void)read_text(text);
  document_ = document;
  input_ = input;
  conditional_ = conditional;
  state_ = before;
}

void ShellReading::run_script(const std::string& path, const Words& words, bool is_quiet) {
  const auto text = small_text(path);
  if (!text) return;
  const bool before = std::exchange(is_quiet_, is_quiet_ || is_quiet);
  const bool has_slash = words[0].find('/') != std::string::npos;
  if (is_known_text(*text))
    read_apart(*text, has_slash ? words[0] : absolute_folder(path), Words(words.begin() + 1, words.end()));
  else
    note_unknown(words[0]);
  is_quiet_ = before;
}

void ShellReading::run_python(const Words& words, const std::string& program) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (!word.starts_with('-') || word == "-") {
      note_word(word, true);
      return;
    }
    if (word.starts_with("--")) continue;
    for (std::size_t k = 1; k < word.size(); ++k) {
      const std::string rest = word.substr(k + 1);
      if (word[k] == 'c') return;
      if (word[k] == 'm') {
        const std::string module = !rest.empty() ? rest : i + 1 < words.size() ? words[i + 1] : "";
        for (std::size_t n = i + 1; n < words.size(); ++n) note_word(words[n], true);
        run_module(module, program);
        return;
      }
      if (word[k] != 'W' && word[k] != 'X') continue;
      if (rest.empty()) ++i;
      break;
    }
  }
}

void ShellReading::run_module(const std::string& module, const std::string& program) {
  std::string file = module;
  std::ranges::replace(file, '.', '/');
  std::vector<std::string> folders = state_.folders;
  for (const std::string& value : ShellExpansion(state_, outputs_).texts("\"$PYTHONPATH\""))
    for (std::size_t at = 0; at < value.size();) {
      const std::size_t end = std::min(value.find(':', at), value.size());
      const std::string folder = value.substr(at, end - at);
      for (const std::string& own : state_.folders)
        if (!folder.empty()) folders.push_back((folder.starts_with('/') ? "" : own) + folder + "/");
      at = end + 1;
    }
  for (const std::string& folder :
       module_folders(program, ShellExpansion(state_, outputs_).texts("~").front()))
    folders.push_back(folder);
  for (const std::string& folder : folders) {
    const std::string path = folder + file;
    if (module.empty() || !is_known_text(path)) break;
    bool any = false;
    for (const std::string& each : {path + "/__init__.py", path + "/__main__.py", path + ".py"}) {
      if (!command::is_file(each)) continue;
      found_.files.push_back({false, module, each});
      any = true;
    }
    if (any) return;
  }
  note_unknown("python -m " + module);
}

// A shell or a script among the words of another program.
void ShellReading::run_inner(const Words& words) {
  const bool is_wrapper = is_wrapper_name(name_in_path(words[0]));
  for (std::size_t i = 1; i < words.size(); ++i) {
    const Words rest(words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
    const std::string& next = rest.size() > 1 ? rest[1] : "";
    const bool has_text =
        next.starts_with('-') && !next.starts_with("--") && next.find('c') != std::string::npos;
    const std::string path = words[i].starts_with('/') ? words[i] : state_.folders.front() + words[i];
    const bool is_shell = is_shell_name(name_in_path(words[i]));
    if (is_shell && (has_text || (!next.empty() && command::is_file(state_.folders.front() + next)))) {
      run_shell(rest);
      return;
    }
    if (is_wrapper &&
        (is_python_name(name_in_path(words[i])) || builds_and_runs(name_in_path(words[i]), rest)))
      run_kind(rest, "");
    if (words[i].find('/') == std::string::npos || access(path.c_str(), X_OK) != 0) continue;
    run_script(path, rest, !is_wrapper);
  }
}

StartedFiles started_files(const Launched& by, const std::string& program) {
  const bool is_split = std::ranges::any_of(by.words, [](const std::string& each) {
    return each.starts_with("-S") || each.starts_with("--split");
  });
  ShellReading reading(by);
  if (by.at < by.words.size())
    reading.run_kind({by.words.begin() + static_cast<std::ptrdiff_t>(by.at), by.words.end()}, program);
  else if (!by.words.empty() && is_launcher(by.words[0]) && is_split)
    reading.note_unknown(by.words[0]);
  return reading.take();
}

std::string text_of_unknown(const std::vector<std::string>& unknown) {
  constexpr std::size_t kShown = 3;
  if (unknown.empty()) return "";
  std::string out = "what ";
  for (std::size_t i = 0; i < unknown.size() && i < kShown; ++i)
    out += (i > 0 ? ", " : "") + ("`" + unknown[i] + "`");
  if (unknown.size() > kShown) out += " and others";
  out += unknown.size() > 1 ? " run is not known" : " runs is not known";
  return out + ", so the result is never reused" + std::string(kListFiles);
}

}  // namespace kernsweep
