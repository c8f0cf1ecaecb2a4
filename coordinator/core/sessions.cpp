// Workers come, fall silent, come back: whose attempt is believed after that.
#include <string>
#include <vector>

#include "coordinator/core/state.hpp"

namespace kernsweep::coordination {

Worker* Core::State::heard(WorkerId id) {
  Worker* worker = roster.find(id);
  if (worker) worker->heard = now;
  return worker;
}

void Core::State::on(const WorkerHeard& event) {
  heard(event.worker);
}

void Core::State::on(const WorkerJoined& event) {
  if (heard(event.worker)) return;
  Worker& worker = roster.join(event.worker, event.host, now);
  for (const auto& run : sweeps) run->stream_for(worker.host).join(worker.kind, worker.host);
  Worker* former = event.former && event.former != event.worker ? roster.find(*event.former) : nullptr;
  for (const AttemptId& attempt : event.holding) {
    welcome(worker, attempt, former ? event.former : std::nullopt);
  }
  if (former) {
    for (PendingStore& store : pending) {
      if (store.worker == event.former) store.worker = worker.id;
    }
    for (const auto& run : sweeps) {
      for (const Flight& lost : run->flights.sent_to(former->id)) {
        run->send_again(*run->flights.find(lost.index, lost.host), false);
      }
    }
    leave_streams(*former);
    roster.remove(*event.former);
  }
  refill_all = true;
  if (sweeps.empty() && !ended.empty() && !options.stay && !failed) dismiss_all("the sweep is over");
}

// The agent still has this attempt: queued, running, or measured and unreleased.
void Core::State::welcome(Worker& worker, const AttemptId& attempt, std::optional<WorkerId> former) {
  if (failed) return;
  Outbox& box = outboxes[worker.id];
  SweepRun* run = sweep(attempt.job.sweep);
  if (!run) {
    if (ended.count(attempt.job.sweep)) return forget(box, attempt);
    box.cancel.push_back(attempt);
    return;
  }
  if (!run->knows(attempt.job) || attempt.number == 0 || attempt.number > kAttemptMax) {
    box.cancel.push_back(attempt);
    return;
  }
  if (run->stream_of(attempt.job.host)->ledger().settled(attempt.job.index) || run->spent.count(attempt)) {
    return forget(box, attempt);
  }
  Flight* flight = run->flights.find(attempt.job.index, attempt.job.host);
  if (!flight) {
    run->adopt(attempt, worker.id);
    if (!run->started) run->started = now;
  } else if (attempt.number == flight->number && flight->state == FlightState::sent && former &&
             flight->worker == *former) {
    flight->worker = worker.id;
  } else if (flight->state == FlightState::storing) {
    if (attempt.number != flight->number) box.cancel.push_back(attempt);
    return;
  } else if (attempt.number > flight->number) {
    take_from(*flight, *run);
    flight->number = attempt.number;
    flight->worker = worker.id;
    flight->state = FlightState::sent;
    ++run->sent;
  } else {
    if (attempt.number == flight->number && flight->worker == worker.id) return;  // named twice
    if (flight->stores_pending == 0 && attempt.number < flight->number) return forget(box, attempt);
    box.cancel.push_back(attempt);
    return;
  }
  ++worker.held;
  if (run->stopping) box.cancel.push_back(attempt);
}

// Whatever state it is in there: spooled, running or queued.
void Core::State::forget(Outbox& box, const AttemptId& attempt) {
  box.release.push_back(attempt);
  box.cancel.push_back(attempt);
}

// Another worker has a newer attempt of this job.
void Core::State::take_from(Flight& flight, SweepRun& run) {
  if (flight.state != FlightState::sent) return;
  --run.sent;
  outboxes[flight.worker].cancel.push_back(run.newest(flight));
  if (Worker* holder = roster.find(flight.worker); holder && holder->held > 0) --holder->held;
}

void Core::State::leave_streams(const Worker& worker) {
  for (const auto& run : sweeps) run->stream_for(worker.host).leave(worker.kind);
}

void Core::State::on(const WorkerLeft& event) {
  if (roster.find(event.worker)) lose(event.worker, event.reason);
}

void Core::State::lose(WorkerId id, const std::string& reason) {
  if (!failed) {
    for (const auto& run : sweeps) {
      for (const Flight& lost : run->flights.sent_to(id)) {
        conclude(*run, *run->flights.find(lost.index, lost.host), std::nullopt,
                 Arrival{run->newest(lost), Outcome::worker_lost}, reason);
      }
    }
  }
  for (PendingStore& store : pending) {
    if (store.worker == id) store.worker.reset();
  }
  leave_streams(*roster.find(id));
  roster.remove(id);
  outboxes.erase(id);
  actions->emplace_back(DismissWorker{id, reason});
  refill_all = true;
}

void Core::State::on(const JobsReturned& event) {
  Worker* worker = heard(event.worker);
  if (!worker || failed) return;
  for (const AttemptId& attempt : event.attempts) {
    SweepRun* run = sweep(attempt.job.sweep);
    if (!run || !run->knows(attempt.job)) continue;
    Flight* flight = run->flights.find(attempt.job.index, attempt.job.host);
    if (!flight || flight->state != FlightState::sent || flight->number != attempt.number ||
        flight->worker != worker->id) {
      continue;
    }
    if (worker->held > 0) --worker->held;
    run->send_again(*flight, false);
    // It has a reason not to start them; another worker, or its own successor, may not have it.
    if (!run->stopping) worker->rests_until = now + 1s;
  }
  refill_all = true;
}

void Core::State::watch_workers() {
  // If it was us who slept, nobody else was silent.
  const bool slept = now - last_apply > options.silence_limit / 2;
  std::vector<WorkerId> silent;
  for (auto& [id, worker] : roster) {
    if (slept) worker.heard = now;
    if (now - worker.heard > options.silence_limit) {
      silent.push_back(id);
    } else if (now - worker.beat >= options.heartbeat_every) {
      worker.beat = now;
      actions->emplace_back(SendHeartbeat{id});
    }
  }
  for (const WorkerId id : silent) {
    lose(id, "not heard of for " + std::to_string(options.silence_limit / 1ms) + " ms");
  }
}

void Core::State::on(const TimePassed&) {
  watch_workers();
  refill_all = true;
}

}  // namespace kernsweep::coordination
