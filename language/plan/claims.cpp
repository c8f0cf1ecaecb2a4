// Claims: checks that their axes and values exist, and finds the points that they are about.
#include <fmt/format.h>

#include <algorithm>

#include "language/plan/builder.hpp"
#include "shared/base/try.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {
namespace {

// The value as answers read it from a database.
Value as_stored(const Value& value, bool as_text) {
  return as_text && !value.is_null() ? Value(value.to_text()) : value.without_word();
}

bool has_value_in_range(const ValueList& values, ValueKind kind, const WrittenValue& written) {
  Node scalar;
  scalar.scalar = written.text;
  scalar.quoted = written.quoted;
  const auto value = value_in_kind(scalar, kind);
  return value && !value->is_null() && values.row_of(*value).has_value();
}

// For messages about a value that does not exist: "; did you mean 'blas'?"
std::string text_of_values(const std::string& written, const ValueList& values) {
  constexpr std::uint64_t kMost = 50;
  std::vector<std::string> known;
  Value value;
  for (std::uint64_t row = 0; row < std::min(kMost, values.size()); ++row) {
    values.get(row, value);
    known.push_back(value.to_text());
  }
  if (values.size() <= kMost || nearest(written, known)) return did_you_mean(written, known);
  values.get(values.size() - 1, value);
  return fmt::format("; it has {} values from {} to {}", values.size(), known.front(), value.to_text());
}

// Whether -a replaces the values of the axis: "threads=[1]", "threads[pow2]=[0:3]", "+batch=[1]".
bool is_replaced(const std::string& axis, const std::vector<std::string>& replacements) {
  return std::ranges::any_of(replacements, [&](const std::string& text) {
    const std::size_t from = text.starts_with('+') ? 1 : 0;
    return text.substr(from, text.find_first_of("[=", from) - from) == axis;
  });
}

bool stands_on(const ClaimPlan::Side& side, const std::vector<Value>& values) {
  return std::ranges::all_of(side, [&](const ClaimPlan::Choice& choice) {
    return includes(choice.values, as_stored(values[choice.column], choice.as_text));
  });
}

}  // namespace

ClaimSides ClaimPlan::sides_of(const std::vector<Value>& values) const {
  // If it cannot be evaluated, because a column that it reads is absent, it is false.
  if (where && !where->holds(values).value_or(false)) return {};
  return {stands_on(side, values), claim.than.empty() ? false : stands_on(than, values)};
}

Status PlanBuilder::find_claim_value(const Node& node, const std::string& axis, std::uint32_t column,
                                     WrittenValue& written) {
  const bool as_text = plan_->sweep.columns[column].as_text;
  const Axis* of_column = nullptr;
  const AxisField* field = nullptr;
  std::vector<Value> known;
  for (std::size_t a = 0; a < plan_->axes.size() && field == nullptr; ++a) {
    const auto& columns = plan_->columns_of_axis[a];
    const auto found = std::ranges::find(columns, column);
    if (found == columns.end()) continue;
    of_column = &plan_->axes[a];
    field = &of_column->fields[static_cast<std::size_t>(found - columns.begin())];
    if (field->values.is_range() && has_value_in_range(field->values, field->kind, written)) return Done{};
    // An axis that is not active is null, as if it were not set.
    if (written.is_null() && of_column->when) return Done{};
    if (!field->values.is_range())
      for (const Value& value : field->values.listed()) known.push_back(as_stored(value, as_text));
  }
  for (const IncludedPoint& point : plan_->includes)
    known.push_back(as_stored(point.values[column], as_text));
  const auto which = meant(written, known);
  if (!which) return wrong(node, fmt::format("'{}': {}", axis, which.error().message));
  if (!which->empty()) {
    const Value& value = known[which->front()];
    if (!means(written, value)) written.text = value.to_text();
    return Done{};
  }
  if (field == nullptr) return wrong(node, fmt::format("'{}' has no value {}", axis, text_of(node)));
  // Values of the command line are for this run only; a claim of the file may use others.
  if (is_replaced(of_column->name, replacements_.axes)) {
    plan_->notes.push_back(fmt::format("{}: '{}' has no value {} this time; the claim will find no point",
                                       where(node), axis, text_of(node)));
    return Done{};
  }
  return wrong(node, fmt::format("'{}' has no value {}{}", axis, text_of(node),
                                 text_of_values(written.text, field->values)));
}

