#include "coordinator/core/core.hpp"

#include <algorithm>
#include <utility>

#include "coordinator/core/state.hpp"

namespace kernsweep::coordination {

Core::Core(CoreOptions options) : state_(std::make_unique<State>(options)) {}
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
  now = std::max(at, now);  // a clock that steps back does not
  actions = &out;
  budget = options.scan_per_turn;
  scan_on = refill_all = false;
  refill_one = WorkerId{};
  std::visit([this](const auto& happened) { on(happened); }, event);
  refill();
  check_endings();
  flush();
  last_apply = now;
  actions = nullptr;
}

void Core::State::flush() {
  for (auto& [worker, box] : outboxes) {
    if (!box.release.empty() || !box.unused.empty()) {
      actions->emplace_back(ReleaseResults{worker, std::move(box.release), std::move(box.unused)});
    }
    if (!box.cancel.empty()) actions->emplace_back(CancelJobs{worker, std::move(box.cancel)});
    if (!box.send.empty()) actions->emplace_back(SendJobs{worker, std::move(box.send)});
  }
  outboxes.clear();
  for (Action& action : last_words) actions->emplace_back(std::move(action));
  last_words.clear();
  if (scan_on) actions->emplace_back(ScanOn{});
}

SweepRun* Core::State::sweep(SweepId id) {
  for (const auto& run : sweeps) {
    if (run->id == id) return run.get();
  }
  return nullptr;
}

void Core::State::on(const SweepSubmitted& event) {
  if (sweep(event.sweep) || !event.space) return;
  ended.erase(event.sweep);
  auto run = std::make_unique<SweepRun>(event);
  run->submitted_at = now;
  if (failed) return end(*run, Ending::store_failed);
  for (auto& [id, worker] : roster) run->stream_for(worker.host).join(worker.kind, worker.host);
  sweeps.push_back(std::move(run));
  refill_all = true;
}

}  // namespace kernsweep::coordination
