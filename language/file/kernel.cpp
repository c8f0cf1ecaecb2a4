#include "language/file/kernel.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "language/file/metrics.hpp"
#include "language/file/source_sweep.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

// `command` and the like replace `kernel`; they are not written below it.
std::string hint_below(const Node& kernel) {
  for (const char* key : {"command", "commands", "python", "source"}) {
    if (kernel.is_mapping() && kernel.find(key) != nullptr)
      return fmt::format("; '{}' is a key of its own, in place of 'kernel'", key);
  }
  return kernel.is_mapping() ? "; parameters that never change are axes of one value" : "";
}

Result<ProgramText> program_of(std::string_view key, const Node& node) {
  if (key == "commands") return read_commands(node);
  return key == "command" ? read_command(node) : read_python(node);
}

Status read_what(const char* key, KernelKind kind, const Node& node, Document& document) {
  Sweep& sweep = document.sweep;
  sweep.kind = kind;
  sweep.kernel_place = node.source->has_lines ? node.place : Place{};
  if (kind == KernelKind::family) {
    if (!node.is_scalar() || node.is_null() || node.scalar.empty())
      return wrong(node, fmt::format("{} takes text, not {}{}", key, describe(node), hint_below(node)));
    sweep.kernel = node.scalar;
    return Done{};
  }
  if (kind == KernelKind::source) {
    sweep.kernel = sweep.program_column = key;  // read_source reads it when the operands are known
    return Done{};
  }
  KS_ASSIGN_OR_RETURN(auto program, program_of(key, node));
  sweep.kernel = kind == KernelKind::command ? "command" : key;
  sweep.program_column = program.several.empty() ? sweep.kernel : kCommandLineColumn;
  sweep.program = text_of(program);
  document.program = std::move(program);
  return Done{};
}

// `build` and {build} require each other.
Status check_build(const Node& root, const Document& document) {
  const Node* const build = root.find("build");
  const auto uses = [](const std::vector<std::string>& names) {
    return std::ranges::find(names, "build") != names.end();
  };
  bool is_used = document.sweep.kind == KernelKind::python ||  // the function gets its path
                 (document.program && uses(document.program->names()));
  for (const BesideCommand& beside : document.beside_command) {
    const bool is_build = beside.column == kBuildColumn;
    is_used = is_used || (!is_build && uses(beside.text.names()));
    const auto names = is_build ? beside.text.names() : std::vector<std::string>();
    if (is_build && std::ranges::find(names, "out") == names.end())
      return wrong(*build, "build has no {out}, the file that it is to write; add for example -o {out}");
    if (is_build && uses(names))
      return wrong(*build, "build cannot use {build}, which is the file that it makes; write {out}");
  }
  if (build == nullptr || is_used) return Done{};
  return wrong(*build, "nothing uses what is built; write {build} in `command`, where its file belongs");
}

Status read_beside_command(const Node& root, Document& document) {
  for (const char* key : {"setup", "cleanup", "build"}) {
    const Node* const given = root.find(key);
    if (given == nullptr) continue;
    const bool also_python = key == std::string_view("build");
    const KernelKind kind = document.sweep.kind;
    if (kind == KernelKind::source && also_python)
      return wrong(*given, "build: the file of `source` is built by `compile`; write its command there");
    if (kind != KernelKind::command && !(also_python && kind == KernelKind::python))
      return wrong(*given, fmt::format("{} belongs to {}; remove it", key,
                                       also_python ? "`command`, `commands` and `python`"
                                                   : "`command` and `commands`"));
    KS_ASSIGN_OR_RETURN(auto read, read_command(*given));
    document.beside_command.push_back({std::string("command.") + key, std::move(read)});
  }
  KS_RETURN_IF_ERROR(check_build(root, document));
  const Node* const metrics = root.find("metrics");
  if (metrics == nullptr) return Done{};
  if (document.sweep.kind != KernelKind::command)
    return wrong(*metrics, "metrics belongs to `command` and `commands`; remove it");
  KS_ASSIGN_OR_RETURN(auto read, read_metrics(*metrics));
  for (BesideCommand& column : read.columns) document.beside_command.push_back(std::move(column));
  document.times_itself = read.has_time;
  document.sweep.rows_by = read.rows_by;
  if (const auto missing = missing_rows_axis(root)) {
    return wrong(*metrics,
                 fmt::format("metrics: rows_by: there is no axis '{0}', whose values `kernsweep run` and "
                             "`check` would find by a run; give them here: -a '+{0}=[a, b]'",
                             *missing));
  }
  // Text that contains times differs in every run.
  if (read.reads_stdout && root.find("verify") == nullptr)
    document.sweep.rules.measure.verify.enabled = false;
  return Done{};
}

}  // namespace

Status read_kernel(const Node& root, Document& document) {
  constexpr std::pair<const char*, KernelKind> kKindKeys[] = {{"kernel", KernelKind::family},
                                                              {"command", KernelKind::command},
                                                              {"commands", KernelKind::command},
                                                              {"python", KernelKind::python},
                                                              {"source", KernelKind::source}};
  const Node* found = nullptr;
  for (const auto& [key, kind] : kKindKeys) {
    const Node* node = root.find(key);
    if (node == nullptr) continue;
    if (found != nullptr)
      return wrong(*node, "a sweep has one of kernel, command, commands, python and source, not two");
    found = node;
    KS_RETURN_IF_ERROR(read_what(key, kind, *node, document));
  }
  if (found == nullptr) return wrong(root, "the key 'kernel' is missing; add for example `kernel: gemm`");
  KS_RETURN_IF_ERROR(read_beside_command(root, document));
  if (const Node* all = root.find("operands")) {
    KS_ASSIGN_OR_RETURN(document.operands, read_operands(*all, document.sweep.kernel));
  }
  if (document.sweep.kind == KernelKind::source) KS_RETURN_IF_ERROR(read_source(root, document));
  for (const char* key : {"call", "compile", "launch"}) {
    const Node* const given = root.find(key);
    if (given != nullptr && document.sweep.kind != KernelKind::source)
      return wrong(*given, fmt::format("{} belongs to `source`, the file of a function; remove it", key));
  }
  if (const Node* list = root.find("depends")) {
    KS_ASSIGN_OR_RETURN(document.sweep.depends, read_depends(*list));
  }
  return Done{};
}

}  // namespace kernsweep
