// Points that the file adds: each is complete and does not extend another point.
#include <fmt/format.h>

#include <algorithm>

#include "language/file/setting.hpp"
#include "language/plan/builder.hpp"
#include "shared/base/try.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {
namespace {

bool has_null(const AxisField& field) {
  const auto& values = field.values.listed();
  return std::any_of(values.begin(), values.end(), [](const Value& value) { return value.is_null(); });
}

// Canonical text of what is measured at a point, without notes and derived columns.
std::string identity_of(const std::vector<Column>& columns, const std::vector<Value>& values) {
  std::string out;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (!columns[c].is_computed() && !is_note(columns[c].name)) append_identity(values[c], out);
  }
  return out;
}

}  // namespace

// The columns of a record belong together: the given ones must select one row, which sets the others, or be
// a complete new row.
Status PlanBuilder::fill_from_record(const Axis& axis, std::size_t axis_index, const Node& entry,
                                     std::vector<Value>& values) const {
  const auto& columns = plan_->columns_of_axis[axis_index];
  std::vector<std::size_t> given, lacking;
  for (std::size_t f = 0; f < axis.fields.size(); ++f) {
    if (entry.find(axis.fields[f].name) != nullptr) {
      given.push_back(f);
    } else if (!is_note(axis.fields[f].name)) {
      lacking.push_back(f);
    }
  }
  std::optional<std::uint64_t> row;
  for (std::uint64_t r = 0; r < axis.size(); ++r) {
    const bool fits = std::all_of(given.begin(), given.end(), [&](std::size_t f) {
      return axis.fields[f].values.holds_at(r, values[columns[f]]);
    });
    if (!fits) continue;
    if (row && !lacking.empty()) {
      return wrong(entry,
                   fmt::format("include: several rows of '{}' fit; give more of its columns to pick one",
                               axis.name));
    }
    row = row ? row : r;
  }
  if (row) {
    for (std::size_t f = 0; f < axis.fields.size(); ++f)
      axis.fields[f].values.get(*row, values[columns[f]]);
    return Done{};
  }
  if (lacking.empty()) return Done{};
  std::vector<std::string> names;
  for (const auto f : lacking) names.push_back(axis.fields[f].name);
  return wrong(entry, fmt::format("include: no row of '{}' fits, and a new one lacks {}", axis.name,
                                  fmt::join(names, ", ")));
}

Status PlanBuilder::fill_axis(std::size_t axis_index, const Node& entry, std::vector<Value>& values) const {
  const Axis& axis = plan_->axes[axis_index];
  const auto& columns = plan_->columns_of_axis[axis_index];
  const auto& when = plan_->product.wheels()[wheel_of_axis_[axis_index]].when;
  bool is_active = true;
  if (when) {
    const auto holds = when->holds(values);
    if (!holds)
      return wrong(entry,
                   fmt::format("include: in '{}': {}", when->expression.text(), holds.error().message));
    is_active = *holds;
  }
  bool any_given = false;
  for (std::size_t f = 0; f < axis.fields.size(); ++f) {
    const Node* node = entry.find(axis.fields[f].name);
    if (node == nullptr) continue;
    any_given = true;
    if (!is_active && node->is_null()) continue;
    if (!is_active) {
      return wrong(
          *node,
          fmt::format("include: '{}' is not active at this point, because '{}' does not hold; leave it out",
                      axis.fields[f].name, when->expression.text()));
    }
    const auto value = value_of_column(*node, columns[f]);
    if (!value) {
      return wrong(*node, fmt::format("include: {} cannot be a value of '{}', which holds {}",
                                      describe(*node), axis.fields[f].name, name_of(axis.fields[f].kind)));
    }
    values[columns[f]] = *value;
  }
  if (!is_active) return Done{};
  if (axis.record && any_given) return fill_from_record(axis, axis_index, entry, values);
  // An axis with the value null is null in an include that does not name it.
  if (any_given || (!axis.record && has_null(axis.fields.front()))) return Done{};
  return wrong(
      entry,
      fmt::format("include: the point lacks the axis '{}'; a point that is added is complete", axis.name));
}

