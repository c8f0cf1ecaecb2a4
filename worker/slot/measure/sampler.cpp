#include "worker/slot/measure/sampler.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

#include "shared/stats/statistics.hpp"
#include "worker/slot/measure/forked_child.hpp"
#include "worker/slot/measure/stopping_rule.hpp"

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

// Returns the states in turn.
class Turns {
 public:
  explicit Turns(std::span<void* const> states) : states_(states) {}
  void* next() {
    current_ = states_[at_];
    at_ = at_ + 1 == states_.size() ? 0 : at_ + 1;
    return current_;
  }
  void* current() const { return current_; }  // the last one that was returned

 private:
  std::span<void* const> states_;
  std::size_t at_ = 0;
  void* current_ = nullptr;
};

// The durations of the last calls, each with one reading of the clock.
class LastCalls {
 public:
  void add(Duration took) { took_[count_++ % took_.size()] = took; }
  // The lower median, because with two calls the first may be an outlier. 0 if there is no call.
  double median_s() {
    const std::size_t known = std::min(count_, took_.size());
    if (known == 0) return 0;
    const auto middle = took_.begin() + static_cast<std::ptrdiff_t>((known - 1) / 2);
    std::nth_element(took_.begin(), middle, took_.begin() + static_cast<std::ptrdiff_t>(known));
    return seconds(*middle);
  }

 private:
  std::array<Duration, 64> took_{};
  std::size_t count_ = 0;
};

// Whether the clock is stable. `now`: nothing else is waited for, so as many probes are made as that takes,
// in place of one after each call, which may be long.
bool is_settled(SectionWatch& watch, bool now) {
  bool settled = watch.clock_settled();
  for (std::size_t probe = 1; now && !settled && probe < ClockStability::kProbes; ++probe) {
    const Instant next = monotonic_now() + ClockStability::kApart;
    while (monotonic_now() < next) {  // an idle core would become slower
    }
    settled = watch.clock_settled();
  }
  return settled;
}

// Warms up until the runs and the time of the rule are reached and a watched clock is stable, or max_time
// is over. Returns the approximate seconds per call, including a reading of the clock; 0 if there was no
// call.
double warm_up(const ks_variant& variant, Turns& states, const WarmupRules& rules,
               const std::function<void()>& restore, SectionWatch* watch, Samples& out) {
  const Instant start = monotonic_now();
  Duration elapsed{};
  Duration call_begun{};
  LastCalls calls;
  bool settled = watch == nullptr || rules.min_time == Duration::zero();
  while ((out.warmup_runs < rules.min_runs || elapsed < rules.min_time || !settled) &&
         (elapsed < rules.max_time || out.warmup_runs == 0)) {
    if (restore) {
      restore();
      call_begun = monotonic_now() - start;
    }
    const std::optional<FirstCallClock> first =
        out.warmup_runs == 0 ? std::optional<FirstCallClock>(std::in_place) : std::nullopt;
    out.status = variant.run(states.next());
    end_if_forked(out.status == KS_OK);
    if (out.status != KS_OK) return 0;
    if (first) out.first = first->read(variant, states.current());
    ++out.warmup_runs;
    elapsed = monotonic_now() - start;
    calls.add(elapsed - call_begun);
    call_begun = elapsed;
    if (!watch) continue;
    const bool is_last = out.warmup_runs >= rules.min_runs && elapsed >= rules.min_time;
    settled = rules.min_time == Duration::zero() || is_settled(*watch, is_last);
    call_begun = monotonic_now() - start;
  }
  out.warmup_s = seconds(elapsed);
  return calls.median_s();
}

// The share is larger than for the host's clock: 1e-4 would make samples ten times as long, although
// reading this clock costs nothing and the median of the samples averages its errors.
BlockClock clock_of(const QueuedRuns& queued) {
  constexpr double kShare = 1e-3;
  return {queued.resolution_s, kShare, queued.runs_max};
}

// The time to start the calls is a part of the sample, as reading the clock is.
BlockClock host_clock_with(const QueuedRuns& queued) {
  constexpr double kShare = 1e-3;
  return {std::max(timer_cost(), queued.starting_s * (kTimerShare / kShare))};
}

// The time by a device's own clock. Invalid values count as very long, because more calls would not help.
Duration said_to_take(double block_s) {
  constexpr double kNoTime = 1e9;
  return std::abs(block_s) < kNoTime ? from_seconds(block_s) : Duration::max();
}

// Takes the samples of a section. Callers differ in how samples are counted.
class Section {
 public:
  // Without `size` a sample is one call. `run_many`: queues several calls on the device, or null.
  Section(const ks_variant& variant, Turns& states, const BetweenCalls& before,
          std::optional<BlockSize> size, ks_status (*run_many)(void*, std::uint64_t),
          const QueuedRuns& queued, Samples& out)
      : variant_(variant),
        states_(states),
        before_(before),
        size_(size),
        run_many_(run_many),
        own_samples_(queued.samples),
        out_(out) {
    out_.calls = size_ ? size_->calls() : 1;
  }

