#include "language/plan/builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "language/file/names.hpp"
#include "language/file/setting.hpp"
#include "language/space/count.hpp"
#include "shared/base/try.hpp"
#include "shared/lists/printed_values.hpp"
#include "shared/text/environment_column.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {
namespace {

std::string lower_case(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text;
}

Place place_of(const Node& node) {
  return node.source && node.source->has_lines ? node.place : Place{};
}

}  // namespace

PlanBuilder::PlanBuilder(Document document, const Replacements& replacements)
    : document_(std::move(document)), replacements_(replacements), plan_(std::make_shared<Plan>()) {
  plan_->sweep = std::move(document_.sweep);
  plan_->axes = std::move(document_.axes);
  plan_->notes = std::move(document_.notes);
}

Result<std::shared_ptr<Plan>> PlanBuilder::build() {
  Status (PlanBuilder::*const steps[])() = {&PlanBuilder::add_columns,
                                            &PlanBuilder::add_product,
                                            &PlanBuilder::add_derived,
                                            &PlanBuilder::add_program,
                                            &PlanBuilder::add_beside_command,
                                            &PlanBuilder::add_operands,
                                            &PlanBuilder::add_problem,
                                            &PlanBuilder::add_references,
                                            &PlanBuilder::check_tolerances,
                                            &PlanBuilder::add_devices,
                                            &PlanBuilder::add_excludes,
                                            &PlanBuilder::add_constraints,
                                            &PlanBuilder::add_includes,
                                            &PlanBuilder::settle_words,
                                            &PlanBuilder::check_included_devices,
                                            &PlanBuilder::add_overrides,
                                            &PlanBuilder::add_requirements,
                                            &PlanBuilder::add_only_and_sample,
                                            &PlanBuilder::add_rules,
                                            &PlanBuilder::add_claims,
                                            &PlanBuilder::check_whole_commands,
                                            &PlanBuilder::note_unused_axes,
                                            &PlanBuilder::choose_blocks};
  for (const auto step : steps) {
    KS_RETURN_IF_ERROR((this->*step)());
  }
  KS_RETURN_IF_ERROR(check_size());
  add_key();
  return plan_;
}

std::optional<std::uint32_t> PlanBuilder::column_named(const std::string& name) const {
  const auto found = column_of_.find(name);
  return found == column_of_.end() ? std::nullopt : std::optional(found->second);
}

bool PlanBuilder::is_axis_column(std::uint32_t column) const {
  const auto origin = plan_->sweep.columns[column].origin;
  return origin == Column::Origin::axis || origin == Column::Origin::record;
}

std::vector<std::string> PlanBuilder::column_names(bool axes_only) const {
  std::vector<std::string> out;
  for (std::uint32_t c = 0; c < plan_->sweep.columns.size(); ++c) {
    if (!axes_only || is_axis_column(c)) out.push_back(plan_->sweep.columns[c].name);
  }
  return out;
}

std::string PlanBuilder::hint_for(const std::string& name) const {
  for (const auto& axis : plan_->axes) {
    if (axis.record && axis.name == name) {
      std::vector<std::string> fields;
      for (const auto& field : axis.fields) fields.push_back(field.name);
      return fmt::format("'{}' is a record axis; its columns are {}", name, fmt::join(fields, ", "));
    }
  }
  for (const auto& group : document_.zips) {
    if (group.name.scalar != name) continue;
    std::vector<std::string> members;
    for (const auto& member : group.members) members.push_back(member.scalar);
    return fmt::format("'{}' is a zip group; its axes are {}", name, fmt::join(members, ", "));
  }
  return "";
}

Result<Condition> PlanBuilder::resolve_here(const Formula& formula, bool axes_only) const {
  for (const auto& name : formula.expression.names()) {
    const auto column = column_named(name);
    if (column && axes_only && !is_axis_column(*column)) {
      return wrong(formula.node, fmt::format("in '{}': a condition reads axes only, and '{}' is none",
                                             formula.expression.text(), name));
    }
    const std::string hint = column ? "" : hint_for(name);
    if (!hint.empty())
      return wrong(formula.node, fmt::format("in '{}': {}", formula.expression.text(), hint));
  }
  return resolve(
      formula, [&](const std::string& name) { return column_named(name); }, column_names(axes_only));
}

