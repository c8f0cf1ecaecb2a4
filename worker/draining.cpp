// The part of the worker's shell that stops it.
//
// The first signal makes it drain: jobs that no slot has begun are returned, running ones are finished, and
// results are delivered. A second signal, the end of drain_time, or a drain_time of 0 stop it at once:
// running jobs are killed and returned.
#include "shared/base/log.hpp"
#include "worker/shell.hpp"

namespace kernsweep::worker {
namespace {

// How long a drained worker waits until its last outcomes are released.
constexpr Duration kReleaseWait = std::chrono::seconds(10);
constexpr Duration kAnswerWait = std::chrono::milliseconds(500);
constexpr Duration kWelcomeWait = std::chrono::seconds(1);
constexpr const char* kReason = "the worker was stopped";

}  // namespace

void Shell::watch_stop() {
  if (stop_.count() > stops_seen_) {
    const bool first = stops_seen_ == 0 && stop_.count() == 1;
    stop_.acknowledge();
    stops_seen_ = stop_.count();
    if (first && config_.drain_time > Duration::zero()) return begin_draining();
    return stop_now();
  }
  if (draining_until_) check_drained();
}

void Shell::begin_draining() {
  draining_until_ = now_ + config_.drain_time;
  log_line(LogLevel::info, "draining: no new job starts; a second signal ends at once");
  send_draining();
  apply(DrainAsked{});
}

void Shell::send_draining() {
  if (session_ == 0) return;  // sent after the welcome
  wire::ToCoordinator message;
  message.set_worker(session_);
  message.mutable_draining()->set_reason(kReason);
  send(message);
}

void Shell::act(const Drained&) {
  drained_ = now_;
}

void Shell::check_drained() {
  if (!drained_) {
    if (now_ >= *draining_until_) stop_now();
    return;
  }
  // Without a coordinator the spool stays on the disk for the next worker. If a hello was just sent (for
  // example because of a lost GPU), a coordinator may still answer it.
  const bool nobody_to_wait_for = session_ == 0 && spool_.on_disk() && now_ - hello_sent_ > kWelcomeWait;
  if (spool_.empty() || nobody_to_wait_for || now_ - *drained_ > kReleaseWait) stop_now();
}

void Shell::stop_now() {
  exit_status_ = 0;
  apply(StopAsked{});
  send_outcomes();
  if (session_ != 0) {
    wire::ToCoordinator message;
    message.set_worker(session_);
    message.mutable_goodbye()->set_reason(kReason);
    send(message);
    goodbye_sent_ = true;
  }
}

// The last messages would be lost if the process ended before they were sent. The coordinator always
// answers a goodbye, so its answer shows that they were.
void Shell::await_answer_to_goodbye() {
  Poll poll;
  poll.add(coordinator_.socket());
  for (Instant until = now_ + kAnswerWait; now_ < until && !coordinator_.broken(); now_ = monotonic_now()) {
    poll.wait(until - now_);
    while (const auto received = coordinator_.socket().receive()) {
      wire::ToWorker message;
      if (!message.ParseFromString(received->bytes) || message.worker() != session_) continue;
      if (message.has_release()) on_attempts(message);
      if (message.has_goodbye()) learn_ended_sweeps(message.goodbye());
      if (message.has_rejoin() || message.has_goodbye()) return;
    }
  }
}

}  // namespace kernsweep::worker
