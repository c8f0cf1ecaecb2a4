// The words of a command as a shell would see them: with their quotes, and what it would replace in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kernsweep {

// A word, and how each of its characters was quoted: ' or " or \, or 0.
struct ShellWord {
  std::string text, quotes;
  bool after_break = false;  // the first of a line that is not the first one

  void add(char c, char quote) {
    text += c;
    quotes += quote;
  }
};

// Splits as CommandTemplate does; requires a text that it has accepted.
std::vector<ShellWord> split_as_shell(std::string_view text);

bool is_name_start(char c);
bool is_name_part(char c);

// "$NAME", "${", "$(" or a backtick at `at`.
bool is_expansion(std::string_view text, std::size_t at);
// The same, unless the $ is in quotes of another kind than its name, or follows a \.
bool is_expansion(const ShellWord& word, std::size_t at);
// Bash's $'a\tb' and $"text": in the word, an unquoted $ before quoted characters.
bool is_quoted_by_dollar(const ShellWord& word, std::size_t at);
// "${x/a/b}", "${x^^}", "${x[0]}", "${!x}", "${x:1}": values that a plain sh does not have.
bool is_expansion_of_bash(std::string_view text);
// "{{a,b}}" of "{{a,b}}.txt" and "{{1..3}}": bash makes several words. {{ is a literal brace.
bool is_choice_of_bash(std::string_view text, std::size_t at);
// Whether the words need bash, because a plain sh (Debian's is dash) reads them in another way.
bool is_for_bash(const std::vector<ShellWord>& words);

// "src/*", "*.c", "data*", "[ab].log", "data.tx?": patterns of file names. Not 2*3, a.*b, x[12], what?,
// --include=*.c, which are meant for programs.
bool is_pattern(std::string_view text);
// "~", "~/data", "~root/data"
bool is_home(std::string_view text);

}  // namespace kernsweep
