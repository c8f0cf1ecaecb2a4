// Axes that a command does not use: their points would be runs of one command, shown as if it were several.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "language/plan/builder.hpp"

namespace kernsweep {
namespace {

// Whether the axis changes a job although no placeholder names it.
bool works_by_itself(const std::string& column) {
  return is_note(column) || column.starts_with("env.") || is_resource(column);
}

}  // namespace

Status PlanBuilder::note_unused_axes() {
  if (!plan_->program || !plan_->program->text.command) return Done{};
  std::set<std::size_t> used(plan_->program->columns.begin(), plan_->program->columns.end());
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
    plan_->notes.push_back(
        fmt::format("{}: the command does not use the axis '{}', so all its values run the same one; write "
                    "{{{}}} where it "
                    "belongs",
                    axis.where, axis.name, axis.fields.front().name));
  }
  return Done{};
}

}  // namespace kernsweep
