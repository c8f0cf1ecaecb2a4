#include "language/file/program.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "language/file/setting.hpp"
#include "shared/base/operand_text.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

// Letters, digits and _ in parts joined by dots; Python checks characters that are not ASCII.
bool is_dotted_python_name(std::string_view name) {
  bool at_start = true;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                        static_cast<unsigned char>(c) >= 0x80;
    if (c == '.') {
      if (at_start) return false;
      at_start = true;
    } else if (letter || (digit && !at_start)) {
      at_start = false;
    } else {
      return false;
    }
  }
  return !at_start;
}

Result<CommandTemplate> template_of(const Node& node) {
  if (node.is_scalar() && !node.is_null() && !node.scalar.empty()) {
    auto made = CommandTemplate::of_text(node.scalar);
    if (!made) return wrong(node, fmt::format("in {}: {}", describe(node), made.error().message));
    return made;
  }
  if (!node.is_sequence())
    return wrong(node, "command takes text or a list of words, not " + describe(node));
  std::vector<std::string> words;
  for (const Node& item : node.items) {
    if (!item.is_scalar() || item.is_null())
      return wrong(item, "a word of command is text, not " + describe(item));
    // Each word is read on its own first, so that an error has the place of the word.
    const auto alone = CommandTemplate::of_words({"program", item.scalar});
    if (!alone) return wrong(item, fmt::format("in {}: {}", describe(item), alone.error().message));
    words.push_back(item.scalar);
  }
  auto made = CommandTemplate::of_words(words);
  if (!made) return wrong(node, "command: " + made.error().message);
  return made;
}

Result<OperandColumn> read_operand(const Node& name, const Node& text) {
  if (!is_dotted_python_name(name.scalar) || name.scalar.find('.') != std::string::npos)
    return wrong(name,
                 fmt::format("operands: {} is not a valid name of a parameter in Python", describe(name)));
  if (!text.is_scalar() || text.is_null()) {
    return wrong(text, fmt::format("operands: '{}' takes text, such as f32[{{n}}, 512], not {}",
                                   name.scalar, describe(text)));
  }
  auto made = CommandTemplate::of_words({text.scalar});
  if (!made) return wrong(text, fmt::format("operands: in {}: {}", describe(text), made.error().message));
  if (made->names().empty()) {
    if (const auto read = operand_of_text(text.scalar); !read)
      return wrong(text, fmt::format("operands: {}", read.error().message));
  }
  return OperandColumn{name.scalar, text, std::move(*made), 0, {}};
}

}  // namespace

Result<ProgramText> read_command(const Node& node) {
  KS_ASSIGN_OR_RETURN(auto made, template_of(node));
  return ProgramText{node, std::move(made), {}};
}

Result<ProgramText> read_commands(const Node& node) {
  if (!node.is_mapping() || node.entries.empty()) {
    return wrong(node,
                 fmt::format("commands takes a mapping from names to commands, as {{fast: './a {{n}}', "
                             "slow: ./b}}, not {}",
                             node.is_mapping() ? "an empty one" : describe(node)));
  }
  ProgramText out{node, std::nullopt, {}};
  for (const auto& [name, command] : node.entries) {
    if (is_ignored_key(name.scalar)) continue;
    if (name.scalar.empty()) return wrong(name, "commands: a name is empty; give the command a name");
    KS_ASSIGN_OR_RETURN(auto made, template_of(command));
    out.several.push_back({name, command, std::move(made), {}});
  }
  if (out.several.empty() || out.several.size() > kCommandsMax) {
    return wrong(node, fmt::format("commands lists {} commands, 1 to {} are possible", out.several.size(),
                                   kCommandsMax));
  }
  return out;
}

std::vector<std::string> ProgramText::names() const {
  std::vector<std::string> out = command ? command->names() : std::vector<std::string>();
  for (const NamedCommand& each : several)
    for (const std::string& name : each.command.names())
      if (std::ranges::find(out, name) == out.end()) out.push_back(name);
  return out;
}

