// Workers join, are lost (silent for too long, or disconnected) and reconnect; which attempts are accepted
// after that.
#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "coordinator/core/state.hpp"

namespace kernsweep::coordinator {

namespace {
// A worker begins jobs approximately in the order in which it got them: its oldest jobs, up to this number
// plus two per core, may have been with its slots (the longest run of short jobs, and those that may
// overtake).
constexpr std::size_t kRunMax = 256 + 64;
constexpr Duration kGiverRests = 20ms;
}  // namespace

Worker* Core::State::note_message(WorkerId id) {
  Worker* worker = workers.find(id);
  if (worker) worker->last_message = now;
  return worker;
}

void Core::State::on(const WorkerHeard& event) {
  note_message(event.worker);
}

void Core::State::on(const WorkerJoined& event) {
  if (note_message(event.worker)) return;
  Worker& worker = workers.join(event.worker, event.host, now);
  for (const auto& run : sweeps) {
    if (run->stream_for(worker.host).join(worker.host)) refill_all = true;
    run->rechecked = false;
    if (event.former) run->fault_attribution.came_back(*event.former);
  }
  Worker* former = event.former && event.former != event.worker ? workers.find(*event.former) : nullptr;
  for (const AttemptId& attempt : event.holding) {
    welcome(worker, attempt, former ? event.former : std::nullopt);
  }
  if (former) {
    for (PendingStore& store : pending) {
      if (store.worker == event.former) store.worker = worker.id;
    }
    worker.storing = former->storing;
    for (const auto& run : sweeps) {
      run->deferred.forget(former->id);
      for (const InFlightJob& lost : run->in_flight_jobs.sent_to(former->id)) {
        run->send_again(*run->in_flight_jobs.find(lost.index, lost.host));
        refill_all = true;
      }
    }
    if (former->draining) drain(worker, former->reason);
    leave_streams(*former);
    draining.erase(former->id);
    workers.remove(*event.former);
  }
  forget_lost_units(event.host.host);
  claim_stores(worker, event.holding);
  if (const auto entry = quarantined.find(event.host.host); entry != quarantined.end()) {
    drain(worker, entry->second.reason);
  }
  refill_one = worker.id;
}

// Rows of a lost session that are being stored: a worker that reconnects with their results gets the
// releases.
void Core::State::claim_stores(Worker& worker, const std::vector<AttemptId>& holding) {
  if (holding.empty() || pending.empty()) return;
  const std::unordered_set<AttemptId> held(holding.begin(), holding.end());
  for (PendingStore& store : pending) {
    if (store.worker || !held.count(store.attempt)) continue;
    store.worker = worker.id;
    ++worker.storing;
  }
}

// The worker still has this attempt: queued, running, or measured and unreleased.
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
  if (run->stream_of(attempt.job.host)->settled_jobs().settled(attempt.job.index) ||
      run->stored_attempts.covers(attempt)) {
    return forget(box, attempt);
  }
  if (!run->may_adopt(attempt)) {
    box.cancel.push_back(attempt);
    return;
  }
  if (is_for_another_point(*run, attempt, worker) || refuse_unlike(*run, attempt, worker))
    return forget(box, attempt);
  InFlightJob* in_flight = run->in_flight_jobs.find(attempt.job.index, attempt.job.host);
  if (!in_flight) {
    run->adopt(attempt, worker.id);
    if (!run->started) run->started = now;
  } else if (attempt.number == in_flight->number && in_flight->state == InFlightState::sent && former &&
             in_flight->worker == *former) {
    run->hand(*in_flight, worker.id);
  } else if (in_flight->state == InFlightState::storing) {
    if (attempt.number != in_flight->number) box.cancel.push_back(attempt);
    run->deferred.add(attempt, worker.id);  // before its outcome comes, so that no drain comes between
    return;
  } else if (attempt.number > in_flight->number) {
    take_from(*in_flight, *run);
    in_flight->number = attempt.number;
    run->hand(*in_flight, worker.id);
  } else {
    if (attempt.number == in_flight->number && in_flight->worker == worker.id) return;  // listed twice
    if (in_flight->stores_pending == 0 && attempt.number < in_flight->number) return forget(box, attempt);
    box.cancel.push_back(attempt);
    if (in_flight->stores_pending > 0) run->deferred.add(attempt, worker.id);
    return;
  }
  worker.give(1, now);
  run->stream_of(attempt.job.host)->bound().bind(attempt.job.index, worker.host.hardware);
  if (run->stopping) box.cancel.push_back(attempt);
}

// Its point was restarted since, or by an earlier coordinator process in a way that is not known and cannot
// be repeated.
bool Core::State::is_for_another_point(SweepRun& run, const AttemptId& attempt, const Worker& worker) {
  if (run.is_current(attempt.job)) return false;
  if (!run.may_follow(attempt.job)) return true;
  restart(run, attempt.job.index, worker.host.hardware, times_restarted(attempt.job.host));
  return false;
}