Status PlanBuilder::add_column(Column column, const std::string& where) {
  const auto [same, fresh] = column_by_lower_case_.emplace(lower_case(column.name), column.name);
  if (!fresh) {
    return failure(
        same->second == column.name
            ? fmt::format("{}: there are two columns called '{}'; rename one", where, column.name)
            : fmt::format("{}: the columns '{}' and '{}' differ only in case, which the results database "
                          "cannot distinguish; rename one",
                          where, same->second, column.name));
  }
  for (const Column& other : plan_->sweep.columns) {
    if (is_environment(column.name) &&
        environment_variable_of(other.name) == environment_variable_of(column.name))
      return failure(fmt::format("{}: '{}' and '{}' set the same variable; name one of them", where,
                                 other.name, column.name));
  }
  column_of_.emplace(column.name, static_cast<std::uint32_t>(plan_->sweep.columns.size()));
  plan_->sweep.columns.push_back(std::move(column));
  wheel_of_.push_back(SIZE_MAX);
  return Done{};
}

Status PlanBuilder::add_columns() {
  for (const auto& axis : plan_->axes) {
    plan_->columns_of_axis.emplace_back();
    for (const auto& field : axis.fields) {
      plan_->columns_of_axis.back().push_back(static_cast<std::uint32_t>(plan_->sweep.columns.size()));
      kind_of_column_.push_back(field.kind);
      const auto origin = axis.record ? Column::Origin::record : Column::Origin::axis;
      Column column{field.name, origin, field.place};
      column.truths = field.kind == ValueKind::boolean;
      KS_RETURN_IF_ERROR(add_column(std::move(column), axis.where));
    }
  }
  std::map<std::string, std::vector<const Node*>> given;  // columns that only includes set
  std::vector<const Node*> order;
  for (const auto& entry : document_.includes) {
    for (const auto& [name, value] : entry.entries) {
      if (is_ignored_key(name.scalar) || column_named(name.scalar)) continue;
      if (const std::string hint = hint_for(name.scalar); !hint.empty())
        return wrong(name, "include: " + hint);
      for (const auto& formula : document_.derived) {
        if (formula.name == name.scalar)
          return wrong(name, fmt::format("include: '{}' is derived", name.scalar));
      }
      KS_RETURN_IF_ERROR(check_column_name(name));
      auto& values = given[name.scalar];
      if (values.empty()) order.push_back(&name);
      values.push_back(&value);
    }
  }
  for (const Node* name : order) {
    plan_->included_columns.push_back(static_cast<std::uint32_t>(plan_->sweep.columns.size()));
    kind_of_column_.push_back(kind_of(given[name->scalar], is_environment(name->scalar)));
    const Column column{name->scalar, Column::Origin::included, place_of(*name)};
    KS_RETURN_IF_ERROR(add_column(column, where(*name)));
  }
  for (const auto& formula : document_.derived) {
    const Column column{formula.name, Column::Origin::derived, place_of(formula.node)};
    KS_RETURN_IF_ERROR(add_column(column, where(formula.node)));
  }
  return Done{};
}

Status PlanBuilder::add_derived() {
  // Each round takes the formulas whose columns are known. If it takes none, the rest is a cycle.
  std::vector<const Formula*> left;
  for (const auto& formula : document_.derived) left.push_back(&formula);
  std::vector<bool> known(plan_->sweep.columns.size(), true);
  for (const Formula* formula : left) known[*column_named(formula->name)] = false;
  while (!left.empty()) {
    std::vector<const Formula*> later;
    for (const Formula* formula : left) {
      KS_ASSIGN_OR_RETURN(auto condition, resolve_here(*formula, false));
      const bool ready = std::all_of(condition.columns.begin(), condition.columns.end(),
                                     [&](std::uint32_t column) { return known[column]; });
      if (!ready) {
        later.push_back(formula);
        continue;
      }
      const auto column = *column_named(formula->name);
      plan_->derived.push_back(DerivedColumn{column, std::move(condition), true});
      known[column] = true;
    }
    if (later.size() == left.size()) {
      std::vector<std::string> names;
      for (const Formula* formula : later) names.push_back(formula->name);
      return wrong(later.front()->node,
                   fmt::format("derived columns that need each other: {}; none can be computed first",
                               fmt::join(names, ", ")));
    }
    left = std::move(later);
  }
  return Done{};
}

std::uint32_t PlanBuilder::source_of(std::uint32_t column) const {
  for (const DerivedColumn& derived : plan_->derived)
    if (derived.column == column && derived.repeated()) return source_of(*derived.repeated());
  return column;
}

