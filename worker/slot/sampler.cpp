#include "worker/slot/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "shared/statistics.hpp"
#include "worker/slot/stopping_rule.hpp"

namespace kernsweep {
namespace {

using Reason = StoppingRule::Reason;

double measure_timer_cost() {
  constexpr int kReadings = 2000;
  double best = 1;
  for (int round = 0; round < 5; ++round) {
    const Instant start = monotonic_now();
    for (int i = 0; i < kReadings - 1; ++i) monotonic_now();
    best = std::min(best, seconds(monotonic_now() - start) / kReadings);
  }
  return best;
}

// The states in turns.
class Turns {
 public:
  explicit Turns(std::span<void* const> states) : states_(states) {}
  void* next() {
    current_ = states_[at_];
    at_ = at_ + 1 == states_.size() ? 0 : at_ + 1;
    return current_;
  }
  void* current() const { return current_; }  // the last one given

 private:
  std::span<void* const> states_;
  std::size_t at_ = 0;
  void* current_ = nullptr;
};

// Runs until both the runs and the time of the rule are reached and a watched clock is stable. Returns the
// mean time of a call, 0 for no call.
double warm_up(const ks_variant& variant, Turns& states, const WarmupRules& rules, SectionWatch* watch,
               Samples& out) {
  const Instant start = monotonic_now();
  Duration elapsed{};
  Duration looking{};
  bool settled = watch == nullptr || rules.min_time == Duration::zero();
  while ((out.warmup_runs < rules.min_runs || elapsed < rules.min_time || !settled) &&
         (elapsed < rules.max_time || out.warmup_runs == 0)) {
    out.status = variant.run(states.next());
    if (out.status != KS_OK) return 0;
    ++out.warmup_runs;
    elapsed = monotonic_now() - start;
    if (!watch) continue;
    settled = watch->clock_settled() || rules.min_time == Duration::zero();
    looking += monotonic_now() - start - elapsed;
  }
  out.warmup_s = seconds(elapsed);
  return out.warmup_runs
             ? seconds(elapsed - std::min(looking, elapsed)) / static_cast<double>(out.warmup_runs)
             : 0;
}

// The section's own loop: what differs is who counts the samples.
class Section {
 public:
  Section(const ks_variant& variant, Turns& states, const std::function<void()>* evict, Samples& out)
      : variant_(variant), states_(states), evict_(evict), out_(out) {}

  struct Sample {
    double each = 0;
    Duration took{};
  };
  // False: the kernel failed; the status is set.
  bool take(Sample& sample, SectionWatch* watch) {
    if (evict_) {
      (*evict_)();
      // What happened while the caches were emptied, which takes far longer than a call, disturbs nothing.
      if (watch) watch->open_window();
    }
    const Instant start = monotonic_now();
    for (std::uint64_t call = 0; call < out_.calls; ++call) {
      out_.status = variant_.run(states_.next());
      if (out_.status != KS_OK) return false;
    }
    sample.took = monotonic_now() - start;
    sample.each = variant_.elapsed ? variant_.elapsed(states_.current())
                                   : seconds(sample.took) / static_cast<double>(out_.calls);
    if (std::isfinite(sample.each) && sample.each >= kShortestCall) return true;
    out_.status = KS_FAILED;
    out_.why = variant_.elapsed ? said_by_own_clock(sample.each) : clock_stood(out_.calls);
    return false;
  }
  bool evicts() const { return evict_ != nullptr; }

 private:
  static std::string said_by_own_clock(double each) {
    char text[96];
    std::snprintf(text, sizeof text, "the kernel's own clock said %g s for a call", each);
    return text;
  }
  static std::string clock_stood(std::uint64_t calls) {
    return calls == 1 ? "the clock did not move during a call"
                      : "the clock did not move during " + std::to_string(calls) + " calls";
  }

  const ks_variant& variant_;
  Turns& states_;
  const std::function<void()>* const evict_;
  Samples& out_;
};

void sample_plainly(Section& section, const MeasureRules& rules, Samples& out) {
  out.seconds.reserve(std::min<std::uint64_t>(rules.samples.max, 4096));
  StoppingRule rule(rules.samples, rules.stop);
  Reason reason = Reason::none;
  Section::Sample sample;
  while (reason == Reason::none) {
    if (!section.take(sample, nullptr)) return;
    out.seconds.push_back(sample.each);
    reason = rule.add(sample.each, sample.took);
  }
  out.stopped_by = name_of(reason);
  out.noise = rule.noise();
}

void sample_watched(Section& section, const MeasureRules& rules, SectionWatch& watch, Samples& out) {
  SampleLedger ledger(rules);
  Section::Sample sample;
  watch.begin_sampling();
  while (true) {
    if (!section.take(sample, &watch)) return;
    ledger.add(sample.each, sample.took);
    if (!section.evicts() && !ledger.window_full()) continue;
    watch.close_window(ledger);
    if (ledger.reason() == Reason::none) continue;
    watch.last_look(ledger);  // which may find that samples were stolen, and more are wanted
    if (ledger.reason() != Reason::none) break;
  }
  out.conditions = watch.end(ledger);
  out.seconds = ledger.kept();
  out.stopped_by = name_of(ledger.reason());
  out.noise = ledger.noise();
}

}  // namespace

double timer_cost() {
  static const double cost = measure_timer_cost();
  return cost;
}

std::uint64_t calls_per_sample(double call_s, double timer_s) {
  if (call_s <= 0) return 1;
  const double wanted = std::ceil(timer_s / (kTimerShare * call_s));
  return wanted < 1 ? 1 : static_cast<std::uint64_t>(std::min(wanted, static_cast<double>(kCallsMax)));
}

Samples sample(const ks_variant& variant, std::span<void* const> states, const MeasureRules& rules,
               const std::function<void()>& evict, SectionWatch* watch) {
  Samples out;
  Turns turns(states);
  const bool cold = rules.cache == Cache::cold && states.size() == 1;
  const bool one_call = cold || rules.metric == Metric::latency;
  if (watch) watch->begin();
  const double call_s = warm_up(variant, turns, rules.warmup, watch, out);
  if (out.status != KS_OK) return out;
  if (!one_call && !variant.elapsed) out.calls = calls_per_sample(call_s, timer_cost());

  Section section(variant, turns, cold ? &evict : nullptr, out);
  if (watch) {
    sample_watched(section, rules, *watch, out);
  } else {
    sample_plainly(section, rules, out);
  }
  if (one_call && !variant.elapsed && out.status == KS_OK) {
    const double median = summarise(out.seconds).median;
    out.timer_share = median > 0 ? timer_cost() / median : 1;
  }
  return out;
}

}  // namespace kernsweep
