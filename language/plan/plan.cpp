#include "language/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "language/space/permutation.hpp"

namespace kernsweep {
namespace {

// The error of a formula, if it rejects the point. A formula that fails because a column that it reads is
// absent does not reject.
std::optional<std::string> failure_of(const Condition& condition, const std::vector<Value>& values) {
  const auto value = condition.evaluate(values);
  if (value || condition.reads_null(values)) return std::nullopt;
  return fmt::format("in '{}': {}", condition.expression.text(), value.error().message);
}

// Equal as numbers too: derived columns may be floats where the file has whole numbers.
bool agree(const Value& a, const Value& b) {
  if (a == b) return true;
  const auto x = a.number(), y = b.number();
  return x && y && *x == *y;
}

}  // namespace

void Plan::compute_derived(std::vector<Value>& values) const {
  for (const auto& entry : derived) {
    if (const auto source = entry.repeated()) {
      values[entry.column] = values[*source];
      continue;
    }
    auto value = entry.formula.evaluate(values);
    if (value) {
      values[entry.column] = std::move(*value);
    } else {
      values[entry.column] = Null{};
    }
  }
}

void Plan::fill_program(std::vector<Value>& values) const {
  if (program) program->fill(values);
  for (const ProgramColumn& beside : beside_command) beside.fill(values);
  for (const OperandColumn& operand : operands) operand.fill(values);
  if (built_column) values[*built_column] = Value(std::string(kBuildPlace));
  if (!build_column || built_column) return;
  const auto uses_build = [&](const ProgramColumn& each) {
    const std::string* const line = values[each.column].text();
    return line != nullptr && line->find(kBuildPlace) != std::string::npos;
  };
  if (!uses_build(*program) && std::ranges::none_of(beside_command, uses_build))
    values[*build_column] = Null{};
}

void Plan::point_at(std::uint64_t position, std::vector<Value>& values) const {
  KS_ASSERT(position < raw_points());
  if (one_point) position = *one_point;
  values.resize(sweep.columns.size());
  if (position < product.size()) {
    product.get(position, values);
    for (const auto column : included_columns) values[column] = Null{};
  } else {
    values = includes[position - product.size()].values;
  }
  compute_derived(values);
  fill_program(values);
}

bool Plan::excluded_by(const Exclusions& entry, const std::vector<Value>& values) const {
  for (const auto& match : entry.matches) {
    const bool same = sweep.columns[match.column].as_text
                          ? values[match.column].to_text() == match.value.to_text()
                          : agree(values[match.column], match.value);
    if (!same) return false;
    if (!match.value.is_null() || match.wheel >= product.wheels().size()) continue;
    // null is a value of an active axis, and also that of an inactive one; only the first matches.
    const auto& when = product.wheels()[match.wheel].when;
    if (when && !when->holds(values).value_or(false)) return false;
  }
  return true;
}

std::optional<std::string> Plan::rejected_by(const FilterRule& rule, std::uint64_t position,
                                             const std::vector<Value>& values) const {
  if (one_point) position = *one_point;
  const bool included = position >= product.size();
  switch (rule.kind) {
    case FilterRule::Kind::derived:
      return failure_of(derived[rule.which].formula, values);
    case FilterRule::Kind::override_:
      return failure_of(overrides[rule.which].when, values);
    case FilterRule::Kind::exclude:
      if (included || !excluded_by(excludes[rule.which], values)) return std::nullopt;
      return "excluded";
    case FilterRule::Kind::sample:
      if (mixed(sweep.seed, position) < sample_below) return std::nullopt;
      return "not in the sample";
    case FilterRule::Kind::constraint:
    case FilterRule::Kind::only:
      break;
  }
  const bool is_only = rule.kind == FilterRule::Kind::only;
  const Condition& condition = is_only ? only.front() : constraints[rule.which];
  const auto holds = condition.holds(values);
  if (holds) return *holds ? std::nullopt : std::optional(std::string(is_only ? "not asked for" : ""));
  if (!is_only && condition.reads_null(values)) return std::nullopt;
  if (is_only && condition.reads_null(values)) return "not asked for";
  return fmt::format("in '{}': {}", condition.expression.text(), holds.error().message);
}

}  // namespace kernsweep