bool ProgramText::has_literal(std::string_view piece) const {
  return (command && command->has_literal(piece)) ||
         std::ranges::any_of(several,
                             [&](const NamedCommand& each) { return each.command.has_literal(piece); });
}

Result<ProgramText> read_python(const Node& node) {
  if (!node.is_scalar() || node.is_null())
    return wrong(node, "python takes text, module:function, not " + describe(node));
  const auto colon = node.scalar.find(':');
  const std::string_view text = node.scalar;
  if (colon == std::string::npos || !is_dotted_python_name(text.substr(0, colon)) ||
      !is_dotted_python_name(text.substr(colon + 1))) {
    return wrong(
        node, fmt::format("python takes module:function, such as bench:sort_list, not {}", describe(node)));
  }
  return ProgramText{node, std::nullopt, {}};
}

std::string text_of(const ProgramText& program) {
  std::string out;
  for (const NamedCommand& each : program.several)
    out += (out.empty() ? "" : " | ") + text_of(ProgramText{each.node, std::nullopt, {}});
  if (program.node.is_scalar()) return program.node.scalar;
  for (const Node& item : program.node.items) out += (out.empty() ? "" : " ") + quoted_word(item.scalar);
  return out;
}

Result<std::vector<std::string>> read_depends(const Node& list) {
  if (!list.is_sequence())
    return wrong(list, fmt::format("depends takes a list of files, not {}", describe(list)));
  if (list.items.size() > kDependsMax) {
    return wrong(list,
                 fmt::format("depends lists {} files, at most {} are possible; name an archive of them",
                             list.items.size(), kDependsMax));
  }
  std::vector<std::string> out;
  for (const Node& item : list.items) {
    if (!item.is_scalar() || item.is_null() || item.scalar.empty())
      return wrong(item, "an entry of depends is the path of a file, not " + describe(item));
    if (item.scalar.find_first_of(std::string_view("\0\n", 2)) != std::string::npos)
      return wrong(item, "a path in depends holds a NUL or a line feed; rename the file");
    out.push_back(item.scalar);
  }
  return out;
}

Result<std::vector<OperandColumn>> read_operands(const Node& all, std::string_view kernel) {
  if (kernel != "python" && kernel != "source")
    return wrong(all,
                 "operands belongs to `python` and `source`: a kernel of a pack says its operands itself, "
                 "and a command reads what it needs");
  if (!all.is_mapping()) {
    return wrong(all,
                 fmt::format("operands takes a mapping from names to texts, as {{x: 'f32[{{n}}]'}}, not "
                             "{}",
                             describe(all)));
  }
  std::vector<OperandColumn> out;
  for (const auto& [name, text] : all.entries) {
    if (is_ignored_key(name.scalar)) continue;
    KS_ASSIGN_OR_RETURN(auto operand, read_operand(name, text));
    out.push_back(std::move(operand));
  }
  if (out.size() <= kOperandsMax) return out;
  return wrong(all,
               fmt::format("operands names {} arrays, at most {} are possible", out.size(), kOperandsMax));
}

void OperandColumn::fill(std::vector<Value>& values) const {
  values[column] = Value(text.fill_first_word(columns, values, Floats::shortest));
}

void ProgramColumn::fill(std::vector<Value>& values) const {
  if (text.is_one_word) {
    values[column] = Value(text.command->fill_first_word(columns, values));
  } else if (text.command) {
    values[column] = Value(text.command->fill(columns, values));
  } else if (text.several.empty()) {
    values[column] = Value(text.node.scalar);
  } else {
    const std::string* const name = values[names_column].text();
    const auto found = std::ranges::find_if(text.several, [&](const NamedCommand& each) {
      return name != nullptr && each.name.scalar == *name;
    });
    values[column] =
        found == text.several.end() ? Value() : Value(found->command.fill(found->columns, values));
  }
}

}  // namespace kernsweep
