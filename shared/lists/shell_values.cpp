#include "shared/lists/shell_values.hpp"

#include <glob.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace kernsweep {
namespace {

using Words = std::vector<std::string>;

Words matches_of(const Words& patterns, const Words& folders) {
  Words out;
  for (const std::string& pattern : patterns) {
    for (const std::string& folder : folders) {
      glob_t found{};
      const std::string prefix = pattern.starts_with('/') ? "" : folder;
      if (glob((prefix + pattern).c_str(), 0, nullptr, &found) == 0)
        for (std::size_t i = 0; i < found.gl_pathc && out.size() <= ShellValues::kMost; ++i)
          out.push_back(std::string(found.gl_pathv[i]).substr(prefix.size()));
      globfree(&found);
    }
    if (out.empty()) out.push_back(pattern);
  }
  return out.size() > ShellValues::kMost ? Words{ShellValues::kUnknown} : out;
}

}  // namespace

ShellValues::ShellValues(const std::vector<std::string>& environment) {
  for (const std::string& line : environment) {
    const std::size_t equals = std::min(line.find('='), line.size());
    values_[line.substr(0, equals)] = {line.substr(std::min(equals + 1, line.size()))};
  }
}

void ShellValues::add(const std::string& name, const std::string& value) {
  Words& all = values_[name];
  if (assigned_.insert(name).second && name != "PATH") all.clear();
  if (std::ranges::find(all, value) == all.end()) all.push_back(value);
  if (all.size() > kMost) all = {kUnknown};
}

void ShellValues::forget(const std::string& name) {
  values_[name] = {kUnknown};
}

Words ShellValues::texts_of(const ShellTextWord& word, const Words& folders, const std::string& script) {
  Words out{""};
  for (std::size_t at = 0; at < word.text.size();) {
    const std::size_t begin = std::min(word.text.find(ShellTextWord::kExpands, at), word.text.size());
    for (std::string& each : out) each += word.text.substr(at, begin - at);
    if (begin == word.text.size()) break;
    const std::size_t end = std::min(word.text.find(ShellTextWord::kExpanded, begin), word.text.size());
    Words longer;
    for (const std::string& value :
         texts_of_expansion(word.text.substr(begin + 1, end - begin - 1), script))
      for (const std::string& each : out) {
        if (value == kUnknown || longer.size() == kMost) return {kUnknown};
        longer.push_back(each + value);
      }
    out = std::move(longer);
    at = end + 1;
  }
  return word.has_glob ? matches_of(out, folders) : out;
}

Words ShellValues::texts_of_expansion(const std::string& expression, const std::string& script) {
  if (expression == "PWD" || expression == "(pwd)") return {"."};
  const auto has = [&](const char* part) { return expression.find(part) != std::string::npos; };
  if (expression.starts_with('(') && has("dirname") && (has("$0") || has("BASH_SOURCE")) && !script.empty())
    return {script};
  const auto is_in_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  const auto end = std::ranges::find_if_not(expression, is_in_name);
  const std::string name(expression.begin(), end), rest(end, expression.end());
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return {kUnknown};
  Words out = values_[name];
  if (rest.starts_with(":-") || rest.starts_with(":=") || rest.starts_with('-') || rest.starts_with('=')) {
    const std::string other = rest.substr(rest.starts_with(':') ? 2 : 1);
    if (other.find_first_of("$`") != std::string::npos) return {kUnknown};
    out.push_back(other);
    if (rest.find('=') < 2) add(name, other);
    return out;
  }
  if (!rest.empty()) return {kUnknown};
  return out.empty() ? Words{""} : out;
}

}  // namespace kernsweep
