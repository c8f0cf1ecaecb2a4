// Jobs of a command whose row is in a table that the runs of an earlier job printed (shared_runs.hpp).
#include <algorithm>
#include <limits>
#include <utility>

#include "shared/lists/printed_values.hpp"
#include "shared/stats/statistics.hpp"
#include "worker/slot/job/job_attempt.hpp"
#include "worker/slot/measure/sampler.hpp"
#include "worker/slot/measure/stopping_rule.hpp"

namespace kernsweep {
namespace {

// All that decides what is run and how it is measured, except what the slot has: cores and environment.
// `rules`: a sweep's equal rules are one object.
std::string command_of(const wire::Plan& plan, const wire::JobBody& body, const wire::Attempt& attempt,
                       const Rules& rules) {
  std::string out = std::to_string(attempt.sweep()) + ' ' + std::to_string(attempt.number()) + ' ' +
                    std::to_string(body.cache()) + ' ' +
                    std::to_string(reinterpret_cast<std::uintptr_t>(&rules));
  for (const std::string_view name :
       {std::string_view("command"), std::string_view("command.line"), std::string_view("command.build"),
        std::string_view("command.setup"), std::string_view("command.cleanup"), kMetricsColumn,
        kMetricsFileColumn}) {
    const std::string text = text_of_column(plan, body, name);
    out += '\n' + std::to_string(text.size()) + ':' + text;
  }
  return out;
}

}  // namespace

// Whether the runs of an earlier job have the row, or are recorded for later ones. A job that is compared
// with a reference, or has companions, has runs of its own.
void JobRunner::choose_runs(Attempt& job) {
  if (!prints_text() || isolated_ || place_.companions || place_.rounds || job.is_compared()) return;
  job.row = text_of_column(job.plan, job.body, kMetricsRowColumn);
  if (job.row.empty()) return;
  job.command = command_of(job.plan, job.body, job.out.attempt(), job.rules);
  job.shared = shared_runs_.find(job.command, job.row);
  job.recording = job.shared ? job.shared->number : shared_runs_.next_number();
  const char* const name = !job.shared         ? "command.records"
                           : job.shared->fails ? "command.fails"
                                               : "command.replays";
  job.params.add(name, job.recording);
}

// The recording was removed: the command runs again.
bool JobRunner::forget_shared(Attempt& job) {
  if (!job.shared) return false;
  shared_runs_.forget(job.command);
  if (!job.bound->binding.fill(job.body, job.params)) return false;
  choose_runs(job);
  return true;
}

// Called with the complete result of a job that ran the command.
void JobRunner::keep_runs(const Attempt& job) {
  const bool failed = job.broken && job.out.outcome() == static_cast<std::uint32_t>(Outcome::failed_run);
  if (job.recording == 0 || job.shared || job.has_doubtful_rate || (job.runs.empty() && !failed)) return;
  if (job.broken && !failed) return;
  SharedRun run;
  run.fails = failed;
  run.number = job.recording;
  run.command = job.command;
  run.rows = {job.row};
  run.first_row = job.row;
  run.result = job.result;
  run.result.mutable_metrics()->DeleteSubrange(0, job.own_metrics);
  run.is_throttled = job.out.throttled();
  run.median_s = job.median_s;
  run.runs = failed ? std::vector{std::numeric_limits<std::uint64_t>::max()} : job.runs;
  if (job.hashed) run.hash = job.hash;
  run.sample = job.sample;
  shared_runs_.keep(std::move(run));
}

// The times of the row in each run that has samples of the first row.
bool JobRunner::read_runs(Attempt& job, std::vector<double>& seconds) {
  const ks_variant& variant = *job.bound->variant;
  std::uint64_t next = 0;
  for (const std::uint64_t wanted : job.shared->runs) {
    if (wanted < next) continue;    // a further sample of the same run
    for (; next <= wanted; ++next)  // of one that fails: until then
      if (const ks_status ran = variant.run(job.state); ran != KS_OK)
        return job.fail(ran, Outcome::failed_run, job.explained("a recorded run could not be read"));
    const double* own = nullptr;
    std::size_t count = 0;
    if (variant.samples(job.state, &own, &count) == KS_OK && count > 0)
      seconds.insert(seconds.end(), own, own + count);
    else
      seconds.push_back(variant.elapsed(job.state));
  }
  const std::size_t most = job.rules.measure.samples.max;
  if (seconds.size() > most) seconds.resize(most);
  const bool are_times = std::ranges::all_of(seconds, [](double s) { return s >= kShortestCall; });
  return are_times || job.fail(Outcome::failed_run, "the command printed a time that is not above 0");
}

// In place of measure(): the result of the first job with what the runs say about this row.
bool JobRunner::take_shared(Attempt& job) {
  std::vector<double> times;
  if (!read_runs(job, times)) return false;
  SharedRun& shared = *job.shared;
  shared.rows.insert(job.row);
  const double setup_s = job.result.setup_s();
  const std::int64_t started = job.result.started_unix_ns();
  job.result = shared.result;
  job.result.set_started_unix_ns(started);
  job.result.set_setup_s(setup_s);
  job.result.set_run_s(0);
  job.result.set_lease_wait_s(0);
  job.result.add_notes(as_utf8("read from the runs of the row " + shared.first_row));
  job.out.set_throttled(shared.is_throttled);
  job.hashed = shared.hash.has_value();
  if (job.hashed) job.hash = *shared.hash;
  job.sample = shared.sample;

  StoppingRule rule(job.rules.measure.samples, job.rules.measure.stop);
  for (const double each : times) rule.add(each, from_seconds(each));
  job.result.mutable_samples_s()->Assign(times.begin(), times.end());
  job.result.set_noise(rule.noise());
  job.result.clear_first_call_s();
  job.result.clear_metrics();
  tell_metrics(job, pack_.metrics_of(*job.bound->variant, job.state));
  job.result.mutable_metrics()->MergeFrom(shared.result.metrics());
  job.median_s = summarise(times).median;
  if (job.result.has_conditions()) {
    wire::Conditions& conditions = *job.result.mutable_conditions();
    conditions.clear_alone_median_s();
    if (shared.median_s > 0)
      conditions.set_least_median_s(conditions.least_median_s() * job.median_s / shared.median_s);
    conditions.set_samples_taken(times.size() + conditions.discarded());
  }
  return true;
}

}  // namespace kernsweep
