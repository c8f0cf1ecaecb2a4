// Answers about progress, waiting jobs and workers. Changes nothing.
#include <algorithm>
#include <utility>

#include "coordinator/core/state.hpp"

#include "shared/text/counted.hpp"

namespace kernsweep::coordinator {

std::string_view name_of(Ending ending) {
  switch (ending) {
    case Ending::complete:
      return "complete";
    case Ending::incomplete:
      return "incomplete";
    case Ending::stopped:
      return "stopped";
    case Ending::store_failed:
      return "store_failed";
    case Ending::time_limit:
      return "time_limit";
  }
  return "";
}

bool Core::is_quarantined(std::uint32_t host) const {
  return state_->quarantined.count(host) != 0;
}

bool Core::is_stopping(SweepId sweep) const {
  const SweepRun* const run = state_->sweep(sweep);
  return run && run->stopping;
}

std::vector<SweepProgress> Core::sweeps() const {
  std::vector<SweepProgress> all;
  for (const auto& run : state_->sweeps)
    all.push_back({run->id, run->priority, std::nullopt, run->tally()});
  for (const auto& [id, ended] : state_->ended)
    all.push_back({id, ended.priority, ended.ending, ended.tally});
  return all;
}

std::optional<WorkerState> Core::worker(WorkerId id) const {
  const Worker* worker = state_->workers.find(id);
  if (!worker) return std::nullopt;
  const bool resting = state_->now < worker->rests_until;
  return WorkerState{worker->held, worker->draining, resting,       worker->mean_busy_s,
                     worker->ok,   worker->failed,   worker->reason};
}

TableSizes Core::tables() const {
  TableSizes sizes;
  sizes.sweeps = state_->sweeps.size();
  sizes.workers = state_->workers.size();
  sizes.stores = state_->pending.size();
  for (const auto& run : state_->sweeps) {
    sizes.in_flight_jobs += run->in_flight_jobs.size();
    sizes.deferred += run->deferred.size();
    sizes.suspects += run->fault_attribution.size();
    for (const auto& [host, stream] : run->streams) sizes.set_aside += stream.set_aside();
  }
  return sizes;
}

JobState Core::State::standing_of(SweepRun& run, const JobId& job) {
  if (job.index >= run.space->size() || !run.is_host_of_jobs(job.host)) return {};
  JobState state;
  Stream* stream = run.stream_of(job.host);
  const bool settled = stream && stream->settled_jobs().settled(job.index);
  InFlightJob* in_flight = stream ? run.in_flight_jobs.find(job.index, job.host) : nullptr;
  if (in_flight) state.attempt = in_flight->number;
  if (!run.space->wanted(job.index)) {
    state.standing = Standing::rejected;
  } else if (job.index >= run.asked) {
    state.standing = run.may_ask ? Standing::not_asked : Standing::rejected;
  } else if (settled) {
    state.standing = Standing::answered;
  } else if (in_flight && in_flight->state == InFlightState::storing) {
    state.standing = Standing::storing;
  } else if (in_flight && in_flight->state == InFlightState::sent) {
    state.standing = Standing::with_worker;
    state.worker = in_flight->worker;
  } else if (run.stopping) {
    state.standing = Standing::stopping;
  } else if (run.held) {
    state.standing = Standing::held;
  } else if (!stream || !stream->fits_somebody_here(job.index, run.in_flight_jobs)) {
    state.standing = why_nobody(run, stream, job);
    if (state.standing == Standing::no_host_fits)
      state.why = stream->why_not(job.index, run.in_flight_jobs);
  } else if (in_flight) {
    state.standing = Standing::again;
  } else {
    state.standing = Standing::its_turn;
    state.before = job.index - std::min(job.index, stream->cursor());
    for (const auto& other : sweeps) {
      if (other.get() == &run) break;
      if (other->priority <= run.priority || other->stopping || !other->has_jobs_waiting()) continue;
      state.standing = Standing::after_sweep;
      state.after = other->id;
      break;
    }
  }
  return state;
}

Standing Core::State::why_nobody(const SweepRun& run, const Stream* stream, const JobId& job) {
  bool anybody = false;
  for (const auto& [id, worker] : workers) {
    if (!stream || (run.hosts == Hosts::each && worker.host.host != job.host)) continue;
    anybody = anybody || !worker.draining;
    if (worker.draining && stream->fits(job.index, worker.host)) return Standing::draining;
  }
  return anybody ? Standing::no_host_fits : Standing::no_worker;
}

JobState Core::explain(const JobId& job) const {
  if (SweepRun* run = state_->sweep(job.sweep)) return state_->standing_of(*run, job);
  JobState state;
  if (state_->ended.count(job.sweep)) state.standing = Standing::over;
  return state;
}

std::optional<UnplacedJobs> Core::unplaced(SweepId sweep) const {
  const SweepRun* const run = state_->sweep(sweep);
  if (!run || run->stopping || run->held || run->sent > 0 || !run->has_only_unschedulable()) return {};
  for (const auto& [host, stream] : run->streams) {
    if (stream.unschedulable() == 0) continue;
    const std::uint64_t index = stream.first_unschedulable();
    return UnplacedJobs{
        {sweep, index, stream.host_of(index)}, run->unschedulable(), stream.why_unschedulable(index)};
  }
  return {};
}

std::string describe(const JobState& state) {
  const std::string attempt = "attempt " + std::to_string(state.attempt);
  switch (state.standing) {
    case Standing::unknown:
      return "there is no such job here";
    case Standing::over:
      return "its sweep has ended; if the job has an outcome, kernsweep show DB SWEEP/JOB prints it";
    case Standing::rejected:
      return "the sweep does not run this job: its process is not needed or was left out";
    case Standing::not_asked:
      return "it runs only if the processes measured before it leave a comparison or claim undecided";
    case Standing::answered:
      return "it has its outcome";
    case Standing::storing:
      return "its outcome is on its way to the database (" + attempt + ")";
    case Standing::held:
      return "its sweep waits until a worker has checked whether results of earlier runs still hold";
    case Standing::with_worker:
      return "it is with worker " + std::to_string(state.worker.value) + " (" + attempt + ")";
    case Standing::stopping:
      return "its sweep is being stopped; it will not run";
    case Standing::again:
      return "it waits for another try (" + attempt + ")";
    case Standing::its_turn:
      return "it waits its turn; at most " +
             counted(state.before, "job of its sweep comes", "jobs of its sweep come") + " before it";
    case Standing::no_worker:
      return "no worker that could run it is connected; start one with kernsweep worker --join FILE";
    case Standing::draining:
      return "every connected worker that fits is draining; start another";
    case Standing::after_sweep:
      return "sweep " + std::to_string(state.after.value) + " has a higher priority and goes first";
    case Standing::no_host_fits:
      break;
  }
  std::string text = "it fits none of the connected hosts:";
  for (const std::string& line : state.why) text += "\n  " + line;
  return text;
}

}  // namespace kernsweep::coordinator