Status PlanBuilder::check_not_in_product(const IncludedPoint& point) const {
  const auto& columns = plan_->sweep.columns;
  for (const auto column : plan_->included_columns) {
    if (!point.values[column].is_null()) return Done{};
  }
  for (const auto& wheel : plan_->product.wheels()) {
    if (wheel.when && !wheel.when->holds(point.values).value_or(false)) continue;
    bool found = false;
    if (wheel.slots.size() == 1) {
      found = wheel.slots.front().values->row_of(point.values[wheel.slots.front().column]).has_value();
    }
    for (std::uint64_t row = 0; wheel.slots.size() > 1 && row < wheel.size && !found; ++row) {
      found = std::all_of(wheel.slots.begin(), wheel.slots.end(), [&](const Wheel::Slot& slot) {
        return is_note(columns[slot.column].name) || slot.values->holds_at(row, point.values[slot.column]);
      });
    }
    if (!found) return Done{};
  }
  // The axes already contain this point, unless a filter removes it.
  std::vector<Value> values = point.values;
  plan_->compute_derived(values);
  for (const auto& entry : plan_->excludes) {
    if (plan_->excluded_by(entry, values)) return Done{};
  }
  for (const auto& constraint : plan_->constraints) {
    if (const auto holds = constraint.holds(values); holds && !*holds) return Done{};
  }
  return failure(
      fmt::format("{}: include: the axes make this point already (a job key met twice); remove the entry",
                  point.where));
}

Status PlanBuilder::add_include(const Node& entry) {
  const auto& columns = plan_->sweep.columns;
  IncludedPoint point{std::vector<Value>(columns.size()), where(entry)};
  for (const auto& [name, value] : entry.entries) {
    if (is_ignored_key(name.scalar)) continue;
    const auto column = column_named(name.scalar);
    KS_ASSERT(column.has_value());  // add_columns made one for every key
    const auto origin = columns[*column].origin;
    if (origin == Column::Origin::derived)
      return wrong(name, fmt::format("include: '{}' is derived", name.scalar));
    KS_RETURN_IF_ERROR(check_exact(value, name.scalar, kind_of_column_[*column],
                                   document_.passed.keep_word_of(name.scalar)));
    KS_RETURN_IF_ERROR(document_.passed.check_nul(value, name.scalar));
    if (origin == Column::Origin::included) point.values[*column] = value_of_column(value, *column).value();
  }
  // Wheels in the order of their conditions, so that the columns of a condition are set before.
  for (const std::size_t w : plan_->product.dependency_order()) {
    for (std::size_t a = 0; a < plan_->axes.size(); ++a) {
      if (wheel_of_axis_[a] != w) continue;
      KS_RETURN_IF_ERROR(fill_axis(a, entry, point.values));
    }
  }
  for (const auto& [name, value] : entry.entries) {
    PassedNotes passed(document_.passed, name.scalar);
    if (const auto column = column_named(name.scalar)) passed.look_at(value, point.values[*column]);
    passed.add_to(plan_->notes);
  }
  const auto [same, fresh] = included_by_key_.emplace(identity_of(columns, point.values), point.where);
  if (!fresh) {
    return failure(fmt::format("{}: include: the same point as at {} (a job key met twice); remove one",
                               point.where, same->second));
  }
  KS_RETURN_IF_ERROR(check_not_in_product(point));
  plan_->includes.push_back(std::move(point));
  return Done{};
}

Status PlanBuilder::add_includes() {
  constexpr std::size_t kMost = 10'000;
  if (document_.includes.size() > kMost) {
    return wrong(document_.includes[kMost], fmt::format("more than {} included points", kMost));
  }
  for (const auto& entry : document_.includes) {
    KS_RETURN_IF_ERROR(add_include(entry));
  }
  return Done{};
}

}  // namespace kernsweep
