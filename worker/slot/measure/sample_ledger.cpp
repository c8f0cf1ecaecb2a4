#include "worker/slot/measure/sample_ledger.hpp"

#include <algorithm>

#include "shared/base/result.hpp"

namespace kernsweep {

using Reason = StoppingRule::Reason;

SampleLedger::SampleLedger(const MeasureRules& rules)
    : samples_rules_(rules.samples),
      stop_(rules.stop),
      share_(rules.discard.share),
      latency_(rules.metric == Metric::latency),
      all_rule_{StoppingRule(rules.samples, rules.stop)} {
  constexpr std::uint64_t kReserved = 4096;
  samples_.reserve(std::min(rules.samples.max, kReserved));
  windows_.reserve(std::min(rules.samples.max, kReserved));
}

void SampleLedger::add(double seconds, Duration took) {
  took = std::max(took, Duration::zero());
  samples_.push_back({seconds, took});
  open_took_ += took;
  elapsed_ += took;
}

bool SampleLedger::window_full() const {
  if (open_first_ == samples_.size()) return false;
  return open_took_ >= kWindow || samples_.size() >= samples_rules_.max ||
         elapsed_ >= samples_rules_.max_time;
}

void SampleLedger::close_window(Cause cause) {
  const std::size_t count = samples_.size() - open_first_;
  if (count == 0) return;
  windows_.push_back({open_first_, count, cause});
  causes_[static_cast<std::size_t>(cause)] += count;
  open_first_ = samples_.size();
  open_took_ = Duration::zero();
  feed(windows_.back(), all_rule_);
  if (clean_rule_ && cause == Cause::none) feed(windows_.back(), *clean_rule_);
  if (!clean_rule_ && cause != Cause::none) judge_clean();
  decide();
}

void SampleLedger::mark_disturbed_since(std::size_t first, Cause cause) {
  bool changed = false;
  for (std::size_t i = first; i < windows_.size(); ++i) {
    if (windows_[i].cause != Cause::none) continue;
    windows_[i].cause = cause;
    causes_[0] -= windows_[i].count;
    causes_[static_cast<std::size_t>(cause)] += windows_[i].count;
    changed = true;
  }
  if (!changed) return;
  judge_clean();
  decide();
}

void SampleLedger::judge_clean() {
  clean_rule_ = Judged{StoppingRule(samples_rules_, stop_)};
  for (const Window& window : windows_)
    if (window.cause == Cause::none) feed(window, *clean_rule_);
}

void SampleLedger::feed(const Window& window, Judged& judged) const {
  for (std::size_t i = window.first; i < window.first + window.count; ++i)
    judged.reason = judged.rule.add(samples_[i].seconds, samples_[i].took);
}

void SampleLedger::decide() {
  const bool at_cap = taken() >= samples_rules_.max || elapsed_ >= samples_rules_.max_time;
  const bool enough = taken() >= samples_rules_.min && elapsed_ >= samples_rules_.min_time;
  too_many_ = (latency_ || at_cap || enough) &&
              (static_cast<double>(disturbed()) > share_ * static_cast<double>(taken()) ||
               (at_cap && disturbed() == taken()));
  reason_ = judged().reason;
  if (reason_ == Reason::none && at_cap)
    reason_ = taken() >= samples_rules_.max ? Reason::max_samples : Reason::max_time;
}

double SampleLedger::least_median() const {
  std::vector<double> all, clean;
  for (const Window& window : windows_)
    for (std::size_t i = window.first; i < window.first + window.count; ++i) {
      all.push_back(samples_[i].seconds);
      if (window.cause == Cause::none) clean.push_back(samples_[i].seconds);
    }
  if (all.empty()) return 0;
  const std::size_t middle = (all.size() - 1) / 2, disturbed = all.size() - clean.size();
  if (disturbed > middle) return 0;
  const auto at = [](std::vector<double>& numbers, std::size_t place) {
    std::ranges::nth_element(numbers, numbers.begin() + static_cast<std::ptrdiff_t>(place));
    return numbers[place];
  };
  const double median = at(all, middle);
  return median > 0 ? at(clean, middle - disturbed) / median : 0;
}

std::uint64_t SampleLedger::disturbed() const {
  return taken() - causes_[0] - (samples_.size() - open_first_);
}

std::vector<double> SampleLedger::kept() const {
  std::vector<double> out;
  out.reserve(samples_.size());
  for (const Window& window : windows_) {
    if (!keeps(window)) continue;
    for (std::size_t i = window.first; i < window.first + window.count; ++i)
      out.push_back(samples_[i].seconds);
  }
  return out;
}

}  // namespace kernsweep
