// A sweep with `command:`, `python:` or `source:` uses the family of that name, and has an additional
// column of the same name with what is run at each point. The kernel reads this column. It is part of a
// job's key and stored with the results, so that each row shows how to run it by hand.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "language/file/command_template.hpp"
#include "language/file/yaml_tree.hpp"

namespace kernsweep {

// One entry of `commands`.
struct NamedCommand {
  Node name;
  Node node;  // its text or words
  CommandTemplate command;
  std::vector<std::uint32_t> columns;  // of command.names(); set when the columns are known
};

// The text of `command`, `python` or `source` as read from the file, before the columns are known.
struct ProgramText {
  Node node;                               // for places
  std::optional<CommandTemplate> command;  // of `command`; nothing: `commands` or `python`
  std::vector<NamedCommand> several;       // of `commands`; both empty: `python`, the same at every point
  bool is_one_word = false;                // of `source`: a text that is no command line

  // The columns that commands name, each once.
  std::vector<std::string> names() const;
  // Whether a command contains this piece of text outside of placeholders.
  bool has_literal(std::string_view piece) const;
};

// `command: TEXT`, or a list of words. Errors name the place.
Result<ProgramText> read_command(const Node& node);
// `commands: {NAME: TEXT, ...}`: the names are the values of the axis `command`. Errors name the place.
Result<ProgramText> read_commands(const Node& node);
inline constexpr std::size_t kCommandsMax = 1000;
// The column with the commands themselves, if the column `command` has their names.
inline constexpr std::string_view kCommandLineColumn = "command.line";
// `python: module:function`; both may be names joined by dots.
Result<ProgramText> read_python(const Node& node);
// In the syntax of the file: "./bench --threads={threads}", "bench:sort"; words of a list are quoted.
std::string text_of(const ProgramText& program);

// `operands`: what a function gets in addition to its parameters, each a computed column.
struct OperandColumn {
  std::string name;  // of the operand
  Node node;
  CommandTemplate text;  // one word
  std::uint32_t column = 0;
  std::vector<std::uint32_t> columns;  // of text.names()

  void fill(std::vector<Value>& values) const;
};

// `depends`: files that jobs read. Errors, with the place: not a list of paths, more than kDependsMax.
Result<std::vector<std::string>> read_depends(const Node& list);

inline constexpr std::size_t kOperandsMax = 8;

// `{x: "f32[{n}, 512] normal(0, 1)"}`. Error, with the place: another kernel than `python`, not a mapping,
// too many entries, a name that is not a valid Python parameter, a text without placeholders that does not
// describe an operand (shared/base/operand_text.hpp).
Result<std::vector<OperandColumn>> read_operands(const Node& all, std::string_view kernel);

// A part of a `command` sweep other than its command, such as `setup`: a column that only its pack reads.
struct BesideCommand {
  std::string column;  // "command.setup"
  ProgramText text;
};

// The text with placeholders resolved to columns.
struct ProgramColumn {
  ProgramText text;
  std::uint32_t column = 0;            // the column that it fills
  std::vector<std::uint32_t> columns;  // of text.names()
  std::uint32_t names_column = 0;      // the axis `command`, if there are several

  void fill(std::vector<Value>& values) const;
};

}  // namespace kernsweep
