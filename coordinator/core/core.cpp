#include "coordinator/core/core.hpp"

#include <algorithm>
#include <utility>

#include "coordinator/core/state.hpp"

namespace kernsweep::coordinator {

Core::Core(CoreOptions options) : state_(std::make_unique<State>(options)) {}
const CoreOptions& Core::options() const {
  return state_->options;
}
Core::~Core() = default;

void Core::apply(Instant now, const Event& event, std::vector<Action>& actions) {
  state_->apply(now, event, actions);
}

bool Core::idle() const {
  return state_->sweeps.empty();
}

Tally Core::tally(SweepId id) const {
  if (const SweepRun* run = state_->sweep(id)) return run->tally();
  const auto it = state_->ended.find(id);
  return it == state_->ended.end() ? Tally{} : it->second.tally;
}

void Core::State::apply(Instant at, const Event& event, std::vector<Action>& out) {
  keep_time(at);
  actions = &out;
  budget = options.scan_per_turn;
  scan_on = refill_all = false;
  refill_one = WorkerId{};
  std::visit([this](const auto& happened) { on(happened); }, event);
  quarantine_hosts();
  refill();
  move_work();
  check_endings();
  watch_draining();
  flush();
  actions = nullptr;
}

// If the clock steps back, the time here does not change. If it jumps ahead, only one heartbeat has passed:
// this process may have been stopped, and then no worker was silent.
void Core::State::keep_time(Instant at) {
  const Duration passed = std::max(at - last_at, Duration::zero());
  last_at = at;
  if (passed <= options.silence_limit / 2) {
    now = now + passed;
    return;
  }
  now = now + options.heartbeat_every;
  for (auto& [id, worker] : workers) {
    worker.last_message = now;
    worker.answered = now;
  }
}

void Core::State::flush() {
  for (auto& [worker, box] : outboxes) {
    if (!box.release.empty() || !box.unused.empty()) {
      actions->emplace_back(ReleaseResults{worker, std::move(box.release), std::move(box.unused)});
    }
    if (!box.cancel.empty()) actions->emplace_back(CancelJobs{worker, std::move(box.cancel)});
    if (!box.retract.empty()) actions->emplace_back(RetractJobs{worker, std::move(box.retract)});
    if (!box.send.empty()) actions->emplace_back(SendJobs{worker, std::move(box.send)});
  }
  outboxes.clear();
  for (Action& action : closing_actions) actions->emplace_back(std::move(action));
  closing_actions.clear();
  if (scan_on) actions->emplace_back(ScanOn{});
}

SweepRun* Core::State::sweep(SweepId id) {
  for (const auto& run : sweeps) {
    if (run->id == id) return run.get();
  }
  return nullptr;
}

void Core::State::on(const SweepOver& event) {
  if (!sweep(event.sweep)) ended[event.sweep] = Ended{event.ending, event.priority, event.tally};
}

void Core::State::on(const SweepReleased& event) {
  SweepRun* const run = sweep(event.sweep);
  if (!run || !run->held) return;
  run->held = false;
  refill_all = true;
}

void Core::State::on(const JobsAsked& event) {
  SweepRun* const run = sweep(event.sweep);
  if (!run || !run->may_ask) return;
  run->ask_until(std::max(event.asked, run->asked));
  refill_all = true;
}

void Core::State::on(const NothingMore& event) {
  if (SweepRun* const run = sweep(event.sweep)) run->may_ask = false;
}

void Core::State::on(const SweepSubmitted& event) {
  if (sweep(event.sweep) || !event.space) return;
  ended.erase(event.sweep);
  auto run = std::make_unique<SweepRun>(event);
  run->submitted_at = now;
  if (failed) return end(*run, Ending::store_failed);
  for (auto& [id, worker] : workers) {
    Stream& stream = run->stream_for(worker.host);
    if (!worker.draining) stream.join(worker.host);
  }
  const auto later = std::find_if(sweeps.begin(), sweeps.end(),
                                  [&run](const auto& other) { return other->priority < run->priority; });
  sweeps.insert(later, std::move(run));
  refill_all = true;
}

}  // namespace kernsweep::coordinator
