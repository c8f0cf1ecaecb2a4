// The program that a command starts through launchers: `env LD_LIBRARY_PATH=lib ./bench`, `nice ./bench`.
//
// A launcher may change where the program and its libraries are found: its variables, its folder. So the
// results record the name of the program together with these changes, and later look-ups apply them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernsweep {

// The words are parsed only; no file is looked up.
struct Launched {
  std::vector<std::string> words;  // those of the command; the text of `env -S` is split
  std::size_t at = 0;              // index of the program's name; 0: the first word is not a launcher
  std::string folder;              // where the program starts, with '/' at the end; "": the current folder
  std::vector<std::string> environment;  // "NAME=value"
  std::vector<std::string> changes;      // the same as words of `env`: "env", "-C", "bin", "NAME=value"
};

// Whether the program is a launcher: env, nice, the dynamic linker, ... A path must be in a folder of the
// system.
bool is_launcher(const std::string& program);
// Whether it is the dynamic linker, which does not search PATH for a name without a slash.
bool is_linker(const std::string& program);

// `environment`: that of the first program. If the words cannot be parsed, `at` is words.size(), and the
// folder and the environment are those of the first program.
Launched launched_by(const std::vector<std::string>& words, std::vector<std::string> environment);

// The path of a word of `words`, from the current folder, if it is the name of a program.
std::string path_of_program(const Launched& launched, const std::string& name);
std::string path_of_word(const Launched& launched, const std::string& word);

// A word after the launchers as SourceLine::name: the changes and the word, as "env LD_LIBRARY_PATH=lib
// ./bench". In words, each blank and each \ is preceded by \.
std::string name_of_launched(const Launched& launched, const std::string& word);
// The reverse of name_of_launched(), with `at` at the word.
Launched launched_of_name(std::string_view name, std::vector<std::string> environment);

}  // namespace kernsweep
