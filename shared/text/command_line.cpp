#include "shared/text/command_line.hpp"

namespace kernsweep {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// In double quotes, a \ quotes only these; before other characters it is kept.
bool keeps_in_double_quotes(char c) {
  return c == '$' || c == '`' || c == '"' || c == '\\' || c == '\n';
}

}  // namespace

std::optional<std::vector<std::string>> command_words(std::string_view line) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && is_blank(c)) {
      in_word = false;
      continue;
    }
    if (quote == 0 && line.substr(i, 2) == "\\\n") {  // the line continues
      ++i;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    const bool more = i + 1 < line.size();
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && (quote == 0 || (quote == '"' && more && keeps_in_double_quotes(line[i + 1])))) {
      if (!more) return std::nullopt;
      if (line[++i] != '\n') words.back() += line[i];
    } else {
      words.back() += c;
    }
  }
  if (quote != 0) return std::nullopt;
  return words;
}

std::string quoted_word(std::string_view word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string_view::npos) return std::string(word);
  std::string out = "'";
  for (const char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::string command_line_of(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + quoted_word(word);
  return out;
}

std::string with_place(std::string_view line, std::string_view place, std::string_view path) {
  std::vector<std::string> words = command_words(line).value_or(std::vector<std::string>());
  for (std::string& word : words) {
    for (auto at = word.find(place); at != std::string::npos; at = word.find(place, at + path.size()))
      word.replace(at, place.size(), path);
  }
  return command_line_of(words);
}

}  // namespace kernsweep
