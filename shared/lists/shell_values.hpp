// The texts that words of a shell may become: all values that the text gives to a variable, in any order.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "shared/lists/shell_commands.hpp"

namespace kernsweep {

class ShellValues {
 public:
  static constexpr char kUnknown[] = "\1";  // a text that is not known
  static constexpr std::size_t kMost = 16;  // values of a word; with more it is not known

  explicit ShellValues(const std::vector<std::string>& environment);

  // A value that the text gives; the first one replaces that of the environment, except of PATH.
  void add(const std::string& name, const std::string& value);
  void forget(const std::string& name);  // `read NAME`
  // Empty: the variable is not set.
  const std::vector<std::string>& of(const std::string& name) { return values_[name]; }
  bool is_set_by_text(const std::string& name) const { return assigned_.contains(name); }

  // Globs are matched below `folders`. `script`: the folder of the script that is read; "": there is none.
  std::vector<std::string> texts_of(const ShellTextWord& word, const std::vector<std::string>& folders,
                                    const std::string& script);

 private:
  std::vector<std::string> texts_of_expansion(const std::string& expression, const std::string& script);

  std::map<std::string, std::vector<std::string>> values_;
  std::set<std::string> assigned_;
};

}  // namespace kernsweep
