// Outcomes: which are accepted, which are stored, which may be forgotten.
#include <algorithm>
#include <utility>

#include "coordinator/core/state.hpp"
#include "shared/base/result.hpp"

namespace kernsweep::coordinator {

void Core::State::on(const OutcomesArrived& event) {
  Worker* worker = note_message(event.worker);
  Outbox& box = outboxes[event.worker];
  const std::uint64_t before = worker ? worker->ok + worker->failed : 0;
  for (const Arrival& arrival : event.arrivals) receive(worker, box, event.worker, arrival);
  if (worker) worker->observe_answers(worker->ok + worker->failed - before, now);
  refill_one = event.worker;
}

void Core::State::receive(Worker* worker, Outbox& box, WorkerId sender, const Arrival& arrival) {
  const AttemptId& attempt = arrival.attempt;
  SweepRun* run = failed ? nullptr : sweep(attempt.job.sweep);
  const auto drop = [&](bool release) {
    if (release) box.release.push_back(attempt);
    box.unused.push_back(arrival.payload);
  };
  // After a failed store no outcome may be released; after the end of a sweep, all of its outcomes.
  if (!run) return drop(!failed && ended.count(attempt.job.sweep));
  if (!run->knows(attempt.job) || attempt.number == 0 || attempt.number > kAttemptMax) return drop(false);
  if (run->stream_of(attempt.job.host)->settled_jobs().settled(attempt.job.index)) return drop(true);
  if (run->stored_attempts.covers(attempt)) return drop(true);
  if (!run->is_current(attempt.job) && (!worker || is_for_another_point(*run, attempt, *worker)))
    return drop(worker != nullptr);
  if (worker && run->may_adopt(attempt) && refuse_unlike(*run, attempt, *worker)) return drop(true);
  InFlightJob* in_flight = run->in_flight_jobs.find(attempt.job.index, attempt.job.host);
  if (!in_flight) {
    // No other worker has this job. If its session is over, joining must announce it again.
    if (!worker || !run->may_adopt(attempt)) return drop(false);
    in_flight = &run->adopt(attempt, sender);
    run->stream_of(attempt.job.host)->bound().bind(attempt.job.index, worker->host.hardware);
    worker->give(1, now);
  }
  const bool storing = in_flight->state == InFlightState::storing;
  const bool current = attempt.number == in_flight->number && in_flight->state == InFlightState::sent &&
                       in_flight->worker == sender;
  if (!current) {
    if (storing || !worker || attempt.number <= in_flight->number) {
      // Answered, but not accepted.
      const bool now_known = in_flight->stores_pending == 0 && attempt.number < in_flight->number;
      if (worker && !now_known) run->deferred.add(attempt, sender);
      return drop(now_known);
    }
    if (!run->may_adopt(attempt)) return drop(false);
    take_from(*in_flight, *run);
    in_flight->number = attempt.number;
    run->hand(*in_flight, sender);
    run->stream_of(attempt.job.host)->bound().bind(attempt.job.index, worker->host.hardware);
    worker->give(1, now);
  }
  worker->take(1);
  worker->observe(arrival.busy);
  ++(arrival.outcome == Outcome::ok ? worker->ok : worker->failed);
  conclude(*run, *in_flight, worker, arrival);
}

Trial Core::State::trial_of(SweepRun& run, const InFlightJob& in_flight, const Worker& worker,
                            Outcome outcome, bool throttled) {
  const Stream& stream = *run.stream_of(in_flight.host);
  return {{in_flight.host, in_flight.index},
          worker.host.host,
          worker.id,
          outcome,
          stream.others_here(worker.host.host),
          run.allows_retry(in_flight, outcome, throttled)};
}

// The newest attempt of a job has its outcome.
void Core::State::conclude(SweepRun& run, InFlightJob& in_flight, Worker* worker, const Arrival& arrival) {
  ++worker->storing;
  Trial trial = trial_of(run, in_flight, *worker, arrival.outcome, arrival.throttled);
  trial.gpu_lost = arrival.outcome == Outcome::worker_lost;  // otherwise its worker could not report it
  Judgement judged = run.fault_attribution.judge(trial);
  settle(run, in_flight,
         {run.newest(in_flight), worker->id, arrival.outcome, !judged.retry, arrival.payload,
          std::move(judged.reason)},
         {!judged.retry, judged.counts, judged.not_on});
}

// begun: a slot may have had it. If not, it does not count as a failure.
void Core::State::conclude_lost(SweepRun& run, InFlightJob& in_flight, const Worker& worker,
                                const std::string& reason, bool begun) {
  Judgement judged;
  judged.retry = true;
  judged.counts = false;
  if (begun || in_flight.stores_pending >= kStoresOfOneJobMax) {
    judged = run.fault_attribution.judge(trial_of(run, in_flight, worker, Outcome::worker_lost, false));
  }
  const std::string why = judged.reason.empty() ? reason : judged.reason + "; " + reason;
  settle(run, in_flight,
         {run.newest(in_flight), std::nullopt, Outcome::worker_lost, !judged.retry, std::nullopt, why},
         {!judged.retry, judged.counts, judged.not_on});
}

void Core::State::settle(SweepRun& run, InFlightJob& in_flight, StoreResult row, const Judged& judged) {
  pending.push_back({row.attempt, row.worker, row.outcome, row.accepted, row.reused.has_value()});
  ++run.stores_pending;
  ++in_flight.stores_pending;
  const bool measured = row.outcome == Outcome::ok;
  actions->emplace_back(std::move(row));
  if (judged.accepted) {
    run.take_back(in_flight, InFlightState::storing);
    ++run.storing;
  } else {
    ++run.counts.retried;
    if (judged.counts) ++(measured ? in_flight.disturbed : in_flight.failures);
    run.send_again(in_flight, judged.not_on, measured);
    refill_all = true;
  }
}

void Core::State::on(const ResultsStored& event) {
  const bool starved = pending.size() >= kStoresPendingMax;
  for (const AttemptId& attempt : event.attempts) {
    // In the order of the actions; a store that answers in another order is only slower.
    const auto it = std::find_if(pending.begin(), pending.end(), [&attempt](const PendingStore& store) {
      return store.attempt == attempt;
    });
    if (it == pending.end()) continue;
    const PendingStore store = *it;
    pending.erase(it);
    stored(store);
  }
  if (starved) refill_all = true;
}

// Releases outcomes that wait for no commit, as when a job was returned and has a newer attempt now.
void Core::State::flush_deferred() {
  if (failed) return;
  for (const auto& run : sweeps) {
    release(run->deferred.take_if([&run](const AttemptId& attempt) {
      const InFlightJob* const in_flight = run->in_flight_jobs.find(attempt.job.index, attempt.job.host);
      return !in_flight || (in_flight->stores_pending == 0 && attempt.number < in_flight->number);
    }));
  }
}

void Core::State::release(const std::vector<DeferredReleases::Deferred>& deferred) {
  for (const auto& [attempt, worker] : deferred) outboxes[worker].release.push_back(attempt);
}

// Releases outcomes that waited for the commit of this row.
void Core::State::release_deferred(SweepRun& run, const PendingStore& store, const InFlightJob* in_flight) {
  constexpr std::uint64_t kAny = std::uint64_t{1} << 32;
  const bool over = store.accepted || !in_flight;
  if (!over && in_flight->stores_pending > 0) return;
  auto deferred = run.deferred.take_below(store.attempt.job, over ? kAny : in_flight->number);
  if (store.worker)
    std::erase(deferred, DeferredReleases::Deferred{store.attempt, *store.worker});  // released above
  release(deferred);
}

void Core::State::stored(const PendingStore& store) {
  if (failed) return;
  SweepRun* run = sweep(store.attempt.job.sweep);
  KS_ASSERT(run);  // a sweep ends after its last store
  --run->stores_pending;
  if (store.worker) {
    outboxes[*store.worker].release.push_back(store.attempt);
    Worker* worker = workers.find(*store.worker);
    if (worker && worker->storing > 0) --worker->storing;
  }
  const JobId& job = store.attempt.job;
  InFlightJob* in_flight = run->in_flight_jobs.find(job.index, job.host);
  if (in_flight && in_flight->stores_pending > 0) --in_flight->stores_pending;
  release_deferred(*run, store, in_flight);
  if (!store.accepted) return;
  run->stream_of(job.host)->settled_jobs().settle(job.index);
  run->in_flight_jobs.erase(job.index, job.host);
  run->fault_attribution.forget({job.host, job.index});
  --run->storing;
  ++run->counts.done;
  Tally& counts = run->counts;
  ++(store.reused ? counts.reused : store.outcome == Outcome::ok ? counts.ok : counts.failed);
}

}  // namespace kernsweep::coordinator
