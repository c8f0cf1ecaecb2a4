#include "worker/slot/watch/section_watch.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "shared/stats/statistics.hpp"

namespace kernsweep {

SectionWatch::SectionWatch(Gauges& gauges, const MeasureRules& rules, std::uint32_t threads,
                           double& best_ghz, std::uint32_t copies, TimedBy timed_by)
    : gauges_(gauges),
      rule_(rules.discard.clock, threads),
      timed_by_(timed_by),
      threads_(threads * copies),
      best_ghz_(best_ghz) {
  probes_.reserve(4096);
  if (GpuMeter* const gpus = gauges_.gpus()) gpu_.emplace(*gpus);
}

void SectionWatch::begin(bool runs_programs) {
  begun_ = looked_ = gauges_.now();
  use_begun_ = use_sampling_ = gauges_.use();
  edge_first_ = edge_ = gauges_.edge();
  energy_begun_ = gauges_.energy_j();
  host_begun_ = host_last_ = gauges_.host_times();
  if (threads_ > 1 || runs_programs) gauges_.begin_looks();
}

double SectionWatch::probe() {
  const double ghz = gauges_.clock_ghz(reference_ghz_);
  probed_ = gauges_.now();
  best_ghz_ = std::max(best_ghz_, ghz);
  return ghz;
}

bool SectionWatch::clock_settled() {
  const bool is_device = timed_by_ == TimedBy::device;
  if (probed_ && gauges_.now() - *probed_ < ClockStability::kApart) return is_device || stability_.stable();
  const double ghz = probe();
  stability_.add(ghz);
  return is_device || ghz <= 0 || stability_.stable();
}

void SectionWatch::begin_sampling() {
  if (auto looks = gauges_.end_looks(); !looks.empty()) core_looks_ = std::move(looks);
  if (gpu_) gpu_->begin(gauges_.now());
  reference_ghz_ = stability_.reference_ghz();
  const double ghz = probe();
  stable_ =
      timed_by_ == TimedBy::device || ghz <= 0 || !(stability_.reference_ghz() > 0) || stability_.stable();
  reference_ghz_ = std::max(reference_ghz_, ghz);
  probes_.push_back(ghz);
  use_sampling_ = gauges_.use();
  threads_sampling_ = gauges_.threads();
  throttled_sampling_ = gauges_.throttling();
  if (threads_ > 1) waits_ = gauges_.waits();
  sampling_ = waits_at_ = gauges_.now();
  edge_ = gauges_.edge();
  edge_.clock_ghz = ghz;
  lowest_ghz_ = ghz;
  windows_looked_ = 0;
  sampled_looked_ = 0;
}

void SectionWatch::open_window() {
  apart_ = true;
  if (const auto times = gauges_.host_times()) host_last_ = times;
  if (threads_ > 1) waits_ = gauges_.waits();
  waits_at_ = gauges_.now();
  const double ghz = probe();
  reference_ghz_ = std::max(reference_ghz_, ghz);
  edge_ = gauges_.edge();
  edge_.clock_ghz = ghz;
}

void SectionWatch::note_program(double waited_s) {
  if (!programs_) programs_.emplace();
  programs_->is_known = programs_->is_known && waited_s >= 0;
  programs_->waited_s += std::max(0.0, waited_s);
}

void SectionWatch::close_window(SampleLedger& ledger) {
  EdgeReading after = gauges_.edge();
  after.clock_ghz = probe();
  probes_.push_back(after.clock_ghz);
  reference_ghz_ = std::max(reference_ghz_, after.clock_ghz);
  if (after.clock_ghz > 0) lowest_ghz_ = std::min(lowest_ghz_, after.clock_ghz);
  const auto programs = std::exchange(programs_, std::nullopt);
  ledger.close_window(timed_by_ == TimedBy::device
                          ? WindowDisturbance{}
                          : rule_.judge(edge_, after, reference_ghz_, ledger.open_s(), programs));
  if (gpu_) gpu_->look(gauges_.now());
  // The probe may be interrupted, too; interruptions during it do not count.
  const double clock = after.clock_ghz;
  edge_ = gauges_.edge();
  edge_.clock_ghz = clock;
  if (apart_ || (probed_ && *probed_ - looked_ >= look_every_)) look_at_host(ledger);
}

// Windows since the last look.
void SectionWatch::look_at_threads(SampleLedger& ledger, const std::optional<HostTimes>& host) {
  const Instant now = gauges_.now();
  std::vector<ThreadWait> waits = gauges_.waits();
  const double share = share_waited(waits_, waits, seconds(now - waits_at_), host ? host->own : 0);
  // Threads that wait at the same time lose it only once: the actual loss may be less than half of their
  // sum.
  constexpr double kKnown = 0.5;
  if (share > 0) ledger.mark_disturbed_since(windows_looked_, Cause::switched, share < kKnown ? share : 1);
  waits_ = std::move(waits);
  waits_at_ = now;
}

void SectionWatch::look_at_host(SampleLedger& ledger) {
  if (timed_by_ == TimedBy::device) return;
  const Instant start = gauges_.now();
  const auto times = gauges_.host_times();
  if (threads_ > 1) look_at_threads(ledger, times);
  looked_ = gauges_.now();
  look_every_ = std::max(kHostEvery, 50 * (looked_ - start));
  const double stolen_s = times && host_last_ ? times->own_steal_s - host_last_->own_steal_s : 0;
  if (stolen_s > 0 && stolen_s > kDisturbingShare * (ledger.sampled_s() - sampled_looked_))
    ledger.mark_disturbed_since(windows_looked_, Cause::steal);
  sampled_looked_ = ledger.sampled_s();
  windows_looked_ = ledger.windows();
  host_last_ = times;
}

void SectionWatch::last_look(SampleLedger& ledger) {
  look_at_host(ledger);
  if (!ledger.has_suspected() || !host_begun_ || !host_last_) return;
  const double cpu_s = gauges_.use().cpu_s - use_begun_.cpu_s, wall_s = seconds(gauges_.now() - begun_);
  const auto foreign = foreign_on_own(*host_begun_, *host_last_, cpu_s, wall_s);
  if (foreign && had_a_share(*foreign, wall_s)) ledger.mark_suspected();
}

SectionConditions SectionWatch::end(const SampleLedger& ledger) {
  SectionConditions out;
  const auto threads = gauges_.threads();
  const ProcessUse use = gauges_.use();
  const auto host = gauges_.host_times();
  const Throttling throttled = gauges_.throttling();
  const Instant ended = gauges_.now();
  if (gpu_) out.gpu = gpu_->end(ended);
  const double sampling_wall_s = seconds(ended - sampling_);
  out.wall_s = seconds(ended - begun_);
  out.cpu_s = use.cpu_s - use_begun_.cpu_s;
  out.minor_faults = use.minor_faults - std::min(use.minor_faults, use_sampling_.minor_faults);
  if (host && host_begun_) {
    out.foreign_cores = foreign_cores(*host_begun_, *host, out.cpu_s, out.wall_s);
    out.steal_s = std::max(0.0, host->own_steal_s - host_begun_->own_steal_s);
    out.processors = host->processors;
    out.foreign_on_own = foreign_on_own(*host_begun_, *host, out.cpu_s, out.wall_s);
    out.own_processors = host->own;
  }
  out.timed_by = timed_by_;
  if (timed_by_ == TimedBy::host)
    out.throttled = throttled_between(throttled_sampling_, throttled, sampling_wall_s);
  out.threads = threads_;
  out.core_looks = std::move(core_looks_);
  if (const auto energy = gauges_.energy_j(); energy && energy_begun_)
    out.energy_j = *energy - *energy_begun_;
  const std::uint64_t switches = gauges_.edge().involuntary_switches;
  out.involuntary_switches = switches - std::min(switches, edge_first_.involuntary_switches);

  std::vector<double> known = probes_;
  std::erase_if(known, [](double ghz) { return ghz <= 0; });
  out.clock_known = !known.empty() && reference_ghz_ > 0;
  if (out.clock_known) {
    std::sort(known.begin(), known.end());
    out.clock_ghz = quantile_of_sorted(known, 0.5);
    out.clock_low = lowest_ghz_ / reference_ghz_;
    out.clock_of_best = best_ghz_ > 0 ? out.clock_ghz / best_ghz_ : 0;
  }
  out.clock_stable = stable_;
  out.samples_taken = ledger.taken();
  out.samples_disturbed = ledger.disturbed();
  out.kept_disturbed = ledger.kept_disturbed();
  out.least_median = out.kept_disturbed ? ledger.least_median() : 1;
  out.causes = ledger.causes();
  out.sampled_s = ledger.sampled_s();
  if (threads && threads_sampling_) {
    ThreadWork work = work_between(*threads_sampling_, *threads);
    work.sampled_s = out.sampled_s;
    work.wall_s = sampling_wall_s;
    out.threads_worked = threads_that_worked(work);
  }
  return out;
}

namespace {

std::string percent(double share) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f %%", share < 0.1 ? 1 : 0, share * 100);
  return text.data();
}

std::string number(double value, const char* format) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

// For a single thread its waiting is known window by window, which is more exact.
bool is_crowded_on_own(const SectionConditions& c) {
  return c.threads > 1 && c.foreign_on_own &&
         crowded(c.threads, *c.foreign_on_own, c.wall_s, c.own_processors);
}

// There is no doubt about a median that the disturbances can have changed by less than the margin of
// `compare`.
constexpr double kLeastShare = 0.99;

}  // namespace

