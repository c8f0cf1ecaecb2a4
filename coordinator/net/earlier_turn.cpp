// The coordinator's shell: sweeps that are held until it is known which earlier results are still valid.
#include <algorithm>

#include "coordinator/net/shell.hpp"
#include "shared/base/log.hpp"

namespace kernsweep::coordinator {
namespace {

// How long to wait for workers of an earlier run to reconnect; then their results count as those of absent
// hosts.
constexpr Duration kAbsenceGrace = std::chrono::seconds(5);
// A client gets its answer after this time, even if earlier results are still being checked.
constexpr Duration kAnswerGrace = std::chrono::seconds(2);
// How long to wait for the answer of a worker, which may read many files, or whose disk may hang. The time
// does not count while it reports progress, such as builds to be compared.
constexpr Duration kCheckLimit = std::chrono::minutes(5);

}  // namespace

void Shell::hold(const SweepBegun& begun, Submission submission, wire::Answer reply) {
  const bool is_program = begun.expansion->sweep().kind != KernelKind::family;
  held_.insert_or_assign(begun.id, HeldSweep{EarlierCheck(is_program), now_, begun.finished,
                                             std::move(submission), std::move(reply)});
  reader_.ask({begun.id, config_.database, begun.expansion, begun.origins, begun.others, begun.supersedes});
}

void Shell::look_at_earlier() {
  for (EarlierAnswer& read : reader_.take()) {
    const auto held = held_.find(read.sweep);
    if (held != held_.end()) held->second.check.read(std::move(read));
  }
  std::vector<SweepId> settled;
  for (auto& [id, held] : held_) {
    if (!held.submission.peer.empty() && now_ - held.since > kAnswerGrace) answer_submission(held);
    if (!held.check.is_read()) continue;
    ask_about_earlier(held);
    if (held.check.is_settled() && !core_.is_stopping(id)) settled.push_back(id);
  }
  for (const SweepId id : settled) conclude(id);
}

void Shell::ask_about_earlier(HeldSweep& held) {
  std::set<WorkerId> here;
  std::set<std::string> fingerprints;
  for (const auto& [worker, session] : sessions_) {
    if (session->joined) here.insert(session->id);
  }
  held.check.forget_all_but(here);
  bool joined = false;
  for (const auto& [worker, session] : sessions_) {
    joined = joined || session->joined;
    if (session->joined && !session->waits.empty()) held.heard = now_;
    if (!here.contains(session->id)) continue;
    fingerprints.insert(session->fingerprint);
    wire::ToWorker message;
    *message.mutable_checks() = held.check.questions_for(session->id, session->fingerprint, next_check_);
    if (message.checks().checks_size() > 0) send(*session, message);
  }
  // With `run`, no host but the local one will join. Results of other hosts are used only if no job is
  // left; otherwise they would be mixed with results that are measured now.
  const bool waited = now_ - held.since >= kAbsenceGrace;
  if (joined && (waited || config_.local_worker))
    held.check.give_up_all_but(fingerprints, !config_.local_worker || held.finished);
  if (now_ - std::max(held.since, held.heard) >= kCheckLimit)
    held.check.give_up_all_but({}, !config_.local_worker || held.finished,
                               "the worker did not report within 5 minutes whether it still holds");
  if (!joined && waited && held.finished && !config_.stay) held.check.give_up_all_but({}, true);
}

void Shell::answer_submission(HeldSweep& held) {
  if (held.submission.peer.empty()) return;
  held.reply.mutable_submitted()->set_checked_later(!held.check.is_settled());
  answer(held.submission.peer, held.reply);
  held.submission = {};
}

void Shell::conclude(SweepId id) {
  HeldSweep& held = held_.at(id);
  if (held.check.is_stale()) return supersede(id);
  RunningSweep& sweep = *running_sweep(id);
  const auto usable = held.check.usable();
  std::vector<std::uint32_t> hardware;
  if (usable) {
    for (const Origin& origin : usable->origins()) hardware.push_back(hardware_number(origin.fingerprint));
  }
  sweep.space.use(usable, std::move(hardware));
  const EarlierCheck::TakenOver taken_over = held.check.taken_over();
  const std::vector<std::string> again = held.check.why_again();
  const std::uint64_t earlier = core_.tally(id).earlier;
  if (id == own_sweep_) {
    watcher_.begun(earlier);
    if (!taken_over.text.empty()) watcher_.note(taken_over.text);
  }
  for (const std::string& line : again) watcher_.note(line);
  for (const std::string& host : held.check.absent())
    watcher_.note("results of " + host +
                  " are kept as they are: no worker of such a host is connected to check whether they "
                  "still hold; --again re-measures them");
  wire::Submitted& submitted = *held.reply.mutable_submitted();
  submitted.set_reused(taken_over.jobs);
  submitted.set_taken_over(taken_over.text);
  for (const std::string& line : again) submitted.add_again(line);
  sweep.taken_over = taken_over.text;
  sweep.again = again;
  answer_submission(held);
  held_.erase(id);
  apply(SweepReleased{id});
}

// The results of the earlier run stay as they are; a new sweep is started, which reuses all that are still
// valid.
void Shell::supersede(SweepId id) {
  RunningSweep& sweep = *running_sweep(id);
  SweepOrder order;
  order.expansion = sweep.expansion;
  order.replacements = sweep.replacements;
  order.priority = sweep.priority;
  order.submitted = sweep.submitted;
  order.supersedes = id;
  Submission submission = std::move(held_.at(id).submission);
  held_.erase(id);  // the sweep may take a while to end, and must be restarted only once
  post_begin(std::move(order), std::move(submission));
  sweep.superseded = true;
  cancel(id);
}

}  // namespace kernsweep::coordinator
