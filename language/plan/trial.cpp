#include "language/plan/trial.hpp"

#include <algorithm>
#include <set>

#include "language/space/count.hpp"

namespace kernsweep {
namespace {

// Collects the wheels that a condition reads, also through derived columns. Returns false if it reads
// columns that only includes set.
bool collect_wheels(const Plan& plan, const std::vector<std::size_t>& wheel_of, const Condition& condition,
                    std::set<std::size_t>& wheels, std::set<std::uint32_t>& seen) {
  for (const auto column : condition.columns) {
    if (!seen.insert(column).second) continue;
    if (wheel_of[column] != SIZE_MAX) {
      wheels.insert(wheel_of[column]);
      continue;
    }
    const auto derived = std::find_if(plan.derived.begin(), plan.derived.end(),
                                      [&](const auto& entry) { return entry.column == column; });
    if (derived == plan.derived.end()) return false;
    if (!collect_wheels(plan, wheel_of, derived->formula, wheels, seen)) return false;
  }
  return true;
}

}  // namespace

Trial try_out(const Plan& plan, const std::vector<std::size_t>& wheel_of, const Condition& condition,
              std::string& message) {
  std::set<std::size_t> read;
  std::set<std::uint32_t> seen;
  if (!collect_wheels(plan, wheel_of, condition, read, seen)) return Trial::may_fail;
  const std::vector<std::size_t> wheels(read.begin(), read.end());
  std::vector<std::uint64_t> states;  // rows, and one more for "inactive"
  Count combinations(1);
  for (const auto w : wheels) {
    const Wheel& wheel = plan.product.wheels()[w];
    states.push_back(wheel.size + (wheel.when ? 1 : 0));
    combinations.multiply(Count(states.back()));
  }
  if (combinations.above(kTrialsMax)) return Trial::may_fail;

  std::vector<Value> values(wheel_of.size());
  bool any_failed = false, any_succeeded = false;
  for (std::uint64_t i = 0; i < combinations.value(); ++i) {
    std::uint64_t rest = i;
    for (std::size_t k = 0; k < wheels.size(); ++k) {
      const Wheel& wheel = plan.product.wheels()[wheels[k]];
      const std::uint64_t state = rest % states[k];
      rest /= states[k];
      state < wheel.size ? wheel.set(state, values) : wheel.clear(values);
    }
    plan.compute_derived(values);
    const auto value = condition.evaluate(values);
    if (value || condition.reads_null(values)) {
      any_succeeded = true;
    } else {
      if (!any_failed) message = value.error().message;
      any_failed = true;
    }
  }
  if (!any_failed) {
    // Points added by `include` may have other values than the axes.
    for (const auto& point : plan.includes) {
      values = point.values;
      plan.compute_derived(values);
      if (!condition.evaluate(values) && !condition.reads_null(values)) return Trial::may_fail;
    }
    return Trial::never_fails;
  }
  return any_succeeded || !plan.includes.empty() ? Trial::may_fail : Trial::always_fails;
}

}  // namespace kernsweep