std::optional<std::string> doubt(const SectionConditions& c) {
  if (!c.kept_disturbed || c.samples_taken == 0 || c.least_median > kLeastShare) return std::nullopt;
  const double share = static_cast<double>(c.samples_disturbed) / static_cast<double>(c.samples_taken);
  return percent(share) + " of the samples were disturbed: " + listed(c.causes);
}

std::optional<std::string> crowding(const SectionConditions& c) {
  if (c.timed_by == TimedBy::device) return std::nullopt;
  if (!c.foreign_cores || !crowded(c.threads, *c.foreign_cores, c.wall_s, c.processors)) {
    if (!is_crowded_on_own(c)) return std::nullopt;
    return std::to_string(c.threads) + " threads and " + number(*c.foreign_on_own, "%.2f") +
           " cores of others on the " + std::to_string(c.own_processors) + " cores that they are bound to";
  }
  return std::to_string(c.threads) + (c.threads == 1 ? " thread and " : " threads and ") +
         number(*c.foreign_cores, "%.2f") + " cores of others on a host of " +
         std::to_string(c.processors) + (c.processors == 1 ? " core" : " cores");
}

std::optional<Throttling> throttled_between(const Throttling& before, Throttling after, double wall_s) {
  after.periods -= std::min(after.periods, before.periods);
  after.stopped_s -= before.stopped_s;
  // A system may count only periods.
  const bool is_noticed = after.stopped_s <= 0 || after.stopped_s > kDisturbingShare * wall_s;
  return after.periods > 0 && is_noticed ? std::optional(after) : std::nullopt;
}

