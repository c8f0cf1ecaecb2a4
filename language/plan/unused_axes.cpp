// Reports axes that a command does not use, because their points would run the same command and look like
// different ones. Also reports placeholders in whole commands (`kernel: command`), which cannot have any.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "language/plan/builder.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {
namespace {

// Whether the axis changes a job although no placeholder names it.
bool works_by_itself(const std::string& column) {
  return is_note(column) || column.starts_with("env.") || is_resource(column);
}

}  // namespace

Status PlanBuilder::check_whole_commands() {
  const auto column = column_named("command");
  if (!document_.passed.whole_commands || !column) return Done{};
  const auto check = [&](const Value& value, const std::string& where) -> Status {
    const std::string text = value.is_null() ? "" : value.to_text();
    for (const Column& named : plan_->sweep.columns) {
      const std::string place = "{" + named.name + "}";
      auto at = text.find(place);
      while (at != std::string::npos && at > 0 && (text[at - 1] == '$' || text[at - 1] == '{'))
        at = text.find(place, at + 1);
      if (at == std::string::npos) continue;
      return failure(fmt::format(
          "{}: in '{}': a whole command has no places, so the program would get {{{}}} as it is; "
          "write `command: TEXT` with its places in place of `kernel: command`, and an axis for "
          "each word that differs between commands, or, if that is meant, give the column another name",
          where, text, named.name));
    }
    return Done{};
  };
  for (std::size_t a = 0; a < plan_->axes.size(); ++a) {
    const Axis& axis = plan_->axes[a];
    for (std::size_t f = 0; f < axis.fields.size(); ++f) {
      if (plan_->columns_of_axis[a][f] != *column || axis.fields[f].values.is_range()) continue;
      for (std::size_t row = 0; row < axis.size(); ++row) {
        const bool has_place = row < axis.rows_at.size();
        KS_RETURN_IF_ERROR(
            check(axis.fields[f].values.listed()[row], has_place ? axis.rows_at[row] : axis.where));
      }
    }
  }
  for (const IncludedPoint& point : plan_->includes) {
    KS_RETURN_IF_ERROR(check(point.values[*column], point.where));
  }
  return Done{};
}

Status PlanBuilder::note_unused_axes() {
  const bool whole = document_.passed.whole_commands;
  if (!whole && plan_->sweep.kind != KernelKind::command) return Done{};
  std::set<std::size_t> used;
  if (plan_->program) used.insert(plan_->program->columns.begin(), plan_->program->columns.end());
  if (const auto command = column_named("command"); whole && command) used.insert(*command);
  for (const ProgramColumn& beside : plan_->beside_command)
    used.insert(beside.columns.begin(), beside.columns.end());
  if (plan_->program && !plan_->program->text.several.empty()) used.insert(plan_->program->names_column);
  const auto use = [&](const Condition& condition) {
    used.insert(condition.columns.begin(), condition.columns.end());
  };
  for (const Wheel& wheel : plan_->product.wheels())
    if (wheel.when) use(*wheel.when);
  for (const DerivedColumn& derived : plan_->derived) use(derived.formula);
  for (const Condition& constraint : plan_->constraints) use(constraint);
  for (const OverridePlan& entry : plan_->overrides) use(entry.when);
  for (const Plan::Requirement& requirement : plan_->requirements)
    used.insert(requirement.columns.begin(), requirement.columns.end());
  for (const auto& [text, reference] : plan_->reference_texts)
    used.insert(reference.columns.begin(), reference.columns.end());
  std::set<std::string> zipped;
  for (const ZipGroup& group : document_.zips)
    for (const Node& member : group.members) zipped.insert(member.scalar);
  for (std::size_t a = 0; a < plan_->axes.size(); ++a) {
    const Axis& axis = plan_->axes[a];
    const auto is_used = [&](std::uint32_t column) {
      return used.contains(column) || works_by_itself(plan_->sweep.columns[column].name);
    };
    if (axis.size() < 2 || zipped.contains(axis.name) ||
        std::ranges::any_of(plan_->columns_of_axis[a], is_used))
      continue;
    plan_->notes.push_back(fmt::format(
        "{}: the command does not use the axis '{}', so all its values run the same one; write "
        "{}{{{}}} where it "
        "belongs",
        axis.where, axis.name, whole ? "`command: TEXT` in place of `kernel: command`, with " : "",
        axis.fields.front().name));
  }
  return Done{};
}

}  // namespace kernsweep
