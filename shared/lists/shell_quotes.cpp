#include "shared/lists/shell_quotes.hpp"

#include <algorithm>
#include <cctype>

namespace kernsweep {
namespace {

constexpr auto kNotFound = std::string_view::npos;
constexpr int kQuotesMax = 60;  // inside each other

// `at`: the opening bracket.
std::size_t end_of_brackets(std::string_view text, std::size_t at, int depth) {
  const char open = text[at], close = open == '(' ? ')' : '}';
  int opened = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    const bool is_comment =
        c == '#' && open == '(' && std::string_view(" \t\n;").find(text[at - 1]) != kNotFound;
    if (is_comment) {
      at = std::min(text.find('\n', at), text.size() - 1);
    } else if (c == '\\') {
      ++at;
    } else if (c == '\'' || c == '"' || c == '`') {
      at = end_of_quoted(text, at, depth + 1);
      if (at == kNotFound) return kNotFound;
      --at;
    } else if (c == open) {
      ++opened;
    } else if (c == close && --opened == 0) {
      return at + 1;
    }
  }
  return kNotFound;
}

}  // namespace

std::size_t end_of_quoted(std::string_view text, std::size_t at, int depth) {
  if (at >= text.size() || depth > kQuotesMax) return kNotFound;
  const char open = text[at];
  if (open == '(' || open == '{') return end_of_brackets(text, at, depth);
  const bool is_ansi = open == '\'' && at > 0 && text[at - 1] == '$';
  for (++at; at < text.size(); ++at) {
    if (text[at] == open) return at + 1;
    if (text[at] == '\\' && (open != '\'' || is_ansi)) {
      ++at;
    } else if (open == '"' && text[at] == '`') {
      at = end_of_quoted(text, at, depth + 1);
      if (at == kNotFound) return kNotFound;
      --at;
    } else if (open == '"' && text[at] == '$' && at + 1 < text.size() &&
               (text[at + 1] == '(' || text[at + 1] == '{')) {
      at = end_of_quoted(text, at + 1, depth + 1);
      if (at == kNotFound) return kNotFound;
      --at;
    }
  }
  return kNotFound;
}

std::size_t length_of_name(std::string_view text) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) return 0;
  return static_cast<std::size_t>(std::ranges::find_if_not(text, fits) - text.begin());
}

std::size_t assigned_at(std::string_view word) {
  const std::size_t length = length_of_name(word);
  if (length == 0) return kNotFound;
  const std::string_view rest = word.substr(length);
  return rest.starts_with("=") || rest.starts_with("+=") ? length : kNotFound;
}

}  // namespace kernsweep
