// The options of one command, each with the variable that it fills. A door to CLI11, which only the sources
// of this folder see.
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

// One option; lives as long as the command line. Each call adds a condition; what breaks it is bad usage.
class Option {
 public:
  explicit Option(CLI::Option* option) : option_(option) {}

  Option& required();
  Option& hidden();  // from --help
  Option& range(std::int64_t low, std::int64_t high);
  Option& range(double low, double high);
  Option& one_of(std::initializer_list<const char*> words);
  Option& not_empty();  // an unset variable of a shell
  // `complaint` of what was typed; empty: it is good.
  Option& check(std::function<std::string(const std::string&)> complaint);
  Option& count(int at_least, int at_most);  // of the words of a list
  Option& separated_by(char separator);      // a list in one word
  Option& excludes(const Option& other);

 private:
  CLI::Option* option_;
};

// `names` as CLI11 writes them: "-q,--quiet"; without dashes it is a positional argument. `into` keeps its
// value when nothing is given, and must live until the command has run.
class Options {
 public:
  explicit Options(CLI::App* app) : app_(app) {}

  Option option(const char* names, std::string& into, const char* what);
  Option option(const char* names, std::uint32_t& into, const char* what);
  Option option(const char* names, std::int32_t& into, const char* what);
  Option option(const char* names, std::uint64_t& into, const char* what);
  Option option(const char* names, double& into, const char* what);
  Option option(const char* names, std::optional<std::uint32_t>& into, const char* what);
  // A list: the option is given once for each word; a positional argument takes several.
  Option option(const char* names, std::vector<std::string>& into, const char* what);
  Option flag(const char* names, bool& into, const char* what);
  // "--name{word}": `into` becomes `word`, or what is typed after "=".
  Option flag(const char* names, std::string& into, const char* what);
  // Options of which exactly one must be given.
  Options exactly_one(const char* title);

 private:
  CLI::App* app_;
};

}  // namespace kernsweep
