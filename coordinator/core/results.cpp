// Outcomes: which are believed, which are stored, which may be forgotten.
#include <algorithm>
#include <utility>

#include "coordinator/core/state.hpp"
#include "shared/result.hpp"

namespace kernsweep::coordination {

void Core::State::on(const OutcomesArrived& event) {
  Worker* worker = heard(event.worker);
  Outbox& box = outboxes[event.worker];
  for (const Arrival& arrival : event.arrivals) receive(worker, box, event.worker, arrival);
  refill_one = event.worker;
}

void Core::State::receive(Worker* worker, Outbox& box, WorkerId sender, const Arrival& arrival) {
  const AttemptId& attempt = arrival.attempt;
  SweepRun* run = failed ? nullptr : sweep(attempt.job.sweep);
  const auto drop = [&](bool release) {
    if (release) box.release.push_back(attempt);
    box.unused.push_back(arrival.payload);
  };
  // After a failed store nothing may be forgotten; of a sweep that ended, everything.
  if (!run) return drop(!failed && ended.count(attempt.job.sweep));
  if (!run->knows(attempt.job) || attempt.number == 0 || attempt.number > kAttemptMax) return drop(false);
  if (run->stream_of(attempt.job.host)->ledger().settled(attempt.job.index)) return drop(true);
  if (!run->spent.empty() && run->spent.count(attempt)) return drop(true);
  Flight* flight = run->flights.find(attempt.job.index, attempt.job.host);
  if (!flight) {
    // Nobody else has this job. From a session that is over it must be announced again, by joining.
    if (!worker) return drop(false);
    flight = &run->adopt(attempt, sender);
    ++worker->held;
  }
  if (flight->state == FlightState::storing) return drop(false);
  const bool current =
      attempt.number == flight->number && flight->state == FlightState::sent && flight->worker == sender;
  if (!current) {
    if (!worker || attempt.number <= flight->number) {
      // Answered, not believed. While a row of this job is under way to the store, it may be this very one;
      // and an attempt that is believed from another session is released when it is stored.
      return drop(flight->stores_pending == 0 && attempt.number < flight->number);
    }
    take_from(*flight, *run);
    flight->number = attempt.number;
    flight->worker = sender;
    flight->state = FlightState::sent;
    ++run->sent;
    ++worker->held;
  }
  if (worker->held > 0) --worker->held;
  worker->observe(arrival.busy);
  conclude(*run, *flight, sender, arrival, "");
}

// The newest attempt of a job has its outcome.
void Core::State::conclude(SweepRun& run, Flight& flight, std::optional<WorkerId> worker,
                           const Arrival& arrival, std::string reason) {
  const bool accepted = !run.allows_retry(flight, arrival.outcome, arrival.throttled);
  const AttemptId attempt = run.newest(flight);
  pending.push_back({attempt, worker, arrival.outcome, accepted});
  ++run.stores_pending;
  ++flight.stores_pending;
  actions->emplace_back(StoreResult{attempt, worker, arrival.outcome, accepted,
                                    worker ? std::optional(arrival.payload) : std::nullopt,
                                    std::move(reason)});
  if (accepted) {
    if (flight.state == FlightState::sent) --run.sent;
    flight.state = FlightState::storing;
    ++run.storing;
  } else {
    run.send_again(flight, true);
    refill_all = true;
  }
}

void Core::State::on(const ResultsStored& event) {
  const bool starved = pending.size() >= kStoresPendingMax;
  for (const AttemptId& attempt : event.attempts) {
    // In the order of the orders; a store that answers in another order is only slower.
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

void Core::State::stored(const PendingStore& store) {
  if (failed) return;
  SweepRun* run = sweep(store.attempt.job.sweep);
  KS_ASSERT(run);  // a sweep ends after its last store
  --run->stores_pending;
  if (store.worker) outboxes[*store.worker].release.push_back(store.attempt);
  const JobId& job = store.attempt.job;
  Flight* flight = run->flights.find(job.index, job.host);
  if (flight && flight->stores_pending > 0) --flight->stores_pending;
  if (!store.accepted) return;
  run->stream_of(job.host)->ledger().settle(job.index);
  run->flights.erase(job.index, job.host);
  --run->storing;
  ++run->counts.done;
  ++(store.outcome == Outcome::ok ? run->counts.ok : run->counts.failed);
}

}  // namespace kernsweep::coordination
