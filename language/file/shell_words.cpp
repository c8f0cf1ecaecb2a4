#include "language/file/shell_words.hpp"

#include <algorithm>
#include <utility>

namespace kernsweep {
namespace {

// "data*", "data.*": a pattern that begins with the start of a file's name.
bool begins_names(std::string_view text) {
  if (text.size() < 3 || text.back() != '*') return false;
  text.remove_suffix(1);
  const auto may_be_named = [](char c) { return is_name_part(c) || c == '.' || c == '-' || c == '/'; };
  return std::ranges::all_of(text, may_be_named) && std::ranges::any_of(text, is_name_start);
}

// "[ab].log", "data.tx?", "a.[ch]": a choice of characters in a name with an ending.
bool is_choice_of_names(std::string_view text) {
  const std::size_t dot = text.rfind('.'), opened = text.find('['), closed = text.find(']');
  if (dot == text.npos || dot + 1 == text.size()) return false;
  const auto in_ending = [](char c) { return is_name_part(c) || c == '?' || c == '[' || c == ']'; };
  const bool has_ending = (is_name_start(text[dot + 1]) || text[dot + 1] == '[') &&
                          std::ranges::all_of(text.substr(dot + 1), in_ending);
  const bool chooses = text.find('?') != text.npos || (closed != text.npos && closed > opened + 1);
  return has_ending && chooses && std::ranges::all_of(text, [&](char c) {
           return in_ending(c) || std::string_view(".-/!^{}").find(c) != std::string_view::npos;
         });
}

}  // namespace

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name_part(char c) {
  return is_name_start(c) || (c >= '0' && c <= '9');
}

std::vector<ShellWord> split_as_shell(std::string_view text) {
  std::vector<ShellWord> out;
  bool in_word = false, after_break = false;
  char quote = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool blank = quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r');
    if (blank) {
      in_word = false;
      after_break = after_break || (c == '\n' && !out.empty());
      continue;
    }
    if (quote != '\'' && text.substr(at, 2) == "\\\n") {  // the line continues
      ++at;
      continue;
    }
    if (!in_word) out.emplace_back().after_break = std::exchange(after_break, false);
    in_word = true;
    if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (quote != 0 && c == quote) {
      quote = 0;
    } else if (c == '\\' && quote != '\'' && at + 1 < text.size()) {
      out.back().add(text[++at], '\\');
    } else {
      out.back().add(c, quote);
    }
  }
  return out;
}

bool is_expansion(std::string_view text, std::size_t at) {
  if (text[at] == '`') return true;
  return text[at] == '$' && at + 1 < text.size() &&
         (is_name_start(text[at + 1]) || text[at + 1] == '{' || text[at + 1] == '(');
}

bool is_quoted_by_dollar(const ShellWord& word, std::size_t at) {
  return word.text[at] == '$' && word.quotes[at] == 0 && at + 1 < word.text.size() &&
         (word.quotes[at + 1] == '\'' || word.quotes[at + 1] == '"');
}

bool is_expansion(const ShellWord& word, std::size_t at) {
  return is_expansion(word.text, at) && (word.text[at] == '`' || word.quotes[at] == word.quotes[at + 1]);
}

bool is_expansion_of_bash(std::string_view text) {
  if (!text.starts_with("${")) return false;
  text.remove_prefix(text.starts_with("${{") ? 3 : 2);  // {{ is a literal brace
  std::size_t at = 0;
  while (at < text.size() && is_name_part(text[at])) ++at;
  if (at == text.size()) return false;
  if (at == 0) return text[at] == '!';
  const char next = at + 1 < text.size() ? text[at + 1] : 0;
  return std::string_view("/^,[@").find(text[at]) != text.npos ||
         (text[at] == ':' && (next == ' ' || (next >= '0' && next <= '9')));
}

bool is_choice_of_bash(std::string_view text, std::size_t at) {
  const std::size_t end = text.find("}}", at);
  if (!text.substr(at).starts_with("{{") || end == text.npos) return false;
  const std::string_view inside = text.substr(at + 2, end - at - 2);
  const auto range = inside.find("..");
  const bool is_range = range != text.npos && range > 0 && range + 2 < inside.size();
  return (is_range || inside.find(',') != text.npos) && std::ranges::all_of(inside, [](char c) {
           return is_name_part(c) || c == ',' || c == '.' || c == '-';
         });
}

bool is_for_bash(const std::vector<ShellWord>& words) {
  constexpr std::string_view kOfBash[] = {"<<<", "<(", ">(", "|&", "&>", ";&"};
  for (const ShellWord& word : words) {
    if (word.text == "[[" && word.quotes[0] == 0) return true;
    for (std::size_t at = 0; at < word.text.size(); ++at) {
      const std::string_view rest = std::string_view(word.text).substr(at);
      const bool open = word.quotes[at] == 0;
      if (is_quoted_by_dollar(word, at) || (open && is_choice_of_bash(word.text, at))) return true;
      if ((open || word.quotes[at] == '"') && is_expansion_of_bash(rest)) return true;
      if (open &&
          std::ranges::any_of(kOfBash, [&](std::string_view each) { return rest.starts_with(each); }))
        return true;
    }
  }
  return false;
}

bool is_pattern(std::string_view text) {
  if (text.starts_with('-') || text.find_first_of("=:") != text.npos) return false;
  if (begins_names(text) || is_choice_of_names(text)) return true;
  if (text.find(".*") != text.npos) return false;
  const auto star = text.find("*.");
  const bool has_ending = star != text.npos && star + 2 < text.size() && is_name_start(text[star + 2]);
  return has_ending || (text.find('*') != text.npos && text.find('/') != text.npos);
}

bool is_home(std::string_view text) {
  if (!text.starts_with('~')) return false;
  const std::string_view name = text.substr(1, text.find('/') - 1);
  return std::ranges::all_of(name, is_name_part) && (name.empty() || text.size() > name.size() + 1);
}

}  // namespace kernsweep
