#include "worker/core/core.hpp"

#include <algorithm>
#include <utility>

#include "shared/text/counted.hpp"
#include "worker/core/state.hpp"

namespace kernsweep::worker {

Core::Core(HostLayout layout, WorkerOptions options)
    : state_(std::make_unique<State>(std::move(layout), options)) {}
Core::~Core() = default;

void Core::apply(Instant now, const Event& event, std::vector<Action>& actions) {
  State& state = *state_;
  state.keep_time(now);
  state.actions = &actions;
  std::visit([&state](const auto& happened) { state.on(happened); }, event);
  state.settle();
  state.actions = nullptr;
}

Activity Core::activity() const {
  Activity activity;
  activity.draining = state_->draining;
  activity.queued = static_cast<std::uint32_t>(state_->queue.size());
  activity.slots = static_cast<std::uint32_t>(state_->slots.size());
  activity.held = state_->here.size();
  if (state_->quiet_wanted) activity.waits = state_->host_quiet.waits();
  if (state_->builds_running > 0)
    activity.waits = counted(state_->builds_left(), "build is", "builds are") + " to be made";
  for (const auto& [id, slot] : state_->slots) {
    if (slot.run.empty()) continue;
    ++(slot.state == SlotState::measuring ? activity.measuring : activity.preparing);
  }
  return activity;
}

std::optional<std::string> Core::check_invariants() const {
  const std::optional<Violation> found = state_->violation();
  if (!found) return std::nullopt;
  return std::string(name_of(found->broken)) + ": " + found->place;
}

std::optional<Instant> Core::next_deadline() const {
  return state_->next_deadline();
}

std::optional<Instant> Core::State::next_deadline() const {
  std::optional<Instant> next;
  for (const auto& [id, slot] : slots) {
    if (slot.deadline && (!next || *slot.deadline < *next)) next = slot.deadline;
  }
  if (quiet_wanted && !host_looked_at && (!next || host_quiet.look_at() < *next))
    next = host_quiet.look_at();
  return next;
}

Core::State::State(HostLayout given_layout, WorkerOptions given_options)
    : layout(std::move(given_layout)), options(given_options), host_quiet(given_options.patience) {
  layout.cores = std::clamp<std::uint32_t>(layout.cores, 1, kCoresMax);
  layout.gpus = std::min<std::uint32_t>(layout.gpus, kGpusMax);
  layout.near.resize(layout.gpus);
  losses.resize(layout.gpus);
  for (std::uint32_t core = 0; core < layout.cores; ++core) all_cores.set(core);
  all_units = all_cores;
  for (std::uint32_t gpu = 0; gpu < layout.gpus; ++gpu) all_units.set(kCoresMax + gpu);
  whole_host = all_units;
}

void Core::State::keep_time(Instant at) {
  constexpr Duration kOverslept = 1s;  // beyond the nearest deadline: this process was paused
  if (last_apply == Instant{}) host_quiet.start(at);
  now = std::max(at, now);
  const std::optional<Instant> nearest = next_deadline();
  if (nearest && now - *nearest > kOverslept) {
    const Duration lost = now - last_apply;
    for (auto& [id, slot] : slots) {
      if (slot.deadline) *slot.deadline = *slot.deadline + lost;
      slot.last_message = slot.last_message + lost;
    }
  }
  last_apply = now;
}

void Core::State::on(const JobsArrived& event) {
  std::vector<AttemptId> refused;
  for (const Order& order : event.orders) {
    if (here.count(order.attempt)) continue;  // the order was sent twice
    if (stopped || draining) {
      refused.push_back(order.attempt);
      continue;
    }
    here.insert(order.attempt);
    const bool few_cores = order.cores > layout.cores;
    if (few_cores || order.gpus > layout.gpus) {
      const std::uint32_t asked = few_cores ? order.cores : order.gpus;
      const std::string what = few_cores ? "core" : "GPU";
      report(order.attempt, Outcome::failed_setup, std::nullopt,
             "the job asks for " + std::to_string(asked) + " " + what + (asked == 1 ? "" : "s") +
                 ", this worker has " + std::to_string(few_cores ? layout.cores : layout.gpus) +
                 "; start the worker with more " + what + "s",
             std::nullopt);
      continue;
    }
    if (order.gpus > gpus_left() || order.cores > cores_left()) {  // sent before some were lost
      here.erase(order.attempt);
      refused.push_back(order.attempt);
      continue;
    }
    if (order.watched) host_quiet.begin(order.attempt.job.sweep);
    queue.push_back({order, order.runs_alone});
    queue.back().order.cores = std::max(order.cores, 1U);
  }
  if (!refused.empty()) actions->emplace_back(ReturnJobs{std::move(refused)});
}

void Core::State::on(const JobsCancelled& event) {
  std::unordered_set<AttemptId> attempts;
  for (const AttemptId& attempt : event.attempts) {
    if (here.count(attempt)) attempts.insert(attempt);
  }
  if (attempts.empty()) return;
  std::vector<AttemptId> returned;
  std::deque<Queued> kept;
  for (Queued& queued : queue) {
    if (attempts.count(queued.order.attempt)) {
      returned.push_back(queued.order.attempt);
    } else {
      kept.push_back(queued);
    }
  }
  queue = std::move(kept);
  std::erase_if(kept_back, [&](const KeptBack& each) {
    const bool cancelled = attempts.count(each.attempt) > 0;
    if (cancelled) returned.push_back(each.attempt);
    return cancelled;
  });
  for (auto& [id, slot] : slots) cancel_in(slot, attempts, returned);
  for (const AttemptId& attempt : returned) here.erase(attempt);
  actions->emplace_back(ReturnJobs{std::move(returned)});
}

std::vector<AttemptId> Core::State::give_back(const std::unordered_set<AttemptId>& attempts,
                                              bool starting) {
  std::vector<AttemptId> returned;
  const auto take_from = [&](std::deque<Queued>& jobs) {
    std::deque<Queued> kept;
    for (Queued& job : jobs) {
      if (attempts.count(job.order.attempt)) {
        returned.push_back(job.order.attempt);
      } else {
        kept.push_back(job);
      }
    }
    jobs = std::move(kept);
  };
  take_from(queue);
  for (auto& [id, slot] : slots) {
    const bool chosen =
        slot.state == SlotState::held_before_prepare || slot.state == SlotState::waiting_for_lease;
    if (!chosen && !(starting && slot.state == SlotState::starting)) continue;
    take_from(slot.run);
    if (chosen && slot.run.empty()) become_idle(slot);
  }
  for (const AttemptId& attempt : returned) here.erase(attempt);
  return returned;
}

void Core::State::on(const JobsRetracted& event) {
  actions->emplace_back(ReturnJobs{give_back({event.attempts.begin(), event.attempts.end()}, false)});
}

void Core::State::on(const DrainAsked&) {
  if (draining || stopped) return;
  draining = true;
  std::vector<AttemptId> returned = give_back(here, true);
  if (!returned.empty()) actions->emplace_back(ReturnJobs{std::move(returned)});
}

// A job that returned to the queue after a failed run or start is not restarted while draining.
void Core::State::return_queue() {
  std::vector<AttemptId> returned;
  for (const Queued& job : queue) returned.push_back(job.order.attempt);
  queue.clear();
  for (const AttemptId& attempt : returned) here.erase(attempt);
  if (!returned.empty()) actions->emplace_back(ReturnJobs{std::move(returned)});
  if (here.empty() && !drained) {
    drained = true;
    actions->emplace_back(Drained{});
  }
}

void Core::State::on(const StopAsked&) {
  stopped = true;
  std::vector<AttemptId> returned;
  for (const Queued& queued : queue) returned.push_back(queued.order.attempt);
  queue.clear();
  for (const KeptBack& kept : kept_back) returned.push_back(kept.attempt);
  kept_back.clear();
  for (auto& [id, slot] : slots) {
    for (const Queued& queued : slot.run) returned.push_back(queued.order.attempt);
    slot.run.clear();
    withdraw_request(id);
    if (slot.state == SlotState::idle) {
      retire(slot);
    } else if (slot.state != SlotState::dying && slot.state != SlotState::leaving) {
      kill(slot);
    }
  }
  here.clear();
  if (!returned.empty()) actions->emplace_back(ReturnJobs{std::move(returned)});
}

void Core::State::on(const TimePassed&) {
  for (auto next = slots.begin(); next != slots.end();) {
    Slot& slot = next->second;
    ++next;  // before the call, which may erase this slot
    if (slot.deadline && *slot.deadline <= now) limit_is_near(slot);
  }
}

Slot* Core::State::find(SlotId id) {
  const auto it = slots.find(id);
  return it == slots.end() ? nullptr : &it->second;
}

void Core::State::report(const AttemptId& attempt, Outcome outcome, std::optional<std::uint32_t> payload,
                         std::string reason, std::optional<SlotId> slot, std::uint32_t neighbours,
                         std::string stands) {
  here.erase(attempt);
  actions->emplace_back(
      ReportOutcome{attempt, outcome, payload, std::move(reason), slot, neighbours, std::move(stands)});
}

void Core::State::settle() {
  if (draining && !stopped) return_queue();
  quiet_wanted = false;
  if (!stopped) {
    return_what_never_fits();
    fail_unbuilt();
    for (bool changed = true; changed;) {
      changed = grant_leases();
      changed = dispatch_held() || changed;
      changed = (!builds_come_first() && place_jobs()) || changed;
    }
    begin_builds();
  }
  end_unneeded_builds();
  watch_host();
  retire_idle();
  count_neighbours();
}

}  // namespace kernsweep::worker
