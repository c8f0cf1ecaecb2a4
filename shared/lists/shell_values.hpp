// The words of a shell with their values: variables, substitutions, patterns of files.
//
// A word may have several values, as a variable that only one branch of an `if` sets. What the text
// computes by other programs is not known: kUnknownText stands for it in a value.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared/lists/shell_syntax.hpp"

namespace kernsweep {

constexpr char kUnknownText = '\x01';
constexpr std::size_t kShellValuesMax = 64;  // of one word

inline bool is_known_text(std::string_view text) {
  return text.find(kUnknownText) == std::string_view::npos;
}

struct ShellVariable {
  std::vector<std::string> values;  // the possible ones; of an array all of its items
  bool is_array = false;
};

struct ShellState {
  std::vector<std::string> environment;  // "NAME=value", of variables that the text has not set
  std::map<std::string, ShellVariable> variables;
  std::map<std::string, std::shared_ptr<const ShellNode>> functions;
  std::vector<std::string> folders{""};  // the possible ones, with '/' at the end; "": the first one
  std::vector<std::vector<std::string>> pushed;
  std::vector<std::string> arguments;
  std::string program = "sh";  // $0
  std::string source;          // the file that is read
};

// From the first folder.
std::string absolute_folder(const std::string& folder);

class ShellExpansion {
 public:
  // The possible outputs of the commands in $(...).
  using Outputs = std::function<std::vector<std::string>(const std::string& text)>;
  using Fields = std::vector<std::string>;

  ShellExpansion(ShellState& state, const Outputs& outputs) : state_(state), outputs_(outputs) {}

  // Each result has the words that this one becomes. At least one result.
  std::vector<Fields> words(std::string_view word);
  // Likewise without splitting: an assigned value.
  std::vector<std::string> texts(std::string_view word);

 private:
  struct Part {
    Fields done;
    std::string text, pattern;  // of the current word; the pattern has \ before quoted characters
    bool is_there = false;
  };

  std::vector<Part> parts_of(std::string_view word, bool in_quotes);
  void walk(std::string_view word, bool in_quotes);
  std::size_t walk_dollar(std::string_view word, std::size_t at, bool in_quotes);
  void add(std::string_view text, bool in_quotes);
  void add_values(const std::vector<std::string>& values, bool in_quotes);
  void add_fields(const Fields& fields);
  void add_parameter(std::string_view inner, bool in_quotes);
  void add_with_operator(const std::optional<ShellVariable>& variable, std::string_view rest,
                         bool in_quotes);
  std::optional<ShellVariable> variable(std::string_view name) const;
  void add_words_of(const Part& part, Fields& to) const;

  ShellState& state_;
  const Outputs& outputs_;
  std::vector<Part> parts_{Part{}};
};

}  // namespace kernsweep
