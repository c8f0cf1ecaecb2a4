#include "language/file/shell_characters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "language/file/program.hpp"
#include "language/file/reference.hpp"
#include "language/file/shell_words.hpp"
#include "shared/text/environment_column.hpp"

namespace kernsweep {
namespace {

std::vector<ShellWord> shell_words_of(const Node& command) {
  if (command.is_scalar()) return split_as_shell(command.scalar);
  std::vector<ShellWord> out;
  for (const Node& item : command.items)
    out.push_back({item.scalar, std::string(item.scalar.size(), '\'')});
  return out;
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
  enum class Kind : std::uint8_t { operation, expansion, pattern, line } kind = Kind::operation;
  std::string shown;
};

// A single & is part of many addresses.
bool is_operator(std::string_view text, std::size_t at) {
  const char c = text[at];
  return c == '|' || c == '<' || c == '>' || c == ';' ||
         (c == '&' && (at + 1 == text.size() || text[at + 1] == '&'));
}

std::optional<ShellUse> use_in(const ShellWord& word, bool for_a_shell) {
  using UseKind = ShellUse::Kind;
  if (word.after_break) return ShellUse{UseKind::line, word.text};
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
    if (quote == 0 && std::string_view("*?[").find(word.text[at]) != std::string_view::npos &&
        is_pattern(word.text))
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
    out += c == '\n' ? std::string("\\n") : std::string(1, c);
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
  const std::string shell = is_for_bash(split_as_shell(text)) ? "bash" : "sh";
  const std::string in_shell = shell + " -c " + quoted_word(text);
  std::string way = "; for a shell write ";
  if (typed && !whole)
    way += typed_option(key, in_shell);
  else if (whole)
    way += in_shell.find('\n') == std::string::npos ? in_shell : in_quotes(in_shell);
  else
    way += fmt::format("{}: [{}, -c, {}]", key, shell, in_quotes(text));
  switch (use.kind) {
    case ShellUse::Kind::line:
      return fmt::format("there is no shell: all lines are one command, which gets '{}' as a word{}",
                         use.shown, way);
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
  return fmt::format("env.{}: [{}]", name, value.empty() ? "''" : plain ? value : in_quotes(value));
}

// The value of NAME=VALUE, with its quotes. Words of a list are seen as a shell would see them without any.
ShellWord value_assigned_by(const ShellWord& word, const Node& command) {
  const std::size_t start = word.text.find('=') + 1;
  const std::string value = word.text.substr(start);
  return {value, command.is_scalar() ? word.quotes.substr(start) : std::string(value.size(), 0)};
}

// How many words at the start would set variables.
std::size_t count_assignments(const std::vector<ShellWord>& words) {
  const auto other = std::ranges::find_if(words, [](const auto& word) { return !assigned_by(word.text); });
  return static_cast<std::size_t>(other - words.begin());
}

// The note about the first `count` words. A build has no axes env.NAME.
std::string note_of_assignments(const std::vector<ShellWord>& words, std::size_t count,
                                std::string_view key, bool typed) {
  std::string axes;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = *assigned_by(words[i].text), value = words[i].text.substr(name.size() + 1);
    axes += (axes.empty() ? "" : " and ") +
            (typed ? "-a " + quoted_word("env." + name + "=" + value) : axis_of(name, value));
  }
  return fmt::format(
      "there is no shell: '{}' would be the program and sets no variable; {}", words.front().text,
      key == "build" ? "write env before it"
                     : fmt::format("write {}{} and leave it out here", typed ? "" : "the axis ", axes));
}

// A list of words as one would type it in a shell: with quotes, but for what a shell should read.
std::string typed(const Node& list) {
  const auto is_for_shell = [](const std::string& word) {
    if (use_in_listed(word)) return true;
    const auto use = use_in({word, std::string(word.size(), 0)}, false);
    return use && word.find_first_of(" \t\n'\"\\|&;<>()`") == std::string::npos;
  };
  std::string out;
  for (const Node& item : list.items)
    out += (out.empty() ? "" : " ") + (is_for_shell(item.scalar) ? item.scalar : quoted_word(item.scalar));
  return out;
}

// The `;` that find gets as a word of its own, as it needs it: after -exec, before nothing or an option.
bool ends_exec(const std::vector<ShellWord>& words, std::size_t at) {
  const auto before = words.begin() + static_cast<std::ptrdiff_t>(at);
  return words[at].text == ";" && (at + 1 == words.size() || words[at + 1].text.starts_with('-')) &&
         std::any_of(words.begin(), before, [](const ShellWord& word) {
           return word.text == "-exec" || word.text == "-execdir" || word.text == "-ok" ||
                  word.text == "-okdir";
         });
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
  const auto note = [&](const ShellUse& use) {
    std::string text = command.is_scalar() ? command.scalar : typed(command);
    while (text.ends_with('\n')) text.pop_back();
    notes.push_back(where(command) + ": " + note_of(use, text, whole, key, is_typed(command)));
  };
  const std::size_t assigning = count_assignments(words);
  for (std::size_t i = 0; i < assigning; ++i)
    if (const auto use = use_in(value_assigned_by(words[i], command), for_a_shell))
      if (use->kind == ShellUse::Kind::expansion) return note(*use);
  if (assigning > 0)
    notes.push_back(where(command) + ": " + note_of_assignments(words, assigning, key, is_typed(command)));
  for (std::size_t i = assigning; i < words.size(); ++i) {
    if (ends_exec(words, i)) continue;
    const auto use = command.is_scalar() ? use_in(words[i], for_a_shell) : use_in_listed(words[i].text);
    if (use) return note(*use);
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
  const auto use = open ? use_in({text, std::string(text.size(), 0)}, false) : std::nullopt;
  bool is_value = use && use->kind == ShellUse::Kind::expansion;
  for (std::size_t at = 0; at < text.size() && !use; ++at) {
    const bool home = text.compare(at, 2, "~/") == 0 && (at == 0 || text[at - 1] == ':');
    is_value = is_value || home || is_expansion(text, at);
  }
  if (!use && !is_value) return "";
  const std::string way = fmt::format("for a shell write {{{}}} in the text of sh -c '...'", column);
  return fmt::format("{}: there is no shell: '{}' is passed as '{}', as it is; {}", where(value), column,
                     text, is_value ? "write the value in full" : way);
}

}  // namespace kernsweep
