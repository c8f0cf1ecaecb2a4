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
      keep_all_(latency_),
      rule_(rules.samples, rules.stop) {
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
  if (keeps(windows_.back())) feed(windows_.back());
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
  if (!keep_all_) judge_again();
  decide();
}

void SampleLedger::feed(const Window& window) {
  for (std::size_t i = window.first; i < window.first + window.count; ++i)
    rule_reason_ = rule_.add(samples_[i].seconds, samples_[i].took);
}

void SampleLedger::judge_again() {
  rule_ = StoppingRule(samples_rules_, stop_);
  rule_reason_ = Reason::none;
  for (const Window& window : windows_) {
    if (keeps(window)) feed(window);
  }
}

void SampleLedger::decide() {
  const bool at_cap = taken() >= samples_rules_.max || elapsed_ >= samples_rules_.max_time;
  const bool enough = taken() >= samples_rules_.min && elapsed_ >= samples_rules_.min_time;
  const bool too_many = static_cast<double>(disturbed()) > share_ * static_cast<double>(taken());
  if (latency_) {
    kept_disturbed_ = too_many;
    share_then_ = too_many ? share_disturbed() : 0;
  } else if (!keep_all_ && ((at_cap && disturbed() == taken()) || ((at_cap || enough) && too_many))) {
    keep_all_ = kept_disturbed_ = true;
    share_then_ = share_disturbed();
    judge_again();
  }
  reason_ = rule_reason_;
  if (reason_ == Reason::none && at_cap)
    reason_ = taken() >= samples_rules_.max ? Reason::max_samples : Reason::max_time;
}

double SampleLedger::share_disturbed() const {
  return taken() == 0 ? 0 : static_cast<double>(disturbed()) / static_cast<double>(taken());
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