  struct Sample {
    double each = 0;
    Duration took{};
  };
  // too_short: not a sample; the samples before it do not count either, and the next one has more calls.
  // failed: the status is set.
  enum class Taken : std::uint8_t { sample, too_short, failed };
  Taken take(Sample& sample, SectionWatch* watch) {
    if (before_.restore) before_.restore();
    if (before_.evict) before_.evict();
    // Emptying the caches takes far longer than a call, so disturbances during it do not count.
    if (watch && one_by_one()) watch->open_window();
    const Instant start = monotonic_now();
    const bool done = call();
    sample.took = monotonic_now() - start;
    end_if_forked(done);
    if (!done) return Taken::failed;
    const double block_s = variant_.elapsed ? variant_.elapsed(states_.current()) : seconds(sample.took);
    if (size_ && !long_enough(variant_.elapsed ? said_to_take(block_s) : sample.took, sample.took))
      return Taken::too_short;
    sample.each = block_s / static_cast<double>(out_.calls);
    if (std::isfinite(sample.each) && sample.each >= kShortestCall) return Taken::sample;
    out_.status = KS_FAILED;
    out_.why = variant_.elapsed ? said_by_own_clock(sample.each) : clock_stood(out_.calls);
    return Taken::failed;
  }
  // One more block of calls, which is not a sample. False: a call has failed. Work before a call is not
  // counted; if there is none, the counters stay on between blocks (count_events).
  bool count(Counters& counters) {
    if (before_.restore) before_.restore();
    if (before_.evict) before_.evict();
    if (one_by_one()) counters.on();
    const bool done = call();
    end_if_forked(done);
    if (one_by_one()) counters.off();
    return done;
  }
  // Must be called after each sample of a watched section.
  void note_programs(SectionWatch& watch) {
    if (before_.waited) watch.note_program(before_.waited(states_.current()));
  }
  bool one_by_one() const { return before_.evict || before_.restore; }
  // Of all samples, in their order; empty if runs have no samples of their own.
  const std::vector<std::uint64_t>& run_of_sample() const { return run_of_sample_; }
  // Calls `add` with the sample; if the run has measured several itself, with each of these.
  template <class Add>
  void add(const Sample& sample, std::uint64_t most, Add add_one) {
    const double* own = nullptr;
    std::size_t count = 0;
    const auto is_time = [](double s) { return std::isfinite(s) && s >= kShortestCall; };
    if (!own_samples_) {
      add_one(sample);
      return;
    }
    const std::uint64_t run = out_.warmup_runs + runs_++;
    if (own_samples_(states_.current(), &own, &count) != KS_OK || count == 0 || !own ||
        !std::all_of(own, own + count, is_time)) {
      run_of_sample_.push_back(run);
      add_one(sample);
      return;
    }
    count = std::min<std::size_t>(count, most);
    for (std::size_t i = 0; i < count; ++i) {
      run_of_sample_.push_back(run);
      add_one(Sample{own[i], sample.took / static_cast<std::int64_t>(count)});
    }
  }

 private:
  // At a fixed place within a cache line: otherwise the time of a call of a nanosecond would depend on the
  // length of the code before it.
  [[gnu::noinline, gnu::aligned(64)]] bool call() {
    if (run_many_) {
      out_.status = run_many_(states_.next(), out_.calls);
      return out_.status == KS_OK;
    }
    for (std::uint64_t call = 0; call < out_.calls; ++call) {
      out_.status = variant_.run(states_.next());
      if (out_.status != KS_OK) return false;
    }
    return true;
  }
  // `block`: by the clock that counts; `took`: by the host's clock.
  bool long_enough(Duration block, Duration took) {
    took_so_far_ += took;
    calls_so_far_ += out_.calls;
    if (size_->add(block)) return true;
    out_.calls = size_->calls();
    out_.warmup_runs += std::exchange(calls_so_far_, 0);
    out_.warmup_s += seconds(std::exchange(took_so_far_, Duration::zero()));
    return false;
  }
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
  const BetweenCalls before_;
  std::uint64_t runs_ = 0;
  std::vector<std::uint64_t> run_of_sample_;
  std::optional<BlockSize> size_;
  std::uint64_t calls_so_far_ = 0;  // since the size was last changed
  Duration took_so_far_{};
  ks_status (*const run_many_)(void*, std::uint64_t);
  ks_status (*const own_samples_)(void*, const double**, std::size_t*);
  Samples& out_;
};

