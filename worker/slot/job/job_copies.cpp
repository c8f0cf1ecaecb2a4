// A job with several copies: the additional work of the first one, and the rounds of the others, which
// replace taking samples.
#include <algorithm>

#include "shared/lists/gpu_lines.hpp"
#include "shared/stats/statistics.hpp"
#include "worker/slot/copies/copied_gauges.hpp"
#include "worker/slot/copies/copy_rounds.hpp"
#include "worker/slot/job/job_attempt.hpp"
#include "worker/slot/watch/gauges.hpp"

namespace kernsweep {

void SlotPlace::take_first_of(std::uint32_t count, Companions* others) {
  copies = count;
  companions = others;
  if (!others) return;
  cpus_of_all = cpus;
  cpus.resize(std::min<std::size_t>(cpus.size(), threads));
  cache_shares.resize(std::min(cache_shares.size(), cpus.size()));
}

// When this copy has verified its output, the others prepare and verify theirs, at the same time.
bool JobRunner::prepare_copies(Attempt& job) {
  if (!place_.companions) return true;
  const auto failed = place_.companions->prepare(
      job.plan, job.rules, job.body, job.out.attempt(),
      [this](const wire::TensorRequests& wanted) { return port_.obtain(wanted); });
  is_done_ = is_done_ || place_.companions->is_done();
  return !failed || job.fail(failed->outcome, failed->reason);
}

std::unique_ptr<Gauges> JobRunner::gauges_of_job() const {
  auto own = system_gauges(place_.cpus_of_all.empty() ? place_.cpus : place_.cpus_of_all,
                           uuids_of_gpus(place_.gpus));
  if (!place_.companions) return own;
  return gauges_of_copies(std::move(own), place_.companions->board(), place_.companions->processes());
}

// A sample is the time of a call. With several copies it is the time of as many calls as there are copies,
// divided by their number. A latency is not divided: it is that of the slowest copy.
Samples JobRunner::take_samples(Attempt& job, const MeasureRules& rules, SectionWatch* watch) {
  const ks_variant& variant = *job.bound->variant;
  const BetweenCalls between = between_calls(job);
  const std::vector<void*> states = job.states();
  // Makes the buffer before the section, which must not count its page faults.
  if (rules.cache == Cache::cold && states.size() == 1 && !eviction_.has_buffer()) between.evict();
  if (!place_.companions)
    return sample(variant, states, rules, between, watch, pack_.queued_runs_of(variant));
  CopyRounds rounds(*place_.companions, variant, states);
  const std::vector<void*> turns(states.size(), rounds.state());
  Samples out = sample(rounds.variant(), turns, rules, rounds.between(between), watch, rounds.queued());
  if (out.status != KS_OK) return out;
  if (job.own_times.empty())
    job.own_times = rounds.keep(out.conditions ? out.conditions->samples_taken : out.seconds.size());
  if (rules.metric == Metric::latency) return out;
  for (double& each : out.seconds) each /= place_.copies;
  return out;
}

// A companion runs this instead of measure(): the calls, and all tasks between them, as the first copy
// orders.
bool JobRunner::work_in_rounds(Attempt& job) {
  const BetweenCalls between = between_calls(job);
  OwnCalls calls(*job.bound->variant, job.states());
  const bool is_cold = job.body.cache() == static_cast<std::uint32_t>(Cache::cold);
  if (is_cold && job.rotation.states().empty() && !eviction_.has_buffer()) between.evict();
  if (!obtain_lease(job)) return false;
  port_.show_measuring(monotonic_now());
  RoundBoard& board = *place_.rounds;
  board.reset();
  std::vector<double> kept;
  for (Round round = board.next(); round.task != RoundTask::end; round = board.next()) {
    ks_status status = KS_OK;
    if (round.task == RoundTask::run) status = calls.make(round.count);
    if (round.task == RoundTask::evict) between.evict();
    if (round.task == RoundTask::restore && between.restore) between.restore();
    if (round.task == RoundTask::keep) kept = calls.times().last(round.count);
    if (status == KS_OK) status = job.eviction;
    board.done(status == KS_OK, round.task == RoundTask::run && round.count > 0 ? calls.elapsed_s() : 0);
    if (status != KS_OK)
      return job.fail(status, Outcome::failed_run,
                      job.explained("the variant reported an error while it was measured"));
  }
  job.result.mutable_samples_s()->Add(kept.begin(), kept.end());
  if (const auto peak = watched(job.rules.measure) ? peak_memory().bytes() : std::nullopt)
    job.result.mutable_conditions()->set_peak_memory_bytes(*peak);
  return compare_with_asked(job, std::nullopt, {});
}

// The median of each copy, and that of the slowest one. `medians`: in the order of the copies.
void JobRunner::tell_copies(Attempt& job, const std::vector<double>& medians) {
  std::vector<CountedMetric> metrics;
  const auto add = [&](const std::string& name, double seconds) { metrics.push_back({name, seconds}); };
  for (std::size_t copy = 0; copy < medians.size(); ++copy)
    add("copy_" + std::to_string(copy + 1) + "_s", medians[copy]);
  add("copy_median_s", summarise(medians).median);
  add("copy_slowest_s", std::ranges::max(medians));
  tell_metrics(job, metrics);
}

void JobRunner::end_copies(Attempt& job) {
  if (place_.copies == 0 || place_.rounds) return;
  std::vector<double> medians;
  if (!job.broken && job.result.samples_s_size() > 0)
    medians.push_back(summarise(place_.companions ? job.own_times
                                                  : std::vector<double>(job.result.samples_s().begin(),
                                                                        job.result.samples_s().end()))
                          .median);
  if (place_.companions) {
    const auto failed = place_.companions->end();
    is_done_ = is_done_ || place_.companions->is_done();
    if (failed && !job.broken) {
      job.result.clear_samples_s();
      job.fail(failed->outcome, failed->reason);
    }
    if (!medians.empty() && !failed) add_outcomes_of_companions(job, medians);
  }
  if (!job.broken && !medians.empty()) tell_copies(job, medians);
}

void JobRunner::add_outcomes_of_companions(Attempt& job, std::vector<double>& medians) {
  bool has_peaks = true, same_bits = true;
  std::uint64_t peaks = 0;
  const auto add_peak = [&](const wire::Conditions& conditions) {
    has_peaks = has_peaks && conditions.peak_memory_bytes() > 0;
    peaks += conditions.peak_memory_bytes();
  };
  add_peak(job.result.conditions());
  std::uint32_t copy = 1;
  for (const wire::OutcomeBody& each : place_.companions->outcomes()) {
    const std::string who = "copy " + std::to_string(++copy) + ": ";
    medians.push_back(
        summarise(std::vector<double>(each.samples_s().begin(), each.samples_s().end())).median);
    for (const std::string& reason : each.grades()) job.result.add_grades(who + reason);
    if (job.result.doubts_size() == 0) job.result.set_doubt_cause(each.doubt_cause());
    if (each.doubts_size() > 0 && each.doubt_cause() == 0) job.result.clear_doubt_cause();
    for (const std::string& reason : each.doubts()) job.result.add_doubts(who + reason);
    add_peak(each.conditions());
    same_bits = same_bits && (!job.hashed || each.output_hash().empty() ||
                              each.output_hash() == std::string(job.hash.view()));
  }
  if (has_peaks) {
    // All copies map the same pages of the operands, and each of them counts them.
    std::uint64_t shared = 0;
    for (const wire::Input& input : job.result.inputs()) shared += input.bytes();
    shared *= job.states().size() * (place_.copies - 1);
    const std::uint64_t own = job.result.conditions().peak_memory_bytes();
    job.result.mutable_conditions()->set_peak_memory_bytes(std::max(own, peaks - std::min(peaks, shared)));
  }
  if (!same_bits && job.result.repeatable()) {  // otherwise one copy alone has different bits each time
    job.result.set_repeatable(false);
    job.result.add_grades("the copies gave different bits");
  }
}

}  // namespace kernsweep
