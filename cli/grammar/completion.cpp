#include "cli/grammar/completion.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kernsweep {

namespace {

// In single quotes, which these shells read literally, on one line.
std::string shell_quoted(std::string_view text, std::string_view quote) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += quote;
    else
      out += c == '\n' ? ' ' : c;
  }
  return out + "'";
}

bool takes(const GrammarCommand& command, std::string_view argument) {
  return std::ranges::find(command.arguments, argument) != command.arguments.end();
}

// "db", "yaml": the extension of argument files; empty: any.
std::string files_of(const GrammarCommand& command) {
  if (takes(command, "database") || takes(command, "sides")) return "db";
  return takes(command, "file") ? "yaml" : "";
}

bool has_subcommands(const GrammarCommand& command, std::span<const GrammarCommand> grammar) {
  const auto below = [&](const GrammarCommand& other) {
    return other.name.starts_with(command.name + " ");
  };
  return std::ranges::any_of(grammar, below);
}

// The names of the commands below `parent` ("" or "keys"), with their summaries.
std::vector<std::pair<std::string, std::string>> below(std::string_view parent,
                                                       std::span<const GrammarCommand> grammar) {
  const std::string front = parent.empty() ? "" : std::string(parent) + " ";
  std::vector<std::pair<std::string, std::string>> names;
  for (const GrammarCommand& each : grammar)
    if (!each.name.empty() && each.name.starts_with(front) &&
        each.name.find(' ', front.size()) == std::string::npos)
      names.emplace_back(each.name.substr(front.size()), each.what);
  return names;
}

std::string joined_names(const std::vector<std::pair<std::string, std::string>>& names) {
  std::string text;
  for (const auto& [name, what] : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

std::string all_options(const GrammarCommand& command) {
  std::string text;
  for (const GrammarOption& option : command.options)
    for (const std::string& name : option.names) text += (text.empty() ? "" : " ") + name;
  return text;
}

// ---- bash

constexpr const char* kBashHead =
    R"script(# Completion of kernsweep for bash: source <(kernsweep completion bash)
_kernsweep_files() {
  compopt -o filenames 2>/dev/null
  case $1 in
    db) mapfile -t COMPREPLY < <(compgen -f -X '!*.db' -- "$2"; compgen -d -- "$2") ;;
    yaml)
      mapfile -t COMPREPLY < <(compgen -f -X '!*.@(yaml|yml|json)' -- "$2"; compgen -d -- "$2") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$2") ;;
  esac
}
_kernsweep() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} name= i
  local commands= options= valued= files= words=
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case ${COMP_WORDS[i]} in
      --log) ((++i)) ;;
      -*) ;;
      *)
        name=${COMP_WORDS[i]}
        [[ $name == keys && i+1 -lt COMP_CWORD ]] && name+=" ${COMP_WORDS[i+1]}"
        break ;;
    esac
  done
  case $name in
)script";

constexpr const char* kBashTail = R"script(    *) return ;;
  esac
  if [[ $before == = ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi
  if [[ $word == = ]]; then before=${COMP_WORDS[COMP_CWORD-1]} word=; fi
  if [[ " $valued " == *" $before "* ]]; then
    case "$name $before" in
)script";

constexpr const char* kBashEnd =
    R"script(      *) _kernsweep_files any "$word"; return ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  elif [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  elif [[ $commands ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$commands" -- "$word")
  else
    _kernsweep_files "${files:-any}" "$word"
  fi
}
shopt -s extglob
complete -F _kernsweep kernsweep
)script";

std::string for_bash(std::span<const GrammarCommand> grammar) {
  std::string script = kBashHead, values;
  for (const GrammarCommand& command : grammar) {
    std::string valued;
    for (const GrammarOption& option : command.options) {
      for (const std::string& name : option.names) {
        if (!option.takes_word) continue;
        valued += (valued.empty() ? "" : " ") + name;
        if (option.words.empty()) continue;
        values += fmt::format("      {}) words={} ;;\n", shell_quoted(command.name + " " + name, ""),
                              shell_quoted(fmt::format("{}", fmt::join(option.words, " ")), ""));
      }
    }
    std::string commands;
    if (command.name.empty() || has_subcommands(command, grammar))
      commands = joined_names(below(command.name, grammar));
    else
      commands = fmt::format("{}", fmt::join(command.words, " "));
    script += fmt::format("    {}) options={} valued={} commands={} files={} ;;\n",
                          shell_quoted(command.name, ""), shell_quoted(all_options(command), ""),
                          shell_quoted(valued, ""), shell_quoted(commands, ""),
                          shell_quoted(files_of(command), ""));
  }
  return script + kBashTail + values + kBashEnd;
}

// ---- zsh

