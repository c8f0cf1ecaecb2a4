// The columns with what a `command`, `python` or `source` sweep runs.
#include <fmt/format.h>

#include <algorithm>

#include "language/file/shell_characters.hpp"
#include "language/plan/builder.hpp"
#include "shared/base/operand_text.hpp"
#include "shared/base/try.hpp"
#include "shared/lists/printed_values.hpp"
#include "shared/text/command_line.hpp"
#include "shared/text/environment_column.hpp"
#include "shared/text/source_call.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {
namespace {

Place place_in(const Node& node) {
  return node.source && node.source->has_lines ? node.place : Place{};
}

}  // namespace

bool PlanBuilder::has_build() const {
  return std::ranges::find(document_.beside_command, kBuildColumn, &BesideCommand::column) !=
         document_.beside_command.end();
}

// The columns named by placeholders in the text of `node`.
Result<std::vector<std::uint32_t>> PlanBuilder::placeholders_of(const Node& node,
                                                                const std::vector<std::string>& names,
                                                                std::string_view place) const {
  std::vector<std::uint32_t> out;
  for (const auto& name : names) {
    const auto column = column_named(name);
    if (name == place) {
      if (column)
        return wrong(node, fmt::format("{{{0}}} is the file that `build` makes; call the column '{0}' "
                                       "something else",
                                       name));
      out.push_back(CommandTemplate::kStays);
      continue;
    }
    if (!column) {
      const std::string hint =
          name == "build" && !has_build()
              ? "{build} is the file of the key `build`, which is missing; add for example build: 'cc "
                "kernel.c -o {out}'"
              : hint_for(name);
      return wrong(
          node,
          fmt::format("in {}: {}", describe(node),
                      hint.empty() ? fmt::format("no column is called '{}'{} ({{{{ stands for a brace){}",
                                                 name, did_you_mean(name, column_names(false)),
                                                 variable_hint(text_of(node), name))
                                   : hint));
    }
    out.push_back(*column);
  }
  return out;
}

Result<std::vector<std::uint32_t>> PlanBuilder::placeholders_of(const Node& node, const ProgramText& text,
                                                                std::string_view place) const {
  const std::string braces = fmt::format("{{{}}}", place);
  if (!place.empty() && text.has_literal(braces)) {
    return wrong(node, fmt::format("in {}: the characters {} cannot be used together with `build`, because "
                                   "they are its file; take them from a variable or a script",
                                   describe(node), braces));
  }
  return placeholders_of(node, text.names(), place);
}

// The names in the call of a `source` sweep.
Status PlanBuilder::check_arguments(const Node& call) const {
  const auto read = source_call_of(call.scalar);
  if (!read) return wrong(call, "call: " + read.error().message);
  std::vector<std::string> known = column_names(false);
  for (const OperandColumn& operand : document_.operands) known.push_back(operand.name);
  known.emplace_back("threads");
  for (const std::string& name : read->arguments) {
    if (!is_argument_name(name) || std::ranges::find(known, name) != known.end()) continue;
    return wrong(call,
                 fmt::format("call: no operand and no column is called '{}'{}; describe an array under "
                             "`operands`, and a number under `axes` or `derive`",
                             name, did_you_mean(name, known)));
  }
  for (const OperandColumn& operand : document_.operands)
    if (std::ranges::find(read->arguments, operand.name) == read->arguments.end())
      return wrong(operand.node,
                   fmt::format("operands: the call does not use '{}'; remove it, or pass it to "
                               "the function",
                               operand.name));
  return Done{};
}

// The last column: it may read any other, and no column may be derived from it.
Status PlanBuilder::add_program() {
  if (!document_.program) return Done{};
  Sweep& sweep = plan_->sweep;
  const Node node = document_.program->node;
  ProgramColumn program{
      std::move(*document_.program), static_cast<std::uint32_t>(sweep.columns.size()), {}};
  if (const auto variant = column_named("variant")) {
    return failure(fmt::format("{}: a {} sweep has no variants; call the column 'variant' something else",
                               place_text(sweep, sweep.columns[*variant].place), sweep.kernel));
  }
  if (const auto taken = column_named(sweep.program_column)) {
    return failure(fmt::format("{}: the column '{}' is what `{}:` says; call this one something else",
                               place_text(sweep, sweep.columns[*taken].place), sweep.program_column,
                               sweep.kernel));
  }
  const bool gets_path = sweep.kind == KernelKind::python || sweep.kind == KernelKind::source;
  const std::string_view place = has_build() && !gets_path ? "build" : "";
  for (NamedCommand& each : program.text.several) {
    KS_ASSIGN_OR_RETURN(each.columns, placeholders_of(each.node, each.command.names(), place));
    program.names_column = *column_named(sweep.kernel);
  }
  KS_ASSIGN_OR_RETURN(program.columns, placeholders_of(node, program.text, place));
  if (sweep.kind == KernelKind::source) KS_RETURN_IF_ERROR(check_arguments(node));
  const Column column{sweep.program_column, Column::Origin::program, place_in(node)};
  KS_RETURN_IF_ERROR(add_column(column, where(node)));
  plan_->program = std::move(program);
  return has_build() && gets_path ? add_built_path() : Done{};
}

