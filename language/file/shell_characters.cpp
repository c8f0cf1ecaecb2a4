#include "language/file/shell_characters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "language/file/reference.hpp"
#include "language/program.hpp"
#include "shared/text/environment_column.hpp"

namespace kernsweep {
namespace {

bool is_name_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_name_part(char c) {
  return is_name_start(c) || (c >= '0' && c <= '9');
}

// A word, and how each of its characters was quoted: ' or " or \, or 0.
struct ShellWord {
  std::string text, quotes;

  void add(char c, char quote) {
    text += c;
    quotes += quote;
  }
};

// Splits as CommandTemplate does; requires a text that it has accepted.
std::vector<ShellWord> words_of(std::string_view text) {
  std::vector<ShellWord> out;
  bool in_word = false;
  char quote = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool blank = quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\r');
    if (blank) {
      in_word = false;
      continue;
    }
    if (!in_word) out.emplace_back();
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

std::vector<ShellWord> shell_words_of(const Node& command) {
  if (command.is_scalar()) return words_of(command.scalar);
  std::vector<ShellWord> out;
  for (const Node& item : command.items)
    out.push_back({item.scalar, std::string(item.scalar.size(), '\'')});
  return out;
}

// "$NAME", "${", "$(" or a backtick at `at`.
bool is_expansion(std::string_view text, std::size_t at) {
  if (text[at] == '`') return true;
  return text[at] == '$' && at + 1 < text.size() &&
         (is_name_start(text[at + 1]) || text[at + 1] == '{' || text[at + 1] == '(');
}

// Bash's $'a\tb' and $"text": in the word, an unquoted $ before quoted characters.
bool is_quoted_by_dollar(const ShellWord& word, std::size_t at) {
  return word.text[at] == '$' && word.quotes[at] == 0 && at + 1 < word.text.size() &&
         (word.quotes[at + 1] == '\'' || word.quotes[at + 1] == '"');
}

// Not an expansion: the $ is in quotes of another kind than its name, or follows a \.
bool is_expansion(const ShellWord& word, std::size_t at) {
  return is_expansion(word.text, at) && (word.text[at] == '`' || word.quotes[at] == word.quotes[at + 1]);
}

// "${x/a/b}", "${x^^}", "${x[0]}", "${!x}", "${x:1}": values that a plain sh does not have.
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

// "{{a,b}}" of "{{a,b}}.txt": bash makes two words. {{ is a literal brace.
bool is_choice_of_bash(std::string_view text, std::size_t at) {
  const std::size_t end = text.find("}}", at);
  if (!text.substr(at).starts_with("{{") || end == text.npos) return false;
  const std::string_view inside = text.substr(at + 2, end - at - 2);
  return inside.find(',') != text.npos &&
         std::ranges::all_of(inside, [](char c) { return is_name_part(c) || c == ',' || c == '.'; });
}

// Whether the words need bash, because a plain sh (Debian's is dash) reads them in another way.
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

// "$HOME/data" of "-i=$HOME/data"
std::string expansion_at(std::string_view text, std::size_t at) {
  if (text[at] == '`' || !is_name_start(text[at + 1])) return std::string(text.substr(at));
  std::size_t end = at + 1;
  while (end < text.size() && is_name_part(text[end])) ++end;
  return std::string(text.substr(at, end - at));
}

// The name of the variable that the word sets, if it is NAME=VALUE.
std::optional<std::string> assigned_by(const std::string& word) {
  const auto equals = word.find('=');
  if (equals == std::string::npos || equals == 0 || !is_name_start(word[0])) return std::nullopt;
  const auto name = std::string_view(word).substr(0, equals);
  return std::ranges::all_of(name, is_name_part) ? std::optional(std::string(name)) : std::nullopt;
}

// `sh -c`, anywhere in the words: that shell interprets what is in quotes.
bool starts_a_shell(const std::vector<ShellWord>& words) {
  constexpr std::string_view kShells[] = {"sh", "bash", "dash", "zsh", "ksh", "ash", "fish"};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string_view word = words[i].text, next = words[i + 1].text;
    const auto name = word.substr(word.find_last_of('/') + 1);
    if (std::ranges::find(kShells, name) != std::end(kShells) && next.starts_with('-') &&
        next.find('c') != std::string_view::npos)
      return true;
  }
  return false;
}

struct ShellUse {
  enum class Kind : std::uint8_t { operation, expansion, pattern } kind = Kind::operation;
  std::string shown;
};

// "data*", "data.*": a pattern that begins with the start of a file's name.
bool begins_names(std::string_view text) {
  if (text.size() < 3 || text.back() != '*') return false;
  text.remove_suffix(1);
  const auto may_be_named = [](char c) { return is_name_part(c) || c == '.' || c == '-' || c == '/'; };
  return std::ranges::all_of(text, may_be_named) && std::ranges::any_of(text, is_name_start);
}

// "src/*", "*.c", "data*": patterns of file names. Not 2*3, a.*b, --include=*.c, which are meant for
// programs.
bool is_pattern(std::string_view text) {
  if (text.starts_with('-') || text.find_first_of("=:") != text.npos) return false;
  if (begins_names(text)) return true;
  if (text.find(".*") != text.npos) return false;
  const auto star = text.find("*.");
  const bool has_ending = star != text.npos && star + 2 < text.size() && is_name_start(text[star + 2]);
  return has_ending || (text.find('*') != text.npos && text.find('/') != text.npos);
}

// "~", "~/data", "~root/data"
bool is_home(std::string_view text) {
  if (!text.starts_with('~')) return false;
  const std::string_view name = text.substr(1, text.find('/') - 1);
  return std::ranges::all_of(name, is_name_part) && (name.empty() || text.size() > name.size() + 1);
}

// A single & is part of many addresses.
bool is_operator(std::string_view text, std::size_t at) {
  const char c = text[at];
  return c == '|' || c == '<' || c == '>' || c == ';' ||
         (c == '&' && (at + 1 == text.size() || text[at + 1] == '&'));
}

std::optional<ShellUse> use_in(const ShellWord& word, bool for_a_shell) {
  using UseKind = ShellUse::Kind;
  if (is_home(word.text) && word.quotes[0] == 0) return ShellUse{UseKind::expansion, word.text};
  if (word.text == "#" && word.quotes[0] == 0) return ShellUse{UseKind::operation, word.text};
  for (std::size_t at = 0; at < word.text.size(); ++at) {
    const char quote = word.quotes[at];
    if (quote == 0 && is_operator(word.text, at)) return ShellUse{UseKind::operation, word.text};
    const bool open = quote == 0 || (quote == '"' && !for_a_shell);
    if (is_quoted_by_dollar(word, at)) return ShellUse{UseKind::expansion, word.text};
    if (quote == 0 && is_choice_of_bash(word.text, at)) {
      const std::size_t end = word.text.find("}}", at);
      return ShellUse{UseKind::operation, std::string(word.text).erase(end, 1).erase(at, 1)};
    }
    if (open && is_expansion(word, at)) return ShellUse{UseKind::expansion, expansion_at(word.text, at)};
    if (quote == 0 && word.text[at] == '*' && is_pattern(word.text))
      return ShellUse{UseKind::pattern, word.text};
  }
  return std::nullopt;
}

// Words of a list are taken literally, unless the whole word is one of a shell.
std::optional<ShellUse> use_in_listed(const std::string& word) {
  constexpr std::string_view kOperators[] = {"|",  "||", "&",    "&&", ";",   "<",  ">",
                                             ">>", "2>", "2>&1", "&>", "&>>", "|&", "<<<"};
  if (std::ranges::find(kOperators, word) != std::end(kOperators))
    return ShellUse{ShellUse::Kind::operation, word};
  if (word.starts_with("~/") || (word.starts_with('$') && is_expansion(word, 0)))
    return ShellUse{ShellUse::Kind::expansion, word};
  return std::nullopt;
}

// As a text in double quotes of YAML.
std::string in_quotes(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + '"';
}

// Whether the command was typed as an option, such as -c.
bool is_typed(const Node& command) {
  return command.source && !command.source->has_lines;
}

// -c "sh -c 'ls | wc -l'"
std::string typed_option(std::string_view key, const std::string& command) {
  const bool is_plain = command.find_first_of("$`\\\"!") == std::string::npos;
  return (key == "command" ? "-c" : "--" + std::string(key)) + " " +
         (is_plain ? '"' + command + '"' : quoted_word(command));
}

std::string note_of(const ShellUse& use, const std::string& text, bool whole, std::string_view key,
                    bool typed) {
  const std::string shell = is_for_bash(words_of(text)) ? "bash" : "sh";
  const std::string in_shell = shell + " -c " + quoted_word(text);
  const std::string way = "; for a shell write " +
                          (whole   ? in_shell
                           : typed ? typed_option(key, in_shell)
                                   : std::string(key) + ": [" + shell + ", -c, " + in_quotes(text) + "]");
  switch (use.kind) {
    case ShellUse::Kind::operation:
      return fmt::format("there is no shell: the program gets '{}' as a word{}", use.shown, way);
    case ShellUse::Kind::expansion:
      return fmt::format("there is no shell: the program gets '{}' as it is, not its value{}", use.shown,
                         way);
    case ShellUse::Kind::pattern:
      break;
  }
  return fmt::format("there is no shell: the program gets '{}' as it is, no names of files{}", use.shown,
                     way);
}

// "env.FOO: [1]": the axis that sets the variable that the word sets.
std::string axis_of(const std::string& name, const std::string& value) {
  if (value.find('{') != std::string::npos)
    return fmt::format("env.{}, with its values for '{}'", name, value);
  const bool plain = value.find_first_of("}[],:#&*!|>'\"%@` ") == std::string::npos;
  return fmt::format("env.{}: [{}]", name, plain ? value : in_quotes(value));
}

// Adds notes for the words that would set variables; returns how many there are. A build has no axes
// env.NAME.
std::size_t note_assignments(const Node& command, const std::vector<ShellWord>& words, std::string_view key,
                             std::vector<std::string>& notes) {
  std::string axes;
  std::size_t count = 0;
  for (; count < words.size(); ++count) {
    const auto name = assigned_by(words[count].text);
    if (!name) break;
    const std::string value = words[count].text.substr(name->size() + 1);
    axes += (axes.empty() ? "" : " and ") +
            (is_typed(command) ? "-a " + quoted_word("env." + *name + "=" + value) : axis_of(*name, value));
  }
  if (count > 0)
    notes.push_back(fmt::format("{}: there is no shell: '{}' would be the program and sets no variable; {}",
                                where(command), words.front().text,
                                key == "build" ? "write env before it"
                                               : fmt::format("write {}{} and leave it out here",
                                                             is_typed(command) ? "" : "the axis ", axes)));
  return count;
}

// A list of words as one would type it in a shell.
std::string typed(const Node& list) {
  std::string out;
  for (const Node& item : list.items)
    out += (out.empty() ? "" : " ") + (use_in_listed(item.scalar) ? item.scalar : quoted_word(item.scalar));
  return out;
}

// The commands of a sweep file, including those of references.
std::vector<const Node*> commands_of(const Node& root) {
  std::vector<const Node*> out;
  for (const char* key : {"build", "command", "setup", "cleanup"})
    if (const Node* command = root.find(key)) out.push_back(command);
  if (const Node* commands = root.find("commands"))
    for (const auto& [name, command] : commands->entries) out.push_back(&command);
  for (const Node* reference : references_of(root))
    if (const Node* command = reference->find("command")) out.push_back(command);
  return out;
}

// Adds the names in the places {name} of a word: to `named` all, to `open` those outside of quotes.
void add_names(const ShellWord& word, std::set<std::string, std::less<>>& named,
               std::set<std::string, std::less<>>& open) {
  for (std::size_t at = word.text.find('{'); at != std::string::npos; at = word.text.find('{', at + 1)) {
    const auto end = word.text.find('}', at);
    if (end == std::string::npos) return;
    const std::string name = word.text.substr(at + 1, end - at - 1);
    named.insert(name);
    if (word.quotes[at] == 0) open.insert(name);
  }
}

}  // namespace

std::string variable_hint(const std::string& text, const std::string& name) {
  const std::string variable = "${" + name + "}";
  if (text.find(variable) == std::string::npos) return "";
  const bool is_plain = std::ranges::all_of(name, is_name_part);
  return fmt::format(
      "; there is no shell, which would replace {}: write its value, or {} for a "
      "shell (command: [{}, -c, ...])",
      variable, is_plain ? "$" + name : "${{" + name + "}}",
      is_expansion_of_bash(variable) ? "bash" : "sh");
}

void note_command(const Node& command, bool whole, std::vector<std::string>& notes, std::string_view key) {
  const std::vector<ShellWord> words = shell_words_of(command);
  const bool for_a_shell = starts_a_shell(words);
  if (for_a_shell && !command.is_scalar()) return;
  for (std::size_t i = note_assignments(command, words, key, notes); i < words.size(); ++i) {
    const auto use = command.is_scalar() ? use_in(words[i], for_a_shell) : use_in_listed(words[i].text);
    if (!use) continue;
    const std::string text = command.is_scalar() ? command.scalar : typed(command);
    notes.push_back(where(command) + ": " + note_of(*use, text, whole, key, is_typed(command)));
    return;
  }
}

void note_shell_characters(const Node& root, std::vector<std::string>& notes) {
  for (const Node* command : commands_of(root)) {
    std::string_view key = "command";
    for (const char* other : {"build", "setup", "cleanup"})
      if (command == root.find(other)) key = other;
    note_command(*command, false, notes, key);
  }
}

ShellWords shell_words(const Node& root) {
  ShellWords out;
  std::set<std::string, std::less<>> without_a_shell;
  for (const Node* command : commands_of(root)) {
    const std::vector<ShellWord> words = shell_words_of(*command);
    const bool is_shell = starts_a_shell(words);
    for (const ShellWord& word : words) add_names(word, is_shell ? out.read : without_a_shell, out.open);
  }
  std::erase_if(out.read, [&](const std::string& name) { return without_a_shell.contains(name); });
  return out;
}

std::string value_note(const Node& value, const std::string& column, bool open) {
  const std::string& text = value.scalar;
  bool noted = open && use_in({text, std::string(text.size(), 0)}, false).has_value();
  for (std::size_t at = 0; at < text.size() && !noted; ++at) {
    const bool home = text.compare(at, 2, "~/") == 0 && (at == 0 || text[at - 1] == ':');
    noted = home || is_expansion(text, at);
  }
  if (!noted) return "";
  return fmt::format("{}: there is no shell: '{}' is passed as '{}', as it is; write the value in full",
                     where(value), column, text);
}

}  // namespace kernsweep
