#include "language/file/source_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "language/file/setting.hpp"
#include "shared/base/operand_text.hpp"
#include "shared/base/try.hpp"
#include "shared/text/source_call.hpp"
#include "shared/text/trimmed.hpp"

namespace kernsweep {
namespace {

enum class Of : std::uint8_t { c, cpp, opencl };

Result<Of> language_of(const Node& source) {
  constexpr std::array<std::string_view, 4> kCpp = {".cpp", ".cc", ".cxx", ".C"};
  const std::string_view file = source.scalar;
  if (file.ends_with(".c")) return Of::c;
  if (file.ends_with(".cl")) return Of::opencl;
  if (std::ranges::any_of(kCpp, [&](std::string_view end) { return file.ends_with(end); })) return Of::cpp;
  return wrong(
      source,
      fmt::format("source takes a file of C (.c), C++ (.cpp, .cc, .cxx, .C) or OpenCL (.cl), not {}; a "
                  "program of another language is measured by `command` and `build`",
                  describe(source)));
}

// The text of a key that has one line of text.
Result<std::string> text_at(const Node& root, const char* key, const char* example) {
  const Node* const node = root.find(key);
  if (node == nullptr)
    return wrong(root, fmt::format("the key '{}' is missing; add for example `{}: {}`", key, key, example));
  if (!node->is_scalar() || node->is_null() || trimmed(node->scalar).empty())
    return wrong(*node, fmt::format("{} takes text, as {}, not {}", key, example, describe(*node)));
  return std::string(trimmed(node->scalar));
}

// Words with places; those of a text are split as a shell does.
Result<std::vector<std::string>> words_of(const Node* node, Of language) {
  if (node == nullptr) return std::vector<std::string>{language == Of::c ? "cc" : "c++", "-O2"};
  if (node->is_scalar() && !node->is_null()) {
    auto words = split_command(node->scalar);
    if (!words) return wrong(*node, fmt::format("in {}: {}", describe(*node), words.error().message));
    if (!words->empty()) return words;
  }
  std::vector<std::string> words;
  for (const Node& item : node->items)
    if (item.is_scalar() && !item.is_null()) words.push_back(item.scalar);
  if (!words.empty() && words.size() == node->items.size()) return words;
  return wrong(*node, fmt::format("compile takes a compiler and its options, as gcc -O{{o}}, not {}",
                                  describe(*node)));
}

// The data type in an operand's description, which may be a place; "any" if a place has more than that.
std::string dtype_of(const OperandColumn& operand) {
  const std::string_view text = operand.node.scalar;
  const auto open = text.find('[');
  return open == std::string_view::npos ? "any" : std::string(trimmed(text.substr(0, open)));
}

// The call in C: arguments replaced by arrays and numbers, each numbered by its first use. Written numbers,
// too: a compiler could compute the whole call of constants.
std::string call_in_c(const SourceCall& call, const std::vector<OperandColumn>& operands) {
  std::vector<std::string> arrays, numbers;
  std::string out = call.function + "(";
  for (const std::string& argument : call.arguments) {
    if (&argument != &call.arguments.front()) out += ", ";
    const auto operand = std::ranges::find(operands, argument, &OperandColumn::name);
    const bool is_array = operand != operands.end();
    auto& known = is_array ? arrays : numbers;
    const auto found = std::ranges::find(known, argument);
    const auto number = static_cast<std::size_t>(found - known.begin());
    if (found == known.end()) known.push_back(argument);
    out += is_array ? fmt::format("KERNSWEEP_ARRAY({}, {})", number, dtype_of(*operand))
                    : fmt::format("KERNSWEEP_NUMBER({})", number);
  }
  return out + ")";
}

bool is_shell(std::string_view program) {
  constexpr std::array<std::string_view, 4> kShells = {"sh", "bash", "dash", "zsh"};
  program = program.substr(program.rfind('/') + 1);
  return std::ranges::find(kShells, program) != kShells.end();
}

// The words of the build: the file that calls the function stands before the options, so that libraries
// follow it.
Result<CommandTemplate> build_of(const Node& root, const std::string& file, Of language,
                                 const SourceCall& call, const std::vector<OperandColumn>& operands) {
  const Node* const compile = root.find("compile");
  KS_ASSIGN_OR_RETURN(auto words, words_of(compile, language));
  if (is_shell(words.front()))
    return wrong(*compile,
                 "compile names the compiler itself, without a shell, because options are added to it; "
                 "a script is for `build` and `command`");
  const auto is_option = [](const std::string& word) {
    return word.starts_with('-') || word.starts_with('{');
  };
  const auto options_at = std::find_if(words.begin() + 1, words.end(), is_option);
  // "g++ -O2 matmul.c" and "ccache clang++-14" read C as C++.
  const bool as_cpp = std::any_of(words.begin(), options_at, [](const std::string& word) {
    return word.find("++", word.rfind('/') + 1) != std::string::npos;
  });
  const std::string_view file_of_call = language == Of::c && !as_cpp ? kCallInC : kCallInCpp;
  // {{ and }} are braces.
  words.insert(options_at, fmt::format("{{{}}}", file_of_call));
  const bool has_output = std::ranges::any_of(operands, [](const OperandColumn& each) {
    const std::string_view text = trimmed(each.node.scalar);
    return text.ends_with(" output") || text.ends_with(" in_place") || text.ends_with("}");
  });
  words.insert(words.end(), {"-iquote", ".", "-DKERNSWEEP_SOURCE=\"" + file + "\"",
                             "-DKERNSWEEP_CALL=" + call_in_c(call, operands)});
  if (!has_output) words.emplace_back("-DKERNSWEEP_RETURNS");
  words.insert(words.end(), {"-shared", "-fPIC", "-o", "{out}"});
  auto made = CommandTemplate::of_words(words);
  if (made) return made;
  const Node* const given = compile != nullptr ? compile : root.find("call");
  return wrong(*given, fmt::format("in {}: {}", describe(*given), made.error().message));
}

// The texts of a scalar or of a list of scalars, with `between` between them.
Result<std::string> joined(const Node& node, const std::string& key, std::string_view between) {
  if (node.is_scalar() && !node.is_null()) return std::string(trimmed(node.scalar));
  std::string out;
  for (const Node& item : node.items) {
    if (!item.is_scalar() || item.is_null())
      return wrong(item, fmt::format("an entry of {} is a number or a text, not {}", key, describe(item)));
    out += (out.empty() ? "" : std::string(between)) + item.scalar;
  }
  if (!out.empty()) return out;
  return wrong(node, fmt::format("{} takes a text or a list, not {}", key, describe(node)));
}

// A column of one word, which a kernel reads as its parameter.
Status add_word(const char* column, const Node& node, const std::string& text, Document& document) {
  auto made = CommandTemplate::of_words({text});
  if (!made) return wrong(node, fmt::format("in {}: {}", describe(node), made.error().message));
  ProgramText read{node, std::move(*made), {}};
  read.is_one_word = true;
  document.beside_command.push_back({column, std::move(read)});
  return Done{};
}

// `compile` and `launch` of a file of OpenCL.
Status read_opencl(const Node& root, Document& document) {
  document.sweep.kernel = "opencl";
  if (const Node* const compile = root.find("compile")) {
    KS_ASSIGN_OR_RETURN(const std::string options, joined(*compile, "compile", " "));
    if (!options.starts_with('-'))
      return wrong(*compile,
                   fmt::format("compile takes the options for the device's compiler, as -DTILE={{tile}}, "
                               "not {}; OpenCL brings the compiler",
                               describe(*compile)));
    KS_RETURN_IF_ERROR(add_word("opencl.options", *compile, options, document));
  }
  const Node* const launch = root.find("launch");
  if (launch == nullptr)
    return wrong(
        root,
        "the key 'launch' is missing; add the numbers of work-items, for example `launch: {global: "
        "[4096, 4096], local: [16, 16]}`");
  if (!launch->is_mapping())
    return wrong(*launch, fmt::format("launch takes {{global: [4096, 4096], local: [16, 16]}}, not {}",
                                      describe(*launch)));
  if (launch->find("global") == nullptr)
    return wrong(*launch,
                 "launch has no key 'global', the numbers of work-items; add for example global: "
                 "[4096]");
  for (const auto& [name, value] : launch->entries) {
    if (is_ignored_key(name.scalar)) continue;
    if (name.scalar != "global" && name.scalar != "local")
      return wrong(name, fmt::format("launch has no key '{}'; its keys are global and local", name.scalar));
    KS_ASSIGN_OR_RETURN(const std::string text, joined(value, "launch." + name.scalar, ", "));
    const bool is_global = name.scalar == "global";
    KS_RETURN_IF_ERROR(add_word(is_global ? "opencl.global" : "opencl.local", value, text, document));
  }
  return Done{};
}

}  // namespace

Status read_source(const Node& root, Document& document) {
  KS_ASSIGN_OR_RETURN(const std::string file, text_at(root, "source", "matmul.c"));
  const Node& source = *root.find("source");
  KS_ASSIGN_OR_RETURN(const Of language, language_of(source));
  KS_ASSIGN_OR_RETURN(const std::string text, text_at(root, "call", "matmul(n, a, b, c)"));
  const Node& given = *root.find("call");
  const auto call = source_call_of(text);
  if (!call) return wrong(given, "call: " + call.error().message);
  auto column = CommandTemplate::of_words({file + ": " + text});
  if (!column) return wrong(given, fmt::format("in {}: {}", describe(given), column.error().message));
  document.sweep.program = file + ": " + text;
  ProgramText program{given, std::move(*column), {}};
  program.is_one_word = true;
  document.program = std::move(program);
  if (language == Of::opencl) return read_opencl(root, document);
  if (const Node* const launch = root.find("launch"))
    return wrong(*launch, "launch belongs to a file of OpenCL (.cl); remove it");
  KS_ASSIGN_OR_RETURN(auto build, build_of(root, file, language, *call, document.operands));
  const Node* const compile = root.find("compile");
  ProgramText built{compile != nullptr ? *compile : source, std::move(build), {}};
  document.beside_command.push_back({std::string(kBuildColumn), std::move(built)});
  return Done{};
}

}  // namespace kernsweep
