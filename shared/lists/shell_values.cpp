#include "shared/lists/shell_values.hpp"

#include <fnmatch.h>
#include <glob.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

namespace kernsweep {
namespace {

const std::string kUnknownValue(1, kUnknownText);
constexpr std::size_t kShellTextMax = 256 << 10;  // bytes of one word

bool is_special(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("@*#?-$!").find(c) != std::string_view::npos;
}

// What ${name%pattern} and the like leave of a value.
std::string without_part(const std::string& value, const std::string& pattern, bool at_end, bool longest) {
  if (!is_known_text(pattern) || !is_known_text(value)) return kUnknownValue;
  for (std::size_t i = 0; i <= value.size(); ++i) {
    const std::size_t length = longest ? value.size() - i : i;
    const std::size_t from = at_end ? value.size() - length : 0;
    if (fnmatch(pattern.c_str(), value.substr(from, length).c_str(), 0) == 0)
      return at_end ? value.substr(0, from) : value.substr(length);
  }
  return value;
}

}  // namespace

std::string absolute_folder(const std::string& folder) {
  std::error_code error;
  std::string out = std::filesystem::absolute(folder.empty() ? "." : folder, error).lexically_normal();
  while (out.size() > 1 && out.ends_with('/')) out.pop_back();
  return out;
}

std::vector<ShellExpansion::Fields> ShellExpansion::words(std::string_view word) {
  std::vector<Fields> out;
  for (const Part& part : parts_of(word, false)) {
    Fields fields = part.done;
    if (part.is_there || !part.text.empty()) add_words_of(part, fields);
    if (std::ranges::find(out, fields) == out.end()) out.push_back(std::move(fields));
  }
  return out;
}

std::vector<std::string> ShellExpansion::texts(std::string_view word) {
  std::vector<std::string> out;
  for (const Part& part : parts_of(word, false)) {
    std::string text;
    for (const std::string& each : part.done) text += each + " ";
    text += part.text;
    if (std::ranges::find(out, text) == out.end()) out.push_back(std::move(text));
  }
  return out;
}

std::vector<ShellExpansion::Part> ShellExpansion::parts_of(std::string_view word, bool in_quotes) {
  std::vector<Part> outer(1);
  std::swap(outer, parts_);
  walk(word, in_quotes);
  std::swap(outer, parts_);
  return outer;
}

// The files that the word matches, else the word itself.
void ShellExpansion::add_words_of(const Part& part, Fields& to) const {
  bool has_pattern = false;
  for (std::size_t i = 0; i < part.pattern.size(); ++i) {
    if (part.pattern[i] == '\\') {
      ++i;
    } else if (part.pattern[i] == '*' || part.pattern[i] == '?' || part.pattern[i] == '[') {
      has_pattern = true;
    }
  }
  bool any = false;
  for (const std::string& folder : state_.folders) {
    if (!has_pattern || !is_known_text(folder) || !is_known_text(part.pattern)) break;
    const std::string before = part.pattern.starts_with('/') ? "" : folder;
    glob_t found{};
    if (glob((before + part.pattern).c_str(), 0, nullptr, &found) == 0) {
      for (std::size_t i = 0; i < found.gl_pathc; ++i) to.emplace_back(found.gl_pathv[i] + before.size());
      any = true;
    }
    globfree(&found);
  }
  const bool has_braces =
      part.pattern.find('{') != std::string::npos &&
      (part.pattern.find(',') != std::string::npos || part.pattern.find("..") != std::string::npos);
  if (!any) to.push_back(has_braces ? part.text + kUnknownValue : part.text);
}

void ShellExpansion::walk(std::string_view word, bool in_quotes) {
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    const char next = i + 1 < word.size() ? word[i + 1] : '\0';
    const bool is_quote = c == '"' || c == '`' || (c == '\'' && !in_quotes);
    const std::size_t end = is_quote ? end_of_quoted(word, i) : 0;
    if (is_quote && end == std::string_view::npos) {
      add(kUnknownValue, true);
      return;
    }
    const std::string_view inner = is_quote ? word.substr(i + 1, end - i - 2) : std::string_view();
    if (c == '\\' && next != '\0') {
      const bool is_kept = in_quotes && std::string_view("$`\"\\\n").find(next) == std::string_view::npos;
      if (next != '\n') add(word.substr(is_kept ? i : i + 1, is_kept ? 2 : 1), true);
      ++i;
    } else if (c == '\'' && !in_quotes) {
      add(inner, true);
      i = end - 1;
    } else if (c == '"') {
      add("", true);
      walk(inner, true);
      i = end - 1;
    } else if (c == '`') {
      std::string text;
      for (std::size_t k = 0; k < inner.size(); ++k) {
        if (inner[k] == '\\' && k + 1 < inner.size() &&
            (inner[k + 1] == '`' || inner[k + 1] == '\\' || inner[k + 1] == '$'))
          ++k;
        text += inner[k];
      }
      add_values(outputs_(text), in_quotes);
      i = end - 1;
    } else if (c == '$') {
      i = walk_dollar(word, i, in_quotes);
    } else if ((c == '<' || c == '>') && next == '(' && i == 0) {
      const std::size_t closed = end_of_quoted(word, 1);
      if (closed != std::string_view::npos) (void)outputs_(std::string(word.substr(2, closed - 3)));
      add("/dev/fd/63", true);
      return;
    } else if (c == '~' && i == 0 && !in_quotes && (next == '\0' || next == '/')) {
      const auto home = variable("HOME");
      add_values(home ? home->values : std::vector{kUnknownValue}, true);
    } else {
      add(word.substr(i, 1), in_quotes);
    }
  }
}