// Finds the column of an axis that a claim names; nothing if it is a place, such as `cache`.
Result<std::optional<std::uint32_t>> PlanBuilder::claim_column(const Node& axis, bool bits) const {
  const auto column = column_named(axis.scalar);
  const auto places = claim_places(bits);
  if (!column && std::ranges::find(places, axis.scalar) != places.end())
    return std::optional<std::uint32_t>();
  if (!column) {
    if (const std::string hint = hint_for(axis.scalar); !hint.empty())
      return wrong(axis, "claims: " + hint);
    std::vector<std::string> known;
    for (std::uint32_t c = 0; c < plan_->sweep.columns.size(); ++c)
      if (!plan_->sweep.columns[c].is_computed()) known.push_back(plan_->sweep.columns[c].name);
    known.insert(known.end(), places.begin(), places.end());
    return wrong(axis, fmt::format("claims: no axis is called '{}'{}", axis.scalar,
                                   did_you_mean(axis.scalar, known)));
  }
  if (plan_->sweep.columns[*column].is_computed())
    return wrong(axis,
                 fmt::format("claims: '{}' follows from other columns and is not an axis; `where` can read "
                             "it",
                             axis.scalar));
  return column;
}

Status PlanBuilder::check_claim_cache(const Node& node, const WrittenValue& written) {
  if (written.text != "hot" && written.text != "cold")
    return wrong(node, fmt::format("'cache' is hot or cold, not {}", describe(node)));
  const Cache cache = written.text == "cold" ? Cache::cold : Cache::hot;
  if (std::ranges::find(plan_->sweep.caches, cache) != plan_->sweep.caches.end()) return Done{};
  const bool this_time = std::ranges::any_of(replacements_.settings, [](const std::string& text) {
    return text.starts_with("measure.cache=") || text.starts_with("measure=");
  });
  if (!this_time)
    return wrong(node, fmt::format("'cache' has no value {} in this sweep; add `cache: [hot, cold]` to "
                                   "`measure`",
                                   written.text));
  // A replay measures one point in one cache state, so the claim may be about another.
  if (!replacements_.point)
    plan_->notes.push_back(fmt::format(
        "{}: 'cache' has no value {} this time; the claim will find no point", where(node), written.text));
  return Done{};
}

Status PlanBuilder::add_claim_side(const Node& node, const std::vector<ClaimChoice>& choices, bool bits,
                                   ClaimPlan::Side& side) {
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const Node* axis = &node;
    if (node.is_mapping()) axis = &node.entries[i].key;
    if (node.is_sequence()) axis = &node.items[i];
    KS_ASSIGN_OR_RETURN(const auto column, claim_column(*axis, bits));
    std::vector<WrittenValue> values = choices[i].values;
    for (std::size_t v = 0; v < values.size(); ++v) {
      const Node& under = node.entries[i].value;
      const Node& value = under.is_sequence() ? under.items[v] : under;
      WrittenValue& written = values[v];
      if (column) {
        KS_RETURN_IF_ERROR(find_claim_value(value, axis->scalar, *column, written));
      } else if (axis->scalar == "cache") {
        KS_RETURN_IF_ERROR(check_claim_cache(value, written));
      }
    }
    if (column && !values.empty())
      side.push_back({*column, plan_->sweep.columns[*column].as_text, std::move(values)});
  }
  return Done{};
}

Status PlanBuilder::add_claims() {
  for (auto& read : document_.claims) {
    ClaimPlan plan{std::move(read.claim), std::nullopt, {}, {}};
    const Claim& claim = plan.claim;
    const bool bits = claim.kind == ClaimKind::equal_bits;
    const Node* side = read.node.find(name_of(claim.kind));
    if (!claim.side.empty()) KS_RETURN_IF_ERROR(add_claim_side(*side, claim.side, bits, plan.side));
    if (!claim.than.empty())
      KS_RETURN_IF_ERROR(add_claim_side(*read.node.find("than"), claim.than, bits, plan.than));
    if (read.where) {
      KS_ASSIGN_OR_RETURN(plan.where, resolve_here(Formula{"", "", *read.where, read.where_node}, false));
    }
    plan_->claims.push_back(std::move(plan));
  }
  return Done{};
}

}  // namespace kernsweep
