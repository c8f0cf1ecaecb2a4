// The options of one command, each with the variable that it sets. Wraps CLI11, which only the sources of
// this folder include.
#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kernsweep {

// One option of the parser; valid as long as the parser. Each call adds a condition; a value that violates
// a condition is a usage error.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& required();
  Option& hidden();  // not listed in --help
  Option& range(std::int64_t low, std::int64_t high);
  Option& range(double low, double high);
  Option& one_of(std::initializer_list<const char*> words);
  // `complaint` returns what is wrong with a value; empty: it is valid.
  Option& check(std::function<std::string(const std::string&)> complaint);
  Option& count(int at_least, int at_most);  // allowed number of words of a list
  Option& excludes(const Option& other);

 private:
  CLI::Option* option_;
};

// Declares options. `names` as in CLI11: "-q,--quiet"; without dashes it is a positional argument. `into`
// keeps its value if the option is not given, and must live until the command has run. An empty word is a
// usage error for every option and argument: usually it is an unset variable of a shell.
class Options {
 public:
  explicit Options(CLI::App* app) : app_(app) {}

  Option option(const char* names, std::string& into, const char* what);
  Option option(const char* names, std::uint32_t& into, const char* what);
  Option option(const char* names, std::int32_t& into, const char* what);
  Option option(const char* names, std::uint64_t& into, const char* what);
  Option option(const char* names, double& into, const char* what);
  Option option(const char* names, std::optional<std::uint32_t>& into, const char* what);
  // `take` gets the word when the command line is read; if there are several, the last one.
  Option option(const char* names, const std::function<void(const std::string&)>& take, const char* what);
  // A list: an option is given once per word; a positional argument takes several words.
  Option option(const char* names, std::vector<std::string>& into, const char* what);
  Option flag(const char* names, bool& into, const char* what);
  // "--name{word}": sets `into` to `word`, or to the text after "=".
  Option flag(const char* names, std::string& into, const char* what);
  // Options of which exactly one must be given.
  Options exactly_one(const char* title);

 private:
  CLI::App* app_;
};

}  // namespace kernsweep
