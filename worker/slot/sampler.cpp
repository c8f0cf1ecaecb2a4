#include "worker/slot/sampler.hpp"

#include <algorithm>
#include <cmath>

#include "worker/slot/stopping_rule.hpp"

namespace kernsweep {
namespace {

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

// Runs until both the runs and the time of the rule are reached. Returns the mean time of a call, 0 for no
// call.
double warm_up(const ks_variant& variant, void* state, const WarmupRules& rules, Samples& out) {
  const Instant start = monotonic_now();
  Duration elapsed{};
  while ((out.warmup_runs < rules.min_runs || elapsed < rules.min_time) &&
         (elapsed < rules.max_time || out.warmup_runs == 0)) {
    out.status = variant.run(state);
    if (out.status != KS_OK) return 0;
    ++out.warmup_runs;
    elapsed = monotonic_now() - start;
  }
  out.warmup_s = seconds(elapsed);
  return out.warmup_runs ? out.warmup_s / static_cast<double>(out.warmup_runs) : 0;
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

Samples sample(const ks_variant& variant, void* state, const MeasureRules& rules,
               const std::function<void()>& evict) {
  Samples out;
  const bool cold = rules.cache == Cache::cold;
  const double call_s = warm_up(variant, state, rules.warmup, out);
  if (out.status != KS_OK) return out;
  if (!cold && !variant.elapsed) out.calls = calls_per_sample(call_s, timer_cost());

  out.seconds.reserve(std::min<std::uint64_t>(rules.samples.max, 4096));
  StoppingRule rule(rules.samples, rules.stop);
  StoppingRule::Reason reason = StoppingRule::Reason::none;
  while (reason == StoppingRule::Reason::none) {
    if (cold) evict();
    const Instant start = monotonic_now();
    for (std::uint64_t call = 0; call < out.calls; ++call) {
      out.status = variant.run(state);
      if (out.status != KS_OK) return out;
    }
    const Duration took = monotonic_now() - start;
    const double each =
        variant.elapsed ? variant.elapsed(state) : seconds(took) / static_cast<double>(out.calls);
    if (!std::isfinite(each) || each < 0) {  // a device's clock that makes no sense
      out.status = KS_FAILED;
      return out;
    }
    out.seconds.push_back(each);
    reason = rule.add(each, took);
  }
  out.stopped_by = name_of(reason);
  out.noise = rule.noise();
  return out;
}

}  // namespace kernsweep
