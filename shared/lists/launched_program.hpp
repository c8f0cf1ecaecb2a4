// The program that a command starts by other ones: `env LD_LIBRARY_PATH=lib ./bench`, `nice ./bench`.
//
// Each of them may change where the program and its libraries are found: its variables, its folder. What is
// recorded of such a program is therefore its name together with these changes, and what is looked up for
// it later is looked up with them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kernsweep {

// Pure: nothing is looked up.
struct Launched {
  std::vector<std::string> words;  // those of the command; a text of `env -S` is split
  std::size_t at = 0;              // where its name is; 0: the first word starts no other program
  std::string folder;              // the one that it starts in, with '/' at the end; "": the present one
  std::vector<std::string> environment;  // "NAME=value"
  std::vector<std::string> changes;      // the same as words of `env`: "env", "-C", "bin", "NAME=value"
};

// Whether the program is one that starts what its words name: env, nice, the dynamic linker, ... Of a path
// only one of the system is.
bool is_launcher(const std::string& program);
// Whether it is the dynamic linker, which looks for a name without a slash in no folder of PATH.
bool is_linker(const std::string& program);

// `environment`: what the first program gets. Where the words cannot be read, `at` is words.size(), and
// the folder and the environment are those of the first program.
Launched launched_by(const std::vector<std::string>& words, std::vector<std::string> environment);

// Where a word of `words` is, from the present folder, if it is the name of a program.
std::string path_of_program(const Launched& launched, const std::string& name);
std::string path_of_word(const Launched& launched, const std::string& word);

// A word behind the launchers as SourceLine::name: the changes and the word, as "env LD_LIBRARY_PATH=lib
// ./bench". In words, \ is before each blank and each \.
std::string name_of_launched(const Launched& launched, const std::string& word);
// The same again, with `at` at the word.
Launched launched_of_name(std::string_view name, std::vector<std::string> environment);

}  // namespace kernsweep