std::string zsh_argument(const GrammarCommand& command) {
  if (!command.words.empty()) return fmt::format("({})", fmt::join(command.words, " "));
  const std::string files = files_of(command);
  if (files == "db") return "_files -g '*.db(-.)'";
  return files == "yaml" ? "_files -g '*.(yaml|yml|json)(-.)'" : "_files";
}

// One `_arguments` specification of an option: '--better[What it does]:word:(larger smaller)'.
std::string zsh_option(const GrammarOption& option, const std::string& name) {
  std::string what;
  for (const char c : option.what) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') what += '\\';
    what += c;
  }
  std::string text =
      "*" + name + (option.takes_word && name.starts_with("--") ? "=" : "") + "[" + what + "]";
  if (option.takes_word)
    text += option.words.empty() ? ":word:_files" : fmt::format(":word:({})", fmt::join(option.words, " "));
  return shell_quoted(text, "'\\''");
}

std::string zsh_commands(std::string_view parent, std::span<const GrammarCommand> grammar) {
  std::string text;
  for (const auto& [name, what] : below(parent, grammar))
    text += " " + shell_quoted(name + ":" + what, "'\\''");
  return text;
}

std::string for_zsh(std::span<const GrammarCommand> grammar) {
  std::string script =
      "#compdef kernsweep\n# Completion of kernsweep for zsh: source <(kernsweep completion zsh), or as a "
      "file "
      "_kernsweep in $fpath\n_kernsweep() {\n  local name= i\n  local -a commands\n"
      "  for ((i = 2; i < CURRENT; ++i)); do\n    case ${words[i]} in\n      --log) ((++i)) ;;\n      -*) "
      ";;\n"
      "      *)\n        name=${words[i]}\n"
      "        [[ $name == keys && i+1 -lt CURRENT ]] && name+=\" ${words[i+1]}\"\n        break ;;\n"
      "    esac\n  done\n  case $name in\n";
  for (const GrammarCommand& command : grammar) {
    script += fmt::format("    {})\n", shell_quoted(command.name, ""));
    const bool more = command.name.empty() || has_subcommands(command, grammar);
    if (more) {
      script += fmt::format("      commands=({})\n", zsh_commands(command.name, grammar));
      script += "      [[ ${words[CURRENT]} != -* ]] && { _describe command commands; return }\n";
    }
    script += "      _arguments";
    for (const GrammarOption& option : command.options)
      for (const std::string& name : option.names) script += " \\\n        " + zsh_option(option, name);
    script +=
        fmt::format(" \\\n        {} ;;\n", shell_quoted("*:argument:" + zsh_argument(command), "'\\''"));
  }
  return script + "  esac\n}\ncompdef _kernsweep kernsweep\n";
}

// ---- fish

std::string for_fish(std::span<const GrammarCommand> grammar) {
  std::string script = "# Completion of kernsweep for fish: kernsweep completion fish | source\n";
  for (const GrammarCommand& command : grammar) {
    const auto blank = command.name.find(' ');
    const std::string first = command.name.substr(0, blank);
    std::string when =
        command.name.empty() ? "__fish_use_subcommand" : "__fish_seen_subcommand_from " + first;
    if (blank != std::string::npos)
      when += "; and __fish_seen_subcommand_from " + command.name.substr(blank + 1);
    const std::string front = "complete -c kernsweep -n " + shell_quoted(when, "\\'");
    const bool more = command.name.empty() || has_subcommands(command, grammar);
    if (more)
      for (const auto& [name, what] : below(command.name, grammar))
        script += fmt::format("{} -f -a {} -d {}\n", front, name, shell_quoted(what, "\\'"));
    for (const GrammarOption& option : command.options) {
      std::string line = front;
      for (const std::string& name : option.names)
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (option.takes_word) line += " -r";
      if (!option.words.empty())
        line += " -f -a " + shell_quoted(fmt::format("{}", fmt::join(option.words, " ")), "\\'");
      script += line + " -d " + shell_quoted(option.what, "\\'") + "\n";
    }
    for (const std::string& word : command.words) script += fmt::format("{} -f -a {}\n", front, word);
    const std::string files = files_of(command);
    if (!files.empty())
      script += fmt::format("{} -f -a '({})'\n", front,
                            files == "db" ? "__fish_complete_suffix .db"
                                          : "__fish_complete_suffix .yaml; __fish_complete_suffix .json");
  }
  return script;
}

}  // namespace

std::optional<Shell> shell_named(std::string_view name) {
  if (name == "bash") return Shell::bash;
  if (name == "zsh") return Shell::zsh;
  return name == "fish" ? std::optional(Shell::fish) : std::nullopt;
}

std::string completion_script(Shell shell, std::span<const GrammarCommand> grammar) {
  return shell == Shell::bash  ? for_bash(grammar)
         : shell == Shell::zsh ? for_zsh(grammar)
                               : for_fish(grammar);
}

}  // namespace kernsweep
