#include "worker/slot/measure/sample_ledger.hpp"

#include <algorithm>
#include <utility>

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

void SampleLedger::add(double seconds, Duration took, std::uint64_t calls) {
  took = std::max(took, Duration::zero());
  samples_.push_back({seconds, took});
  open_took_ += took;
  open_measured_s_ += seconds * static_cast<double>(calls);
  elapsed_ += took;
}

bool SampleLedger::window_full() const {
  if (open_first_ == samples_.size()) return false;
  return open_took_ >= kWindow || samples_.size() >= samples_rules_.max ||
         elapsed_ >= samples_rules_.max_time;
}

void SampleLedger::close_window(const WindowDisturbance& disturbance) {
  const std::size_t count = samples_.size() - open_first_;
  if (count == 0) return;
  windows_.push_back({open_first_, count, disturbance, std::exchange(open_measured_s_, 0)});
  const bool is_clean = windows_.back().is_clean();
  causes_[static_cast<std::size_t>(disturbance.cause)] += count;
  open_first_ = samples_.size();
  open_took_ = Duration::zero();
  feed(windows_.back(), all_rule_);
  if (clean_rule_ && is_clean) feed(windows_.back(), *clean_rule_);
  if (!clean_rule_ && !is_clean) judge_clean();
  decide();
}

void SampleLedger::mark(Window& window, Cause cause) {
  window.disturbance.cause = cause;
  causes_[0] -= window.count;
  causes_[static_cast<std::size_t>(cause)] += window.count;
}

void SampleLedger::mark_disturbed_since(std::size_t first, Cause cause, double lost_share) {
  bool changed = false;
  for (std::size_t i = first; i < windows_.size(); ++i) {
    if (!windows_[i].is_clean()) continue;
    mark(windows_[i], cause);
    windows_[i].disturbance.lost_s = lost_share * windows_[i].measured_s;
    changed = true;
  }
  if (!changed) return;
  judge_clean();
  decide();
}

bool SampleLedger::has_suspected() const {
  return std::ranges::any_of(
      windows_, [](const Window& each) { return each.is_clean() && each.disturbance.is_suspected; });
}

void SampleLedger::mark_suspected() {
  for (Window& window : windows_)
    if (window.is_clean() && window.disturbance.is_suspected) mark(window, Cause::switched);
  judge_clean();
  decide();
}

void SampleLedger::judge_clean() {
  clean_rule_ = Judged{StoppingRule(samples_rules_, stop_)};
  for (const Window& window : windows_)
    if (window.is_clean()) feed(window, *clean_rule_);
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
  std::vector<double> all, least;
  for (const Window& window : windows_) {
    const double lost_s = window.is_clean() ? 0 : window.disturbance.lost_s;
    const double left = lost_s < window.measured_s ? 1 - lost_s / window.measured_s : 0;
    for (std::size_t i = window.first; i < window.first + window.count; ++i) {
      all.push_back(samples_[i].seconds);
      least.push_back(samples_[i].seconds * left);
    }
  }
  if (all.empty()) return 0;
  const auto middle_of = [](std::vector<double>& numbers) {
    const std::size_t middle = (numbers.size() - 1) / 2;
    std::ranges::nth_element(numbers, numbers.begin() + static_cast<std::ptrdiff_t>(middle));
    return numbers[middle];
  };
  const double median = middle_of(all);
  return median > 0 ? middle_of(least) / median : 0;
}

std::uint64_t SampleLedger::disturbed() const {
  return taken() - causes_[0] - (samples_.size() - open_first_);
}

template <class Add>
void SampleLedger::for_kept(Add add) const {
  for (const Window& window : windows_) {
    if (!keeps(window)) continue;
    for (std::size_t i = window.first; i < window.first + window.count; ++i) add(i);
  }
}

std::vector<double> SampleLedger::kept() const {
  std::vector<double> out;
  out.reserve(samples_.size());
  for_kept([&](std::size_t i) { out.push_back(samples_[i].seconds); });
  return out;
}

std::vector<std::size_t> SampleLedger::kept_numbers() const {
  std::vector<std::size_t> out;
  for_kept([&](std::size_t i) { out.push_back(i); });
  return out;
}

}  // namespace kernsweep