Status PlanBuilder::add_excludes() {
  for (const auto& entry : document_.excludes) {
    Exclusions exclusions;
    for (const auto& [name, value] : entry.entries) {
      if (is_ignored_key(name.scalar)) continue;
      const auto named = column_named(name.scalar);
      if (!named) {
        const std::string hint = hint_for(name.scalar);
        return wrong(name, hint.empty() ? fmt::format("exclude: no column is called '{}'{}", name.scalar,
                                                      did_you_mean(name.scalar, column_names(false)))
                                        : "exclude: " + hint);
      }
      const std::uint32_t column = source_of(*named);
      if (column >= kind_of_column_.size()) {  // computed: has no kind of its own
        exclusions.matches.push_back(
            {*named, value.quoted ? Value(value.scalar) : value_of_scalar(value.scalar), SIZE_MAX});
        continue;
      }
      KS_RETURN_IF_ERROR(check_exact(value, name.scalar, kind_of_column_[column],
                                     document_.passed.keep_word_of(plan_->sweep.columns[column].name)));
      auto wanted = value_of_column(value, column);
      if (!wanted || !lists(column, *wanted)) {
        const auto listed = listed_value(column, {value.scalar, value.quoted});
        if (!listed)
          return wrong(value, fmt::format("exclude: '{}': {}", name.scalar, listed.error().message));
        if (*listed) wanted = *listed;
      }
      if (!wanted) {
        return wrong(value, fmt::format("exclude: {} can never be a value of '{}', which holds {}",
                                        describe(value), name.scalar, name_of(kind_of_column_[column])));
      }
      exclusions.matches.push_back({*named, *wanted, wheel_of_[*named]});
    }
    plan_->excludes.push_back(std::move(exclusions));
  }
  return Done{};
}

Status PlanBuilder::add_overrides() {
  for (auto& entry : document_.overrides) {
    KS_ASSIGN_OR_RETURN(auto condition, resolve_here(entry.when, false));
    plan_->overrides.push_back(OverridePlan{std::move(condition), std::move(entry.set)});
  }
  return Done{};
}

Status PlanBuilder::add_requirements() {
  for (const auto& formula : document_.requirements) {
    Plan::Requirement requirement{formula.expression, {}};
    bool asks_host = false;
    for (const auto& name : formula.expression.names()) {
      const auto column = column_named(name);
      asks_host = asks_host || is_host_fact(name);
      if (!column && !is_host_fact(name)) {
        const std::string hint = hint_for(name);
        return wrong(
            formula.node,
            fmt::format("in '{}': {}", formula.expression.text(),
                        hint.empty() ? fmt::format("'{}' is neither a column nor a fact of host. or gpu.{}",
                                                   name, did_you_mean(name, column_names(false)))
                                     : hint));
      }
      if (const std::string unknown = why_no_gpu_fact(name); !unknown.empty())
        return wrong(formula.node, fmt::format("in '{}': {}", formula.expression.text(), unknown));
      requirement.columns.push_back(column ? *column : SIZE_MAX);
    }
    if (!asks_host) {
      return wrong(formula.node,
                   fmt::format("in '{}': a requirement asks for something of host. or gpu.; without that "
                               "it belongs to `constraints`",
                               formula.expression.text()));
    }
    plan_->sweep.requirements.push_back(formula.expression);
    plan_->requirements.push_back(std::move(requirement));
  }
  return Done{};
}

Status PlanBuilder::check_size() const {
  Count jobs(plan_->product.size());
  jobs.add(Count(plan_->includes.size()));
  jobs.multiply(Count(plan_->sweep.caches.size()));
  jobs.multiply(Count(plan_->sweep.processes));
  if (!jobs.above(kPointsMax)) return Done{};
  return failure(
      fmt::format("{}: the sweep has {} jobs before `exclude` and `constraints`; the limit is {}. Remove "
                  "values from an axis, or lower measure.processes",
                  file_text(plan_->sweep), jobs.to_text(), kPointsMax));
}

void PlanBuilder::add_key() {
  const Sweep& sweep = plan_->sweep;
  std::vector<std::pair<std::string, std::uint32_t>> named;
  for (std::uint32_t c = 0; c < sweep.columns.size(); ++c) {
    const auto& column = sweep.columns[c];
    if (column.origin != Column::Origin::derived && !is_note(column.name) &&
        column.name != kMetricsHintColumn)
      named.emplace_back(column.name, c);
  }
  std::sort(named.begin(), named.end());
  for (const auto& [name, column] : named) {
    plan_->key_names.push_back(name + "=");
    plan_->key_columns.push_back(column);
  }
  plan_->key_prefix = fmt::format("kernsweep job 1\n{}\n", static_cast<int>(sweep.kind));
  Value(sweep.kernel).append_canonical(plan_->key_prefix);
  plan_->key_prefix += fmt::format("\nseed {}\n", sweep.seed);
  const std::set<std::string> depends(sweep.depends.begin(), sweep.depends.end());
  if (depends.empty()) return;  // keys of sweeps without `depends` stay as they were
  plan_->key_prefix += fmt::format("depends {}\n", depends.size());
  for (const std::string& file : depends) {
    Value(file).append_canonical(plan_->key_prefix);
    plan_->key_prefix += '\n';
  }
}

Result<std::shared_ptr<Plan>> make_plan(Document document, const Replacements& replacements) {
  return PlanBuilder(std::move(document), replacements).build();
}

}  // namespace kernsweep