// Returns the place of the last character.
std::size_t ShellExpansion::walk_dollar(std::string_view word, std::size_t at, bool in_quotes) {
  const std::string_view rest = word.substr(at + 1);
  if (rest.starts_with("(") || rest.starts_with("{") || (rest.starts_with("'") && !in_quotes)) {
    const std::size_t end = end_of_quoted(word, at + 1);
    if (end == std::string_view::npos) {
      add(kUnknownValue, true);
      return word.size();
    }
    const std::string_view inner = word.substr(at + 2, end - at - 3);
    if (rest.starts_with("((")) {
      // Its substitutions run.
      ShellExpansion(state_, outputs_).texts(inner.substr(1, inner.size() - 2));
      add_values({kUnknownValue}, true);
    } else if (rest.starts_with("(")) {
      add_values(outputs_(std::string(inner)), in_quotes);
    } else if (rest.starts_with("{")) {
      add_parameter(inner, in_quotes);
    } else {
      add(inner.find('\\') == std::string_view::npos ? inner : kUnknownValue, true);
    }
    return end - 1;
  }
  const std::size_t length = !rest.empty() && is_special(rest[0]) ? 1 : length_of_name(rest);
  if (length == 0) {
    add("$", true);
    return at;
  }
  add_parameter(rest.substr(0, length), in_quotes);
  return at + length;
}

void ShellExpansion::add(std::string_view text, bool in_quotes) {
  for (Part& part : parts_) {
    part.is_there = true;
    if (part.text.size() + text.size() > kShellTextMax) {
      part.text = part.pattern = kUnknownValue;
      continue;
    }
    part.text += text;
    for (const char c : text) {
      if (in_quotes) part.pattern += '\\';
      part.pattern += c;
    }
  }
}

void ShellExpansion::add_values(const std::vector<std::string>& values, bool in_quotes) {
  std::vector<Part> all;
  const std::vector<Part> before = parts_;
  for (const std::string& value : values) {
    if (all.size() + before.size() > kShellValuesMax) {
      parts_ = all.empty() ? before : all;
      add(kUnknownValue, true);
      return;
    }
    parts_ = before;
    if (in_quotes) {
      add(value, true);
    } else {
      std::size_t at = 0;
      while (at < value.size()) {
        const std::size_t end = std::min(value.find_first_of(" \t\n", at), value.size());
        if (end > at) add(std::string_view(value).substr(at, end - at), false);
        at = std::min(value.find_first_not_of(" \t\n", end), value.size());
        if (end == value.size()) break;
        for (Part& part : parts_) {
          if (part.is_there || !part.text.empty()) add_words_of(part, part.done);
          part = {std::move(part.done), "", "", false};
        }
      }
    }
    std::ranges::move(parts_, std::back_inserter(all));
  }
  if (!values.empty()) parts_ = std::move(all);
}

void ShellExpansion::add_fields(const Fields& fields) {
  constexpr std::size_t kFieldsMax = 4096;
  if (fields.size() > kFieldsMax) {
    add(kUnknownValue, true);
    return;
  }
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0)
      for (Part& part : parts_) {
        part.done.push_back(part.text);
        part = {std::move(part.done), "", "", false};
      }
    add(fields[i], true);
  }
}