std::string about_throttling(const Throttling& throttled) {
  std::string text = throttled.quota > 0 ? "the quota of " + number(throttled.quota, "%.2f") + " processors"
                                         : std::string("a CPU quota");
  text += " (a control group) stopped it in " + std::to_string(throttled.periods) +
          (throttled.periods == 1 ? " period" : " periods");
  if (throttled.stopped_s > 0) text += ", for " + number(throttled.stopped_s, "%.2g") + " s";
  return text;
}

DoubtCause doubt_cause(const SectionConditions& c) {
  if (c.throttled) return DoubtCause::quota;
  if (!doubt(c)) return crowding(c) ? DoubtCause::others : DoubtCause::unknown;
  const auto most = std::max_element(c.causes.begin() + 1, c.causes.end());
  return *most == 0 ? DoubtCause::unknown : doubt_cause_of(static_cast<Cause>(most - c.causes.begin()));
}

bool another_try_may_help(const SectionConditions& c, const MeasureRules& rules) {
  if (c.throttled) return false;
  if (crowding(c)) return true;
  std::uint64_t passing = 0;
  for (const Cause cause : {Cause::clock, Cause::steal, Cause::migrated, Cause::switched})
    passing += c.causes[static_cast<std::size_t>(cause)];
  return doubt(c) &&
         static_cast<double>(passing) > rules.discard.share * static_cast<double>(c.samples_taken);
}

std::vector<std::string> complaints(const SectionConditions& c, const MeasureRules& rules) {
  constexpr double kFaultS = 0.5e-6;     // approximate cost of a minor page fault
  constexpr double kFaultsShare = 0.01;  // of the sampled time
  std::vector<std::string> out;
  if (c.gpu) out = complaints(*c.gpu);
  if (c.timed_by == TimedBy::device) return out;
  if (!c.clock_stable)
    out.emplace_back("the clock was not stable when the warm-up ended: measure.warmup.max_time came first");
  if (c.clock_known && c.clock_of_best > 0 && c.clock_of_best < rules.discard.clock) {
    out.push_back("the clock was " + number(c.clock_ghz, "%.2f") + " GHz, " + percent(c.clock_of_best) +
                  " of the best that this process has seen");
  }
  if (c.foreign_cores && neighbour_noticed(*c.foreign_cores, c.wall_s) && !crowding(c))
    out.push_back("others kept " + number(*c.foreign_cores, "%.2f") + " cores of this host busy");
  const double faults_s = static_cast<double>(c.minor_faults) * kFaultS;
  if (faults_s > kFaultsShare * c.sampled_s) {
    out.push_back("page faults took about " + percent(faults_s / std::max(c.sampled_s, 1e-9)) +
                  " of the sampled time: " + std::to_string(c.minor_faults));
  }
  return out;
}

}  // namespace kernsweep
