#include "language/plan/rule_book.hpp"

#include <algorithm>

#include "language/file/setting.hpp"
#include "shared/base/rule_fields.hpp"

namespace kernsweep {
namespace {

Digest digest_of_rules(const MeasureRules& rules) {
  std::string text;
  append_key(rules, text);
  return digest_of(text);
}

}  // namespace

RuleBook::RuleBook(const Plan& plan) : plan_(plan) {
  number_for(0);
}

std::uint64_t RuleBook::mask_of(const std::vector<Value>& values) const {
  std::uint64_t mask = 0;
  for (std::size_t i = 0; i < plan_.overrides.size(); ++i) {
    // An override whose condition cannot be evaluated does not apply: either a column that it reads is
    // absent, or the point is rejected.
    if (plan_.overrides[i].when.holds(values).value_or(false)) mask |= std::uint64_t{1} << i;
  }
  return mask;
}

std::uint32_t RuleBook::number_for(std::uint64_t mask) const {
  const auto before = [](const auto& entry, std::uint64_t wanted) { return entry.first < wanted; };
  {
    const std::shared_lock lock(mutex_);
    const auto found = std::lower_bound(numbers_.begin(), numbers_.end(), mask, before);
    if (found != numbers_.end() && found->first == mask) return found->second;
  }
  Sweep changed;
  changed.rules = plan_.sweep.rules;
  for (std::size_t i = 0; i < plan_.overrides.size(); ++i) {
    if ((mask >> i & 1u) == 0) continue;
    for (const auto& assignment : plan_.overrides[i].set) {
      const auto set = apply_setting(*assignment.key, assignment.path, assignment.value, changed);
      KS_ASSERT(set.has_value());  // it was checked when the file was read
    }
  }
  plan_.resolve(changed.rules.measure.verify.reference);
  // Two overrides, each valid alone, may set a minimum above its maximum: the minimum is lowered.
  auto& samples = changed.rules.measure.samples;
  samples.min = std::min(samples.min, samples.max);
  samples.min_time = std::min(samples.min_time, samples.max_time);
  changed.rules.measure.warmup.min_time =
      std::min(changed.rules.measure.warmup.min_time, changed.rules.measure.warmup.max_time);

  const std::unique_lock lock(mutex_);
  const auto at = std::lower_bound(numbers_.begin(), numbers_.end(), mask, before);
  if (at != numbers_.end() && at->first == mask) return at->second;
  const auto same = std::find(rules_.begin(), rules_.end(), changed.rules);
  const auto number = static_cast<std::uint32_t>(same - rules_.begin());
  if (same == rules_.end()) {
    digests_.push_back(digest_of_rules(changed.rules.measure));
    rules_.push_back(std::move(changed.rules));
  }
  numbers_.insert(at, {mask, number});
  return number;
}

std::uint32_t RuleBook::number_of(const std::vector<Value>& values) const {
  return plan_.overrides.empty() ? 0 : number_for(mask_of(values));
}

Rules RuleBook::rules(std::uint32_t number) const {
  const std::shared_lock lock(mutex_);
  KS_ASSERT(number < rules_.size());
  return rules_[number];
}

Digest RuleBook::measuring(std::uint32_t number) const {
  const std::shared_lock lock(mutex_);
  KS_ASSERT(number < digests_.size());
  return digests_[number];
}

}  // namespace kernsweep
