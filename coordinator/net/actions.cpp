// The coordinator's shell: carries out the core's actions.
#include <algorithm>

#include "coordinator/net/shell.hpp"
#include "shared/base/log.hpp"
#include "shared/text/moment.hpp"
#include "shared/wire/convert.hpp"

namespace kernsweep::coordinator {

void Shell::apply(const Event& event) {
  std::vector<Action> actions;
  core_.apply(now_, event, actions);
  for (const Action& action : actions) {
    std::visit([this](const auto& order) { act(order); }, action);
  }
}

void Shell::act(const SendJobs& order) {
  Session* const session = session_of(order.worker);
  if (!session) return;
  wire::ToWorker message;
  const double at = unix_now();
  for (const AttemptId& attempt : order.attempts) {
    sent_[attempt] = {at, order.worker};
    if (log_file_is_open()) {
      auto fields = fields_of(attempt);
      fields.push_back({"worker", std::uint64_t{order.worker.value}});
      log_event("sent", fields);
    }
  }
  sent_ever_ += order.attempts.size();
  // Jobs of one sweep are consecutive.
  for (auto from = order.attempts.begin(); from != order.attempts.end();) {
    const SweepId sweep = from->job.sweep;
    const auto to = std::find_if(from, order.attempts.end(),
                                 [&](const AttemptId& attempt) { return attempt.job.sweep != sweep; });
    RunningSweep* const known = running_sweep(sweep);
    KS_ASSERT(known);
    for (auto attempt = from; attempt != to; ++attempt) known->space.begun(attempt->job.index);
    known->writer.write({from, to}, session->sent, *message.mutable_jobs());
    from = to;
  }
  send(*session, message);
}

void Shell::act(const CancelJobs& order) {
  Session* const session = session_of(order.worker);
  if (!session) return;
  wire::ToWorker message;
  for (const AttemptId& attempt : order.attempts) {
    encode(attempt, *message.mutable_cancel()->add_attempts());
    if (const auto sent = sent_.find(attempt); sent != sent_.end())
      sent->second.comes_back_as = EventKind::cancelled;
  }
  send(*session, message);
}

void Shell::act(const RetractJobs& order) {
  Session* const session = session_of(order.worker);
  if (!session) return;
  wire::ToWorker message;
  for (const AttemptId& attempt : order.attempts) {
    encode(attempt, *message.mutable_retract()->add_attempts());
    if (const auto sent = sent_.find(attempt); sent != sent_.end())
      sent->second.comes_back_as = EventKind::retracted;
  }
  send(*session, message);
}

void Shell::act(const StoreResult& order) {
  PendingResult result;
  result.attempt = order.attempt;
  result.outcome = order.outcome;
  result.accepted = order.accepted;
  result.reason = order.reason;
  if (order.reused) result.reused = ResultId{*order.reused};
  if (order.payload) {
    KS_ASSERT(*order.payload < bodies_.size());
    result.body = std::move(bodies_[*order.payload]);
  }
  if (order.worker) {
    if (const Session* session = session_of(*order.worker)) {
      result.host = session->host;
      result.session = session->id.value;
    }
  }
  if (const auto sent = sent_.find(order.attempt); sent != sent_.end()) {
    result.sent_unix_s = sent->second.unix_s;
    if (result.session == 0) result.session = sent->second.worker.value;  // lost with that worker
    sent_.erase(sent);
  }
  if (!order.reused) ++ended_as_[order.outcome];
  if (log_file_is_open()) {
    auto fields = fields_of(order.attempt);
    if (order.worker) fields.push_back({"worker", std::uint64_t{order.worker->value}});
    fields.push_back({"outcome", std::string(name_of(order.outcome))});
    if (!order.reason.empty()) fields.push_back({"reason", order.reason});
    log_event("finished", fields);
  }
  pending_results_.push_back(std::move(result));
}

void Shell::act(const ReleaseResults& order) {
  unused_.insert(unused_.end(), order.unused_payloads.begin(), order.unused_payloads.end());
  Session* const session = session_of(order.worker);
  if (!session || order.attempts.empty()) return;
  wire::ToWorker message;
  for (const AttemptId& attempt : order.attempts)
    encode(attempt, *message.mutable_release()->add_attempts());
  send(*session, message);
}

void Shell::act(const SendHeartbeat& order) {
  Session* const session = session_of(order.worker);
  if (!session) return;
  wire::ToWorker message;
  message.mutable_heartbeat();
  send(*session, message);
}

void Shell::act(const WorkerDrained& order) {
  Session* const session = session_of(order.worker);
  if (!session) return;
  wire::ToWorker message = goodbye_message(order.reason);
  message.mutable_goodbye()->set_shut_out(core_.is_quarantined(session->facts.host));
  send(*session, message);
  leaving_.insert(session->peer);
  watcher_.note("worker " + std::to_string(order.worker.value) + " (" + hosts_[session->facts.facts].name +
                ") is drained: " + order.reason);
  note(EventKind::drained, *session, order.reason);
  sessions_.erase(order.worker.value);
}

void Shell::act(const DismissWorker& order) {
  Session* const session = session_of(order.worker);
  if (!session) return;
  wire::ToWorker message;
  message.mutable_rejoin();  // the worker may still be running
  send(*session, message);
  if (!session->goodbye_received) asked_to_rejoin_.insert(session->peer);
  watcher_.note("worker " + std::to_string(order.worker.value) + " (" + hosts_[session->facts.facts].name +
                ") is gone: " + order.reason);
  note(session->goodbye_received ? EventKind::left : EventKind::lost, *session, order.reason);
  sessions_.erase(order.worker.value);
}

void Shell::act(const SweepEnded& order) {
  RunningSweep* const sweep = running_sweep(order.sweep);
  if (!sweep) return;
  const std::string name = sweep->name() + "@" + std::to_string(order.sweep.value);
  note(EventKind::ended, order.sweep);
  ended(*sweep, order.ending);
  // With --stay the coordinator continues after a sweep, unless the user stops it or the store has failed.
  const bool ends = !config_.stay || stops_seen_ > 0 || order.ending == Ending::store_failed;
  if (ends) ends_when_idle_ = true;
  end_if_idle();
  if (!ends && is_whole(order.ending)) {
    watcher_.note(sweeps_.empty()
                      ? "every job has its outcome; waiting for sweeps from clients until Ctrl-C"
                      : "every job of " + name + " has its outcome");
  }
}

void Shell::act(const PointBegunAnew& order) {
  RunningSweep* const sweep = running_sweep(order.sweep);
  if (!sweep) return;
  EventRow event;
  event.record.what = EventKind::restarted;
  event.record.attempt = AttemptId{{order.sweep, order.job, restarted(order.times)}, 0};
  event.reason = "the kind of host that measured it did not come back";
  note(std::move(event));
  if (sweep->restarted++ > 0) return;
  watcher_.note(sweep->name() + "@" + std::to_string(order.sweep.value) + ": the host that measured " +
                sweep->space.label(order.job) +
                " did not come back; this and similar points will be re-measured on another kind of host; "
                "earlier results are kept");
}

void Shell::act(const ScanOn&) {
  scan_on_ = true;
}

void Shell::read_store() {
  if (!store_) return;
  StoreThread::Committed committed = store_->take();
  for (const std::string& line : committed.notes) watcher_.warning(line);
  // Before the hosts: a worker that reconnects may hold jobs of sweeps that an earlier coordinator began.
  for (auto& [tag, begun] : committed.begun) on_begun(tag, std::move(begun));
  for (const auto& [id, round] : committed.asked) on_asked(id, round);
  hosts_posted_ -= committed.hosts.size();
  for (const auto& [tag, host] : committed.hosts) {
    Session* const session = session_of(WorkerId{tag});
    if (!session || session->joined) continue;
    session->host = host;
    join(*session);
  }
  stored_ += committed.attempts.size();
  if (!committed.attempts.empty()) apply(ResultsStored{std::move(committed.attempts)});
  if (!committed.low_space.empty() && low_space_.empty()) {
    low_space_ = committed.low_space;
    apply(StopAsked{});
    ends_when_idle_ = true;
    end_if_idle();
  }
  if (committed.failure) {
    store_failure_ = *committed.failure;
    apply(StoreFailed{*committed.failure});
    ends_when_idle_ = true;  // if no sweep is running, no end of a sweep will set it
    end_if_idle();
  }
}

}  // namespace kernsweep::coordinator
