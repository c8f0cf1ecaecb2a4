// A slot from start to end, and which job is at fault if it ends too early.
#include <algorithm>
#include <utility>

#include "worker/core/state.hpp"

#include "shared/text/counted.hpp"

namespace kernsweep::worker {

std::string in_seconds(Duration limit) {
  std::string text = std::to_string(seconds(limit));
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

void Experience::observe(Duration busy) {
  constexpr double kWeight = 1.0 / 8;  // of the newest job, if it was shorter than expected
  const double s = std::max(seconds(busy), 1e-7);
  busy_s = jobs == 0 || s > busy_s ? s : busy_s + (s - busy_s) * kWeight;
  ++jobs;
}

void Core::State::on(const SlotReady& event) {
  Slot* slot = find(event.slot);
  if (!slot || slot->state != SlotState::starting || slot->overstay) return;
  experience[{slot->key, slot->core_count}].starts_failed = 0;
  slot->deadline.reset();
  if (slot->run.empty()) {
    become_idle(*slot);
  } else {
    dispatch(*slot);
  }
}

void Core::State::on(const LeaseRequested& event) {
  Slot* slot = find(event.slot);
  if (!slot) return;
  const bool again = event.whole_host && slot->state == SlotState::measuring && !slot->silent;
  if (!again && (event.whole_host || slot->state != SlotState::preparing)) return;
  slot->deadline.reset();
  if (again) {
    request_lease(*slot, SlotState::prepared, whole_host);
  } else {
    request_lease(*slot, SlotState::prepared);
  }
}

// The limit of measuring applies until the outcome.
void Core::State::on(const LeaseReturned& event) {
  Slot* slot = find(event.slot);
  if (!slot || slot->state != SlotState::measuring || slot->silent) return;
  slot->state = SlotState::checking;
  slot->holds_lease = false;
  slot->zone.reset();
}

void Core::State::on(const OutcomesMeasured& event) {
  for (const Measured& outcome : event.outcomes) measured(outcome);
}

void Core::State::measured(const Measured& event) {
  Slot* slot = find(event.slot);
  if (!slot || slot->state == SlotState::starting || slot->state == SlotState::held_before_prepare ||
      slot->state == SlotState::waiting_for_lease) {
    return;  // no job was sent to it
  }
  auto job = slot->run.begin();
  while (job != slot->run.end() && job->order.attempt != event.attempt) ++job;
  if (job == slot->run.end()) return;  // cancelled, or sent twice
  const bool watched = job->order.watched;
  slot->run.erase(job);
  ++slot->outcomes_received;
  slot->last_message = now;
  experience[{slot->key, slot->core_count}].observe(event.busy);
  for (std::uint32_t gpu = 0; gpu < layout.gpus && event.outcome == Outcome::ok; ++gpu) {
    if (slot->units[kCoresMax + gpu]) losses[gpu].clear();
  }
  std::string stands;
  if (watched && event.outcome == Outcome::ok) {
    host_quiet.measured(now, event.disturbed);
    if (event.disturbed && host_quiet.stands(now)) stands = host_quiet.why_not_again();
  }
  if (event.slot_is_done && count_gpus(slot->units) > 0) {
    doubt(*slot, event);
  } else {
    report(event.attempt, event.outcome, event.payload, "", event.slot, slot->neighbours,
           std::move(stands));
  }
  if (slot->state == SlotState::dying || slot->state == SlotState::leaving) return;
  if (event.slot_is_done) {
    requeue(*slot, false);
    become_idle(*slot);
    retire(*slot);
  } else if (slot->run.empty()) {
    become_idle(*slot);
  } else {
    const Order& next = slot->run.front().order;
    slot->deadline = now + std::min(next.setup_timeout, next.run_timeout);
  }
}

void Core::State::become_idle(Slot& slot) {
  withdraw_request(slot.id);
  slot.state = SlotState::idle;
  slot.holds_lease = slot.several = false;
  slot.neighbours = 0;
  slot.zone.reset();
  slot.deadline.reset();
  slot.idle_since = now;
}

void Core::State::kill(Slot& slot) {
  withdraw_request(slot.id);
  slot.state = SlotState::dying;
  slot.deadline = now + options.exit_limit;
  actions->emplace_back(KillSlot{slot.id, slot.overstay.has_value()});
}

void Core::State::limit_is_near(Slot& slot) {
  slot.deadline.reset();
  const bool killed =
      slot.state == SlotState::dying || (slot.state == SlotState::starting && slot.overstay);
  // If this process was stopped for a while, it may not have read yet that the slot has ended.
  constexpr Duration kForTheNews = 1s;
  if (killed && !slot.end_is_due) {
    slot.end_is_due = true;
    slot.deadline = now + kForTheNews;
  } else if (killed) {
    cannot_be_ended(slot.id);
  } else if (slot.state == SlotState::measuring && slot.silent) {
    actions->emplace_back(LookAtSlot{slot.id});
  } else {
    overstayed(slot, slot.state == SlotState::measuring || slot.state == SlotState::checking);
  }
}

void Core::State::on(const SlotSeen& event) {
  Slot* slot = find(event.slot);
  if (!slot || slot->state != SlotState::measuring || !slot->silent || slot->run.empty()) return;
  // Number of jobs that were begun and whose outcomes have not arrived. 0: the board is not up to date.
  const std::size_t unanswered = static_cast<std::uint16_t>(event.jobs_begun - slot->outcomes_received);
  const bool begun = unanswered > 0 && unanswered <= slot->run.size();
  const Order& order = slot->run[begun ? unanswered - 1 : 0].order;
  const Instant since = begun ? event.since : slot->last_message;
  // A faulty kernel can write anything to the board, so the sum of both limits ends the job in any case.
  const Instant last = slot->last_message + order.setup_timeout + order.run_timeout + options.leave_grace;
  slot->deadline =
      std::min(since + (begun && event.measuring ? order.run_timeout : order.setup_timeout), last);
  if (*slot->deadline <= now) overstayed(*slot, begun && event.measuring);
}

void Core::State::overstayed(Slot& slot, bool measuring) {
  slot.deadline.reset();
  if (slot.state == SlotState::starting) {
    std::string why = "the slot's process was not ready";
    if (!slot.run.empty())
      why += " within timeout.setup: " + in_seconds(start_limit(slot.run.front().order));
    slot.overstay = Overstay{Outcome::failed_setup, why};
  } else if (slot.owns_units() && !slot.run.empty() && !measuring) {
    slot.overstay =
        Overstay{Outcome::timeout_setup, "preparation and verification took longer than timeout.setup: " +
                                             in_seconds(slot.run.front().order.setup_timeout)};
  } else if (!slot.run.empty()) {
    slot.overstay = Overstay{Outcome::timeout_run, "warm-up and samples took longer than timeout.run: " +
                                                       in_seconds(slot.run.front().order.run_timeout)};
  }
  // A slot that was never ready keeps its state, so that its end counts as a failed start.
  if (slot.state == SlotState::starting) {
    slot.deadline = now + options.exit_limit;
    actions->emplace_back(KillSlot{slot.id, slot.overstay.has_value()});
  } else {
    kill(slot);
  }
}

void Core::State::on(const SlotExited& event) {
  Slot* slot = find(event.slot);
  if (!slot) return;
  withdraw_request(event.slot);
  Slot gone = std::move(*slot);
  slots.erase(event.slot);
  if (gone.state == SlotState::starting) {
    start_failed(gone, gone.overstay ? gone.overstay->reason : event.reason);
  } else if (!gone.run.empty()) {
    run_failed(gone, event);
  }
  look_at_doubted(gone);
}

void Core::State::start_failed(Slot& slot, const std::string& reason) {
  const std::uint32_t failed = ++experience[{slot.key, slot.core_count}].starts_failed;
  if (slot.run.empty()) return;
  if (failed >= options.starts_failed_max) {
    const AttemptId head = slot.run.front().order.attempt;
    slot.run.pop_front();
    report(head, Outcome::failed_setup, std::nullopt,
           "its process could not be started, " + counted(failed, "time", "times in a row") + ": " + reason,
           slot.id);
  }
  requeue(slot, false);
}

void Core::State::run_failed(Slot& slot, const SlotExited& event) {
  const bool sent =
      slot.state != SlotState::held_before_prepare && slot.state != SlotState::waiting_for_lease;
  if (slot.cancelled) return requeue(slot, false);
  // Each of them runs alone next, which shows the faulty one.
  if (slot.several || !sent) return requeue(slot, true);
  const AttemptId attempt = slot.run.front().order.attempt;
  slot.run.pop_front();
  const Overstay end = slot.overstay.value_or(Overstay{event.outcome, event.reason});
  if (count_gpus(slot.units) > 0 && end.outcome != Outcome::out_of_memory) {
    keep_back(slot, {attempt, end.outcome, std::nullopt, end.reason, slot.id});
  } else {
    report(attempt, end.outcome, std::nullopt, end.reason, slot.id);
  }
}

void Core::State::requeue(Slot& slot, bool alone) {
  for (auto job = slot.run.rbegin(); job != slot.run.rend(); ++job) {
    queue.push_front({job->order, job->alone || alone});
  }
  slot.run.clear();
}

void Core::State::cancel_in(Slot& slot, const std::unordered_set<AttemptId>& attempts,
                            std::vector<AttemptId>& returned) {
  std::deque<Queued> kept;
  const std::size_t before = returned.size();
  for (Queued& job : slot.run) {
    if (attempts.count(job.order.attempt)) {
      returned.push_back(job.order.attempt);
    } else {
      kept.push_back(job);
    }
  }
  if (returned.size() == before) return;
  slot.run = std::move(kept);
  if (slot.state == SlotState::preparing || slot.state == SlotState::prepared ||
      slot.state == SlotState::measuring || slot.state == SlotState::checking) {
    slot.cancelled = true;
    kill(slot);
  } else if (slot.run.empty() &&
             (slot.state == SlotState::held_before_prepare || slot.state == SlotState::waiting_for_lease)) {
    become_idle(slot);
  }
}

}  // namespace kernsweep::worker
