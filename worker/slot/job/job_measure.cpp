// The timed part of a job: the lease, the section, its conditions, and whether the requested settings were
// in effect.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "shared/lists/gpu_lines.hpp"
#include "shared/stats/statistics.hpp"
#include "shared/text/number_text.hpp"
#include "shared/text/source_call.hpp"
#include "worker/slot/copies/companions.hpp"
#include "worker/slot/job/job_attempt.hpp"
#include "worker/slot/job/settings_check.hpp"
#include "worker/slot/measure/interference.hpp"
#include "worker/slot/measure/sampler.hpp"
#include "worker/slot/own_stop.hpp"
#include "worker/slot/pack/loaded_libraries.hpp"

namespace kernsweep {
namespace {

void tell(const SectionConditions& seen, const HostState& host, wire::Conditions& out) {
  out.set_measured(true);
  out.set_clock_ghz(seen.clock_known ? seen.clock_ghz : 0);
  out.set_clock_low(seen.clock_low);
  out.set_clock_stable(seen.clock_stable);
  out.set_samples_taken(seen.samples_taken);
  out.set_disturbed_by(listed(seen.causes));
  if (seen.foreign_cores) out.set_foreign_cores(*seen.foreign_cores);
  if (seen.steal_s) out.set_steal_s(*seen.steal_s);
  if (seen.energy_j) out.set_energy_j(*seen.energy_j);
  if (host.load_1min) out.set_load_1min(*host.load_1min);
  if (host.temperature_c) out.set_temperature_c(*host.temperature_c);
  out.set_page_faults(seen.minor_faults);
  out.set_switches(seen.involuntary_switches);
  out.set_cpu_s(seen.cpu_s);
}

// The share of a sample that its start may take.
constexpr double kStartingShare = 2e-3;

std::string too_short(const Samples& samples) {
  char text[112];
  if (samples.calls == 1) {
    std::snprintf(text, sizeof text,
                  "one call is too short for the clock: reading it takes %.2g %% of a sample",
                  samples.timer_share * 100);
  } else {
    std::snprintf(text, sizeof text, "reading the clock takes %.2g %% of a sample of %llu calls",
                  samples.timer_share * 100, static_cast<unsigned long long>(samples.calls));
  }
  return text;
}

// Without a warm-up a sample is one call.
FirstCall first_call_of(const Samples& samples) {
  if (samples.warmup_runs > 0 || samples.calls != 1 || samples.seconds.empty()) return {};
  return {samples.seconds.front(), samples.seconds.front(), 0};
}

// Reads the counters of control groups for jobs that are not watched.
constexpr Duration kReadEvery = std::chrono::milliseconds(20);

}  // namespace

// Requests copies of the operands for a watched cold job, if kCopiesMax of them are enough.
void JobRunner::request_copies(const Attempt& job, wire::TensorRequests& requests) const {
  if (job.body.cache() != static_cast<std::uint32_t>(Cache::cold) || !watched(job.rules.measure)) return;
  if (!in_place_operands(job).empty()) return;  // each call needs its operands written back anyway
  const std::size_t states = copies_needed(operands_.footprint(requests), place_.llc_bytes);
  if (states >= 2) operands_.request_copies(states - 1, requests);
}

// Makes a state for each copy. Without copies, or if a state fails, each sample empties the caches.
void JobRunner::rotate(Attempt& job) {
  (void)job.rotation.make(*job.bound->variant, operands_.copies(),
                          [&](const std::vector<ks_tensor>& operands, void*& state) {
                            return prepare(job, operands, state) == KS_OK;
                          });
}

bool JobRunner::obtain_lease(Attempt& job) {
  if (job.leased) return true;
  const Instant wished = monotonic_now();
  if (const Status granted = port_.lease(false); !granted)
    return job.fail(Outcome::failed_run, granted.error().message);
  job.result.set_lease_wait_s(seconds(monotonic_now() - wished));
  job.killed_before = killed_so_far(job);  // not by jobs that were measured meanwhile
  return true;
}

bool JobRunner::is_timed_by_device(const Attempt& job) const {
  const ks_variant& variant = *job.bound->variant;
  return variant.elapsed && pack_.device_of(variant) == "gpu";
}

bool JobRunner::measure(Attempt& job) {
  if (!obtain_lease(job)) return false;
  const ks_variant& variant = *job.bound->variant;
  MeasureRules rules = job.rules.measure;
  rules.cache = job.body.cache() == static_cast<std::uint32_t>(Cache::cold) ? Cache::cold : Cache::hot;
  std::optional<SectionWatch> watch;
  if (watched(rules)) {
    if (!gauges_) gauges_ = gauges_of_job();
    gauges_->add_process(isolated_process());
    watch.emplace(*gauges_, rules, place_.threads, best_clock_ghz_, std::max(place_.copies, 1U),
                  is_timed_by_device(job) ? TimedBy::device : TimedBy::host);
  }
  const Instant start = monotonic_now();
  port_.show_measuring(start);
  if (late_work_) late_work_->before_calls();
  const std::uint64_t unloaded = state_ ? loader_counts().unloads : 0;  // our own packs close none in calls
  const bool looks = !watch && !is_timed_by_device(job);
  if (looks) look_without_watch(job, start);
  was_continued();
  Samples samples = take_samples(job, rules, watch ? &*watch : nullptr);
  const bool continued = was_continued();
  if (state_ && loader_counts().unloads != unloaded) sources_.note_closed_library();
  job.result.set_run_s(seconds(monotonic_now() - start));
  if (late_work_ && samples.status == KS_OK) check_late_work(job, samples);
  if (isolated_ && !fail_call(job)) return false;
  if (samples.status != KS_OK && place_.companions) {
    if (const auto failed = place_.companions->end()) return job.fail(failed->outcome, failed->reason);
  }
  if (samples.status != KS_OK) {
    return job.fail(samples.status, Outcome::failed_run,
                    samples.why.empty()
                        ? job.explained("the variant reported an error while it was measured")
                        : samples.why);
  }
  if (job.eviction != KS_OK) {
    return job.fail(job.eviction, Outcome::failed_run,
                    job.explained("the variant could not empty the caches of its device"));
  }
  tell_samples(job, rules, samples);
  if (continued) job.doubt("the process was stopped and continued while it was measured");
  tell_metrics(job, pack_.metrics_of(variant, job.state));
  job.own_metrics = job.result.metrics_size();
  job.runs = std::move(samples.runs);
  if (!place_.gpus.empty() && !is_timed_by_device(job))
    job.result.add_notes("timed by the host's clock: launch and wait are part of the time");
  if (!samples.conditions) {
    if (looks) tell_without_watch(job, start);
    return true;
  }
  wire::Conditions& conditions = *job.result.mutable_conditions();
  tell(*samples.conditions, gauges_->host_state(), conditions);
  const auto calls = static_cast<double>(samples.conditions->samples_taken * samples.calls);
  if (samples.conditions->gpu) tell_metrics(job, metrics_of(*samples.conditions->gpu, calls));
  tell_counters(job, samples);
  if (const auto peak = peak_memory().bytes()) conditions.set_peak_memory_bytes(*peak);
  conditions.set_metric(static_cast<std::uint32_t>(rules.metric));
  conditions.set_discarded(samples.conditions->samples_taken - samples.seconds.size());
  if (rules.cache == Cache::cold) conditions.set_cold_by(job.states().size() > 1 ? "rotation" : "eviction");
  if (!compare_with_asked(job, samples.conditions->threads_worked, samples.conditions->core_looks))
    return false;
  tell_doubts(job, samples);
  job.out.set_throttled(another_try_may_help(*samples.conditions, rules));
  for (const std::string& complaint : complaints(*samples.conditions, rules))
    job.result.add_grades(complaint);
  measure_alone(job, rules);
  return true;
}

// Adds the doubts about the conditions, and what a program may lack.
void JobRunner::tell_doubts(Attempt& job, const Samples& samples) {
  const SectionConditions& seen = *samples.conditions;
  if (prints_text() && !place_.companions)
    if (const auto advice = advice_on_threads({place_.threads, {}, {}}, seen.core_looks, seen.processors))
      job.result.add_notes(*advice);
  if (job.result.doubts_size() == 0)
    job.result.set_doubt_cause(static_cast<std::uint32_t>(doubt_cause(seen)));
  if (seen.throttled) job.result.add_doubts(about_throttling(*seen.throttled));
  if (const auto doubtful = doubt(seen)) {
    job.result.add_doubts(*doubtful);
    const double least_s = seen.least_median * summarise(samples.seconds).median;
    if (least_s > 0) job.result.mutable_conditions()->set_least_median_s(least_s);
  }
  if (const auto crowd = crowding(seen)) job.result.add_doubts(*crowd);
}

void JobRunner::tell_metrics(Attempt& job, const std::vector<CountedMetric>& metrics) {
  for (const CountedMetric& counted : metrics) {
    wire::Metric& metric = *job.result.add_metrics();
    metric.set_name(as_utf8(counted.name));
    metric.set_value(counted.value);
    metric.set_better(static_cast<std::uint32_t>(counted.better));
    metric.set_unit(as_utf8(counted.unit));
    if (std::abs(counted.value) < kWholeDoubleMax) continue;
    job.result.add_notes(
        as_utf8("the metric '" + counted.name +
                "' has 53 bits: a whole number from 2^53 on may lose its last digits; as an "
                "output it has all of them"));
  }
}

// After those of the kernel: if names are equal, the first one is stored, and the kernel's has a known
// meaning.
void JobRunner::tell_counters(Attempt& job, const Samples& samples) {
  tell_metrics(job, metrics_of(samples.counted, static_cast<double>(samples.counted_calls)));
  if (const auto note = note_of(samples.counted)) job.result.add_notes(*note);
}

void JobRunner::tell_samples(Attempt& job, const MeasureRules& rules, const Samples& samples) {
  job.result.mutable_samples_s()->Add(samples.seconds.begin(), samples.seconds.end());
  job.result.set_calls_per_sample(samples.calls);
  job.result.set_stopped_by(std::string(samples.stopped_by));
  job.result.set_noise(samples.noise);
  job.result.set_warmup_s(samples.warmup_s);
  job.result.set_warmup_runs(samples.warmup_runs);
  if (samples.stopped_by == "max_time" && samples.seconds.size() < rules.samples.min)
    job.result.add_grades("fewer samples than asked for: measure.samples.max_time came first");
  if (samples.timer_share > kTimerShare) job.result.add_grades(too_short(samples));
  if (samples.starting_share > kStartingShare) {
    char text[96];
    std::snprintf(text, sizeof text, "starting the copies together takes %.2g %% of a sample",
                  samples.starting_share * 100);
    job.result.add_grades(text);
  }
  if (!(job.first.seconds > 0)) job.first = samples.first;
  if (job.first.seconds > 0)
    job.result.set_first_call_s(job.first.seconds);
  else
    job.first = first_call_of(samples);
  // With several copies a sample is a share of a call.
  job.median_s = summarise(job.own_times.empty() ? samples.seconds : job.own_times).median;
}

bool JobRunner::compare_with_asked(Attempt& job, const std::optional<WorkedThreads>& worked,
                                   const std::vector<CoreLook>& looks) {
  Found found;
  found.on_device = is_timed_by_device(job);
  if (!job.bound->variant->elapsed) found.threads = worked;  // else the variant's own clock excludes some
  found.threads_at_once = ready_at_once(looks);
  found.cpus_of_threads = cpus_of_threads(isolated_process());
  if (place_.threads > 1)
    for (const CoreLook& look : looks) found.cpus_of_threads.push_back(look.cpus);
  found.variable = [](const char* name) -> const char* { return std::getenv(name); };
  found.runtime = job.result.runtime();
  if (found.threads && !found.threads->at_least)
    job.result.mutable_conditions()->set_threads_found(found.threads->count);
  const Asked asked{place_.threads, place_.cpus, place_.environment};
  std::vector<std::string> different = differences(asked, found);
  const auto lack = found.on_device ? std::nullopt : lack_of_cores_of(looks);
  if (job.rules.measure.verify.asked == AskedRule::grade) {
    if (lack) job.doubt(*lack);
    for (const std::string& difference : different) job.result.add_grades(as_utf8(difference));
    return true;
  }
  if (lack) different.push_back(*lack);
  if (different.empty()) return true;
  std::string reason = "verify.asked: ";
  for (const std::string& difference : different)
    reason += (&difference == &different.front() ? "" : "; ") + difference;
  job.result.clear_samples_s();
  return job.fail(Outcome::failed_setup, reason);
}

// In the warm-up, and once after the samples: a call may narrow the masks later.
std::optional<std::string> JobRunner::lack_of_cores_of(const std::vector<CoreLook>& looks) const {
  const Asked asked{place_.threads, place_.cpus, place_.environment};
  if (auto lack = lack_of_cores(asked, looks)) return lack;
  const bool is_here = !isolated_ && !prints_text() && !place_.companions;
  return looks.empty() || !is_here ? std::nullopt : lack_of_cores(asked, {look_at_threads(-1)});
}

// Programs and functions take milliseconds whatever the rules request, so looks at their cores cost little.
// The counters of groups are read at most every kReadEvery.
void JobRunner::look_without_watch(Attempt& job, Instant begun) {
  const std::string_view family = family_.name;
  const bool is_slow = prints_text() || family == "python" || is_source_family(family);
  if (place_.threads > 1 && is_slow && !isolated_ && !place_.companions) job.looks.emplace();
  if (throttling_at_ && begun - *throttling_at_ < kReadEvery) return;
  if (!groups_) groups_.emplace();
  throttling_ = groups_->throttling();
  throttling_at_ = begun;
}

void JobRunner::tell_without_watch(Attempt& job, Instant begun) {
  if (const auto lack = lack_of_cores_of(job.core_looks)) job.doubt(*lack);
  const Instant ended = monotonic_now();
  if (ended - begun < kReadEvery) return;
  const Throttling before = std::exchange(throttling_, groups_->throttling());
  throttling_at_ = ended;
  const auto throttled = throttled_between(before, throttling_, seconds(ended - begun));
  if (!throttled) return;
  if (job.result.doubts_size() == 0)
    job.result.set_doubt_cause(static_cast<std::uint32_t>(DoubtCause::quota));
  job.result.add_doubts(about_throttling(*throttled));
}

// Measures the same point again while no other slot works on the host, which shows the cost of neighbours.
// A failure here does not change the first result.
void JobRunner::measure_alone(Attempt& job, MeasureRules rules) {
  if (job.leased || rules.alone_on == Exclusion::host ||
      !chosen_for_interference(job.seed, job.out.attempt().index(), rules.interference)) {
    return;
  }
  if (!port_.lease(true)) return;
  rules.samples.max = rules.samples.min;
  rules.samples.min_time = Duration::zero();
  port_.show_measuring(monotonic_now());
  const Samples alone = take_samples(job, rules, nullptr);
  if (job.good(alone.status))
    job.result.mutable_conditions()->set_alone_median_s(summarise(alone.seconds).median);
}

BetweenCalls JobRunner::between_calls(Attempt& job) {
  BetweenCalls out;
  out.evict = [this, &job] { evict_caches(job); };
  if (!job.in_place.empty()) out.restore = [&job] { job.in_place.restore(); };
  if (job.looks) out.warmed_up = [&job] { job.core_looks = job.looks->end(); };
  out.waited = pack_.waited_of(*job.bound->variant);
  return out;
}

// Empties the host's caches, and those of the variant's device if it has any: operands may be in both.
void JobRunner::evict_caches(Attempt& job) {
  const ks_status evicted = pack_.evict(*job.bound->variant, job.state);
  if (!job.good(evicted) && job.eviction == KS_OK) job.eviction = evicted;
  if (eviction_.run() || job.eviction != KS_OK) return;
  job.eviction = KS_OUT_OF_MEMORY;
  job.host.explained = "there is no memory for the " + std::to_string(eviction_.buffer_bytes()) +
                       " bytes that empty the caches for a cold call";
}

}  // namespace kernsweep
