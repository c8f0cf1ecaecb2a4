// The worker's shell: how it ends when it is told to.
//
// The first signal asks it to drain: what no slot has begun goes back, what runs is finished, what was
// measured is delivered. The second one, the end of drain_time, or a drain_time of 0 end it at once: what
// runs is killed and goes back.
#include "shared/base/log.hpp"
#include "worker/shell.hpp"

namespace kernsweep::worker {
namespace {

// So long a drained worker waits for its last outcomes to be released.
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
  if (draining_until_) watch_draining();
}

void Shell::begin_draining() {
  draining_until_ = now_ + config_.drain_time;
  log_line(LogLevel::info, "draining: nothing new is begun; a second signal ends at once");
  tell_draining();
  apply(DrainAsked{});
}

void Shell::tell_draining() {
  if (session_ == 0) return;  // told after the welcome
  wire::ToCoordinator message;
  message.set_worker(session_);
  message.mutable_draining()->set_reason(kReason);
  send(message);
}

void Shell::act(const Drained&) {
  drained_ = now_;
}

void Shell::watch_draining() {
  if (!drained_) {
    if (now_ >= *draining_until_) stop_now();
    return;
  }
  // Without a coordinator a spool on the disk can wait for the next worker. One to whom we have just said
  // hello, as for a GPU that was lost, may be there.
  const bool nobody_to_wait_for = session_ == 0 && spool_.on_disk() && now_ - said_hello_ > kWelcomeWait;
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
    said_goodbye_ = true;
  }
}

// What a process has said last is lost when it ends before its words have left it. A coordinator answers a
// goodbye in any case.
void Shell::await_answer_to_goodbye() {
  Poll poll;
  poll.add(coordinator_.socket());
  for (Instant until = now_ + kAnswerWait; now_ < until && !coordinator_.broken(); now_ = monotonic_now()) {
    poll.wait(until - now_);
    while (const auto received = coordinator_.socket().receive()) {
      wire::ToWorker message;
      if (!message.ParseFromString(received->bytes) || message.worker() != session_) continue;
      if (message.has_release()) on_attempts(message);
      if (message.has_goodbye()) learn_over(message.goodbye());
      if (message.has_rejoin() || message.has_goodbye()) return;
    }
  }
}

}  // namespace kernsweep::worker