void sample_plainly(Section& section, const MeasureRules& rules, Samples& out) {
  out.seconds.reserve(std::min<std::uint64_t>(rules.samples.max, 4096));
  StoppingRule rule(rules.samples, rules.stop);
  Reason reason = Reason::none;
  Section::Sample sample;
  while (reason == Reason::none) {
    const auto taken = section.take(sample, nullptr);
    if (taken == Section::Taken::failed) return;
    if (taken == Section::Taken::too_short) {
      out.seconds.clear();
      rule = StoppingRule(rules.samples, rules.stop);
      continue;
    }
    section.add(sample, rules.samples.max, [&](const Section::Sample& each) {
      out.seconds.push_back(each.each);
      reason = rule.add(each.each, each.took);
    });
  }
  out.runs = section.run_of_sample();
  out.stopped_by = name_of(reason);
  out.noise = rule.noise();
}

// As long as kCounted, but at least one block and at most as many as there were samples; not at all if a
// block takes long, because no time is reserved for it. The samples are kept if a call fails here.
void count_events(Section& section, CounterSystem& system, Samples& out) {
  constexpr Duration kCounted = std::chrono::milliseconds(10);
  constexpr double kBlockMaxS = 0.1;
  if (out.seconds.empty() || out.seconds.back() * static_cast<double>(out.calls) > kBlockMaxS) return;
  Counters counters(system, hardware_counters());
  counters.open();
  if (counters.missing().size() == hardware_counters().size()) return;
  const Instant begun = monotonic_now();
  std::uint64_t blocks = 0;
  bool done = true;
  if (!section.one_by_one()) counters.on();
  do {
    done = section.count(counters);
    ++blocks;
  } while (done && blocks < out.seconds.size() && monotonic_now() - begun < kCounted);
  if (!section.one_by_one()) counters.off();
  if (!done) {
    out.status = KS_OK;
    return;
  }
  out.counted = counters.totals();
  out.counted_calls = blocks * out.calls;
}

void sample_watched(Section& section, const MeasureRules& rules, SectionWatch& watch, Samples& out) {
  SampleLedger ledger(rules);
  Section::Sample sample;
  watch.begin_sampling();
  while (true) {
    const auto taken = section.take(sample, &watch);
    if (taken == Section::Taken::failed) return;
    if (taken == Section::Taken::too_short) {
      ledger = SampleLedger(rules);
      watch.begin_sampling();
      continue;
    }
    section.add(sample, rules.samples.max,
                [&](const Section::Sample& each) { ledger.add(each.each, each.took, out.calls); });
    section.note_programs(watch);
    if (!section.one_by_one() && !ledger.window_full()) continue;
    watch.close_window(ledger);
    if (ledger.reason() == Reason::none) continue;
    watch.last_look(ledger);  // may find stolen samples, so that more are needed
    if (ledger.reason() != Reason::none) break;
  }
  out.conditions = watch.end(ledger);
  out.seconds = ledger.kept();
  if (!section.run_of_sample().empty())
    for (const std::size_t kept : ledger.kept_numbers()) out.runs.push_back(section.run_of_sample()[kept]);
  out.stopped_by = name_of(ledger.reason());
  out.noise = ledger.noise();
  if (CounterSystem* const counters = watch.counters()) count_events(section, *counters, out);
}

}  // namespace

double timer_cost() {
  static const double cost = measure_timer_cost();
  return cost;
}

Samples sample(const ks_variant& variant, std::span<void* const> states, const MeasureRules& rules,
               const BetweenCalls& between, SectionWatch* watch, const QueuedRuns& queued) {
  Samples out;
  Turns turns(states);
  const bool cold = rules.cache == Cache::cold && states.size() == 1;
  const bool one_call = cold || between.restore || rules.metric == Metric::latency;
  if (watch) watch->begin(between.waited != nullptr);
  const double call_s = warm_up(variant, turns, rules.warmup, between.restore, watch, out);
  if (between.warmed_up) between.warmed_up();
  if (out.status != KS_OK) return out;
  // Without a warm-up, the first call also loads libraries, so it is made by run(), not from the queue.
  const bool from_queue =
      queued.run_many && !between.restore && rules.metric != Metric::latency && out.warmup_runs > 0;
  std::optional<BlockSize> size;
  if (!one_call && out.warmup_runs > 0) {
    if (!variant.elapsed)
      size.emplace(call_s, host_clock_with(queued), rules.samples.max_time);
    else if (from_queue && states.size() == 1)
      size.emplace(variant.elapsed(turns.current()), clock_of(queued), rules.samples.max_time);
  }

  const bool graded = watch || one_call || out.warmup_runs > 0;
  const BetweenCalls before{cold ? between.evict : nullptr, between.restore, nullptr, between.waited};
  Section section(variant, turns, before, size, from_queue ? queued.run_many : nullptr, queued, out);
  if (watch) {
    sample_watched(section, rules, *watch, out);
  } else {
    sample_plainly(section, rules, out);
  }
  if (graded && !variant.elapsed && out.status == KS_OK) {
    const double sample_s = summarise(out.seconds).median * static_cast<double>(out.calls);
    out.timer_share = sample_s > 0 ? timer_cost() / sample_s : 1;
    out.starting_share = sample_s > 0 ? queued.starting_s / sample_s : 0;
  }
  return out;
}

}  // namespace kernsweep
