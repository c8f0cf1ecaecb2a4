// The coordinator's shell: what the core orders.
#include "coordinator/net/shell.hpp"
#include "shared/log.hpp"
#include "shared/wire/convert.hpp"

namespace kernsweep::coordination {

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
  wire::ToAgent message;
  writer_->write(order.attempts, session->sent, *message.mutable_jobs());
  send(*session, message);
}

void Shell::act(const CancelJobs& order) {
  Session* const session = session_of(order.worker);
  if (!session) return;
  wire::ToAgent message;
  for (const AttemptId& attempt : order.attempts)
    encode(attempt, *message.mutable_cancel()->add_attempts());
  send(*session, message);
}

void Shell::act(const StoreResult& order) {
  Finding finding;
  finding.attempt = order.attempt;
  finding.outcome = order.outcome;
  finding.accepted = order.accepted;
  finding.reason = order.reason;
  if (order.payload) {
    KS_ASSERT(*order.payload < bodies_.size());
    finding.body = std::move(bodies_[*order.payload]);
  }
  if (order.worker) {
    if (const Session* session = session_of(*order.worker)) finding.host = session->host;
  }
  findings_.push_back(std::move(finding));
}

void Shell::act(const ReleaseResults& order) {
  Session* const session = session_of(order.worker);
  if (!session || order.attempts.empty()) return;
  wire::ToAgent message;
  for (const AttemptId& attempt : order.attempts)
    encode(attempt, *message.mutable_release()->add_attempts());
  send(*session, message);
}

void Shell::act(const SendHeartbeat& order) {
  Session* const session = session_of(order.worker);
  if (!session) return;
  wire::ToAgent message;
  message.mutable_heartbeat();
  send(*session, message);
}

void Shell::act(const DismissWorker& order) {
  Session* const session = session_of(order.worker);
  if (!session) return;
  // One that is lost may be alive after all; one that is not needed any more ends.
  wire::ToAgent message;
  if (ending_) {
    message.mutable_goodbye()->set_reason(order.reason);
  } else {
    message.mutable_rejoin();
    watcher_.note("worker " + std::to_string(order.worker.value) + " (" +
                  hosts_[session->facts.facts].name + ") is gone: " + order.reason);
  }
  send(*session, message);
  sessions_.erase(order.worker.value);
}

void Shell::act(const SweepEnded& order) {
  const bool whole = order.ending == Ending::complete || order.ending == Ending::incomplete;
  if (!config_.stay || !whole) {
    ending_ = order.ending;
    return;
  }
  resting_ = order.ending;
  watcher_.note("every job has its outcome; staying for workers until Ctrl-C");
}

void Shell::act(const ScanOn&) {
  scan_on_ = true;
}

void Shell::read_store() {
  if (!store_) return;
  StoreThread::Committed committed = store_->take();
  for (const auto& [tag, host] : committed.hosts) {
    Session* const session = session_of(WorkerId{tag});
    if (!session || session->joined) continue;
    session->host = host;
    join(*session);
  }
  if (!committed.attempts.empty()) apply(ResultsStored{std::move(committed.attempts)});
  if (committed.failure) {
    store_failure_ = *committed.failure;
    apply(StoreFailed{*committed.failure});
  }
}

}  // namespace kernsweep::coordination