// The path of the built file, for a function.
Status PlanBuilder::add_built_path() {
  Sweep& sweep = plan_->sweep;
  if (const auto taken = column_named(std::string(kBuiltColumn))) {
    return failure(
        fmt::format("{}: the function gets the file that `build` makes as 'build'; call this "
                    "column something else",
                    place_text(sweep, sweep.columns[*taken].place)));
  }
  plan_->built_column = static_cast<std::uint32_t>(sweep.columns.size());
  const auto& build = *std::ranges::find(document_.beside_command, kBuildColumn, &BesideCommand::column);
  const Column column{std::string(kBuiltColumn), Column::Origin::program, place_in(build.text.node)};
  return add_column(column, where(build.text.node));
}

// A build runs once for all jobs, without the variables that a point sets.
Status PlanBuilder::check_compiler_variables() const {
  const Sweep& sweep = plan_->sweep;
  for (const Column& column : sweep.columns) {
    const bool is_lost = is_environment(column.name) &&
                         std::ranges::find(kCompilerVariables, environment_variable_of(column.name)) !=
                             kCompilerVariables.end();
    if (is_lost)
      return failure(
          fmt::format("{}: {} does not reach `build`, which gets the variables of the worker; write "
                      "its values into `build`, as -O{{o}}",
                      place_text(sweep, column.place), column.name));
  }
  return Done{};
}

Status PlanBuilder::add_beside_command() {
  const Sweep& sweep = plan_->sweep;
  const bool distrusts = sweep.rules.measure.verify.distrust ||
                         std::ranges::any_of(document_.overrides, [](const OverrideEntry& entry) {
                           return std::ranges::any_of(entry.set, [](const Assignment& one) {
                             return one.path == "verify.distrust" || one.path == "verify";
                           });
                         });
  if (document_.times_itself && distrusts) {
    const auto metrics =
        std::ranges::find(document_.beside_command, kMetricsColumn, &BesideCommand::column);
    return wrong(
        metrics->text.node,
        "metrics: what a distrusted program (verify.distrust) says of its time does not count; remove "
        "`seconds`, or trust it");
  }
  if (sweep.kernel == "opencl" && distrusts)
    return wrong(
        plan_->program->text.node,
        "verify.distrust: inputs of OpenCL are copied to the device once, so a call cannot get others; "
        "remove it");
  for (BesideCommand& beside : document_.beside_command) {
    const Node node = beside.text.node;
    ProgramColumn filled{
        std::move(beside.text), static_cast<std::uint32_t>(plan_->sweep.columns.size()), {}};
    const bool is_build = beside.column == kBuildColumn;
    const bool is_command = beside.column == "command.setup" || beside.column == "command.cleanup";
    const std::string_view place = is_build ? "out" : is_command && has_build() ? "build" : "";
    KS_ASSIGN_OR_RETURN(filled.columns, placeholders_of(node, filled.text, place));
    if (is_build) {
      plan_->build_column = filled.column;
      KS_RETURN_IF_ERROR(check_compiler_variables());
    }
    KS_RETURN_IF_ERROR(
        add_column(Column{beside.column, Column::Origin::program, place_in(node)}, where(node)));
    plan_->beside_command.push_back(std::move(filled));
  }
  return Done{};
}

// The columns follow that of the function.
Status PlanBuilder::add_operands() {
  for (OperandColumn& operand : document_.operands) {
    if (const auto taken = column_named(operand.name)) {
      const Sweep& sweep = plan_->sweep;
      return failure(
          fmt::format("{}: the column '{}' would be a parameter of the same name as an operand; "
                      "call one of them something else",
                      place_text(sweep, sweep.columns[*taken].place), operand.name));
    }
    KS_ASSIGN_OR_RETURN(auto columns, placeholders_of(operand.node, operand.text.names()));
    operand.columns = std::move(columns);
    operand.column = static_cast<std::uint32_t>(plan_->sweep.columns.size());
    const Column column{std::string(kOperandColumn) + operand.name, Column::Origin::program,
                        place_in(operand.node)};
    KS_RETURN_IF_ERROR(add_column(column, where(operand.node)));
  }
  plan_->operands = std::move(document_.operands);
  return Done{};
}

}  // namespace kernsweep