// Its point is measured on other hardware. The attempt's number is not used again, because another result
// of it may exist; the job is retried.
bool Core::State::refuse_unlike(SweepRun& run, const AttemptId& attempt, const Worker& worker) {
  if (!run.stream_of(attempt.job.host)->bound().matters()) return false;
  InFlightJob* in_flight = run.in_flight_jobs.find(attempt.job.index, attempt.job.host);
  if (in_flight && (in_flight->state == InFlightState::storing || attempt.number <= in_flight->number))
    return false;
  if (!run.is_unlike(attempt.job, worker.host.hardware)) return false;
  if (in_flight) {
    take_from(*in_flight, run);
  } else {
    in_flight = &run.insert(attempt.job.index, attempt.job.host);
  }
  in_flight->number = attempt.number + 1;
  run.stream_of(attempt.job.host)->requeue({attempt.job.index, in_flight->number});
  refill_all = true;
  return true;
}

// In any state: spooled, running or queued.
void Core::State::forget(Outbox& box, const AttemptId& attempt) {
  box.release.push_back(attempt);
  box.cancel.push_back(attempt);
}

// Another worker has a newer attempt of this job.
void Core::State::take_from(InFlightJob& in_flight, SweepRun& run) {
  if (in_flight.state != InFlightState::sent) return;
  outboxes[in_flight.worker].cancel.push_back(run.newest(in_flight));
  if (Worker* holder = workers.find(in_flight.worker)) holder->take(1);
  run.take_back(in_flight, InFlightState::queued);
}

void Core::State::leave_streams(const Worker& worker) {
  if (worker.draining) return;  // its jobs were already requested back
  for (const auto& run : sweeps) run->stream_for(worker.host).leave(worker.host);
  forget_lost_units(worker.host.host);
}

// Called when a worker of the host joins or leaves: when a worker reports lost units, a former session of
// the same worker may still exist.
void Core::State::forget_lost_units(std::uint32_t host) {
  for (const auto& [id, worker] : workers) {
    if (worker.host.host != host) continue;
    if (worker.host.gpus_lost + worker.host.cores_lost == 0) continue;
    for (const auto& run : sweeps) {
      if (run->stream_for(worker.host).forget_lost_units(worker.host)) refill_all = true;
    }
  }
}

void Core::State::on(const WorkerLeft& event) {
  if (workers.find(event.worker)) lose(event.worker, event.reason);
}

void Core::State::lose(WorkerId id, const std::string& reason) {
  const Worker worker = *workers.find(id);
  leave_streams(worker);
  workers.remove(id);
  draining.erase(id);
  for (const auto& run : sweeps) run->deferred.forget(id);
  if (!failed) {
    for (const auto& run : sweeps) lose_jobs(*run, worker, reason);
  }
  if (worker.storing > 0) {
    for (PendingStore& store : pending) {
      if (store.worker == id) store.worker.reset();
    }
  }
  outboxes.erase(id);
  actions->emplace_back(DismissWorker{id, reason});
  refill_all = true;
}

// Jobs that it may have begun are retried by the rules; the others were only in its queue.
void Core::State::lose_jobs(SweepRun& run, const Worker& worker, const std::string& reason) {
  const std::size_t held = run.in_flight_jobs.sent_count(worker.id);
  if (held == 0) return;
  const std::size_t begun = std::min<std::size_t>(held, kRunMax + 2 * std::size_t{worker.cores()});
  std::unordered_set<AttemptId> queued;
  for (const InFlightJob& in_flight : run.in_flight_jobs.newest_sent_to(worker.id, held - begun)) {
    queued.insert(run.newest(in_flight));
  }
  for (const InFlightJob& lost : run.in_flight_jobs.sent_to(worker.id)) {
    conclude_lost(run, *run.in_flight_jobs.find(lost.index, lost.host), worker, reason,
                  !queued.count(run.newest(lost)));
  }
}

void Core::State::on(const JobsReturned& event) {
  Worker* worker = note_message(event.worker);
  if (!worker || failed) return;
  std::uint32_t returned = 0;
  for (const AttemptId& attempt : event.attempts) {
    SweepRun* run = sweep(attempt.job.sweep);
    if (!run || !run->knows(attempt.job)) continue;
    InFlightJob* in_flight = run->in_flight_jobs.find(attempt.job.index, attempt.job.host);
    if (!in_flight || in_flight->state != InFlightState::sent || in_flight->number != attempt.number ||
        in_flight->worker != worker->id) {
      continue;
    }
    worker->take(1);
    run->send_again(*in_flight);
    if (!run->stopping) ++returned;
  }
  if (returned > worker->asked_back) {
    // It may have a reason not to start them that does not apply to another worker, or to its own next
    // session.
    worker->rests_until = now + 1s;
  } else if (returned > 0) {
    // They were requested for an idle worker, so the one that returned them does not get them back at once.
    worker->rests_until = std::max(worker->rests_until, now + kGiverRests);
    worker->empty_retracts = 0;
    worker->ask_again = now;
  }
  worker->asked_back = 0;
  refill_all = true;
}

void Core::State::watch_workers() {
  std::vector<WorkerId> silent;
  for (auto& [id, worker] : workers) {
    if (now - worker.last_message > options.silence_limit) {
      silent.push_back(id);
    } else if (now - worker.last_heartbeat >= options.heartbeat_every) {
      worker.last_heartbeat = now;
      actions->emplace_back(SendHeartbeat{id});
    }
  }
  for (const WorkerId id : silent) {
    lose(id, "not heard of for " + std::to_string(options.silence_limit / 1ms) + " ms");
  }
}

void Core::State::on(const TimePassed&) {
  watch_workers();
  flush_deferred();
  refill_all = true;
}

}  // namespace kernsweep::coordinator