void ShellExpansion::add_parameter(std::string_view inner, bool in_quotes) {
  const bool is_length = inner.size() > 1 && inner[0] == '#';
  const std::size_t name_length = !inner.empty() && is_special(inner[0]) ? 1 : length_of_name(inner);
  if (is_length || name_length == 0 || (inner[0] == '!' && inner.size() > 1)) {
    add_values({kUnknownValue}, in_quotes);
    return;
  }
  const std::string_view name = inner.substr(0, name_length);
  std::string_view rest = inner.substr(name_length), index;
  if (rest.starts_with('[')) {
    const std::size_t end = std::min(rest.find(']'), rest.size() - 1);
    index = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
  }
  const auto found = variable(name);
  const bool is_all = name == "@" || name == "*" || index == "@" || index == "*";
  if (rest.empty() && is_all) {
    add_fields(!found ? Fields{} : found->values);
    // Without an item nothing is left of "$@".
    if (!found || found->values.empty())
      for (Part& part : parts_) part.is_there = part.is_there && !part.text.empty();
  } else {
    const std::string_view plain = rest.starts_with(':') ? rest.substr(1) : rest;
    if (plain.starts_with('=') && (!found || (rest[0] == ':' && found->values == Fields{""})))
      state_.variables[std::string(name)] = {ShellExpansion(state_, outputs_).texts(plain.substr(1)),
                                             false};
    add_with_operator(found, rest, in_quotes);
  }
}

void ShellExpansion::add_with_operator(const std::optional<ShellVariable>& variable, std::string_view rest,
                                       bool in_quotes) {
  const std::vector<std::string> values = variable ? variable->values : std::vector<std::string>{""};
  const bool has_colon =
      rest.size() > 1 && rest[0] == ':' && std::string_view("-=+?").find(rest[1]) != std::string_view::npos;
  if (has_colon) rest.remove_prefix(1);
  const char kind = rest.empty() ? '\0' : rest[0];
  const std::string_view word = rest.empty() ? rest : rest.substr(1);
  const auto is_unset = [&](const std::string& value) { return !variable || (has_colon && value.empty()); };
  if (kind == '\0' || kind == '?') {
    add_values(values, in_quotes);
  } else if (kind == '-' || kind == '=' || kind == '+') {
    std::vector<Part> all;
    const std::vector<Part> before = parts_;
    for (const std::string& value : values) {
      parts_ = before;
      if (is_unset(value) != (kind == '+'))
        walk(word, in_quotes);
      else if (kind != '+')
        add_values({value}, in_quotes);
      std::ranges::move(parts_, std::back_inserter(all));
    }
    parts_ = std::move(all);
    if (parts_.size() > kShellValuesMax) parts_.resize(kShellValuesMax);
  } else if (kind == '%' || kind == '#') {
    const bool is_longest = word.starts_with(kind);
    std::vector<std::string> left;
    for (const Part& pattern : parts_of(is_longest ? word.substr(1) : word, false))
      for (const std::string& value : values)
        left.push_back(without_part(value, pattern.pattern, kind == '%', is_longest));
    add_values(left, in_quotes);
  } else {
    add_values({kUnknownValue}, in_quotes);
  }
}

std::optional<ShellVariable> ShellExpansion::variable(std::string_view name) const {
  if (name == "0") return ShellVariable{{state_.program}};
  if (name == "@" || name == "*") return ShellVariable{state_.arguments, true};
  if (std::isdigit(static_cast<unsigned char>(name[0])) != 0) {
    const auto number = static_cast<std::size_t>(name[0] - '0');
    if (number > state_.arguments.size()) return std::nullopt;
    return ShellVariable{{state_.arguments[number - 1]}};
  }
  if (is_special(name[0])) return ShellVariable{{kUnknownValue}};
  if (const auto own = state_.variables.find(std::string(name)); own != state_.variables.end())
    return own->second;
  if (name == "PWD") {
    ShellVariable out;
    for (const std::string& folder : state_.folders)
      out.values.push_back(is_known_text(folder) ? absolute_folder(folder) : kUnknownValue);
    return out;
  }
  if (name == "BASH_SOURCE" && !state_.source.empty()) return ShellVariable{{state_.source}};
  constexpr std::string_view kComputed[] = {"RANDOM", "SECONDS", "LINENO",   "OLDPWD",   "UID",
                                            "EUID",   "PPID",    "HOSTNAME", "HOSTTYPE", "FUNCNAME",
                                            "OPTARG", "REPLY",   "OSTYPE",   "MACHTYPE", "PIPESTATUS"};
  if (std::ranges::find(kComputed, name) != std::end(kComputed)) return ShellVariable{{kUnknownValue}};
  for (const std::string& line : state_.environment)
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == '=')
      return ShellVariable{{line.substr(name.size() + 1)}};
  return std::nullopt;
}

}  // namespace kernsweep
