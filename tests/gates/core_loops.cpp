// Both cores, with the conversation of a sweep that finds no trouble.
#include <utility>

#include "coordinator/core/core.hpp"
#include "tests/gates/hot_loops.hpp"
#include "worker/core/core.hpp"

namespace kernsweep::gates {
namespace {

constexpr std::size_t kTogether = 256;  // outcomes of a message

class NoopSpace : public coordinator::JobSpace {
 public:
  explicit NoopSpace(std::uint64_t size) : size_(size) {}
  std::uint64_t size() const override { return size_; }
  bool wanted(std::uint64_t) const override { return true; }
  std::uint32_t cores(std::uint64_t) const override { return 1; }
  std::optional<std::string> unfit(std::uint64_t, const coordinator::HostFacts&) const override {
    return {};
  }
  RetryRules retry(std::uint64_t) const override { return {}; }

 private:
  std::uint64_t size_;
};

// A coordinator's core, a worker that answers in batches, and a store that commits at once.
class CoordinatorLoop {
 public:
  explicit CoordinatorLoop(std::uint64_t size) : core_({}) {
    coordinator::SweepSubmitted sweep;
    sweep.sweep = SweepId{1};
    sweep.space = std::make_shared<NoopSpace>(size);
    apply(sweep);
    apply(coordinator::WorkerJoined{WorkerId{1}, {1, 2, 0, 0}, {}});
  }
  void answer_some() {
    coordinator::OutcomesArrived outcomes{WorkerId{1}, {}};
    while (outcomes.arrivals.size() < kTogether && next_ < held_.size()) {
      outcomes.arrivals.push_back({held_[next_++], Outcome::ok, false, 1us, 1});
    }
    if (next_ == held_.size()) held_.clear(), next_ = 0;
    apply(outcomes);
    apply(coordinator::ResultsStored{std::exchange(to_store_, {})});
  }
  std::uint64_t done() const { return core_.tally(SweepId{1}).done; }

 private:
  void apply(const coordinator::Event& event) {
    now_ = now_ + 10us;
    actions_.clear();
    core_.apply(now_, event, actions_);
    for (const coordinator::Action& action : actions_) {
      if (const auto* jobs = std::get_if<coordinator::SendJobs>(&action)) {
        held_.insert(held_.end(), jobs->attempts.begin(), jobs->attempts.end());
      } else if (const auto* row = std::get_if<coordinator::StoreResult>(&action)) {
        to_store_.push_back(row->attempt);
      }
    }
  }
  coordinator::Core core_;
  Instant now_{1s};
  std::vector<coordinator::Action> actions_;
  std::vector<AttemptId> held_, to_store_;
  std::size_t next_ = 0;
};

// A worker's core, a coordinator that refills it, and slots that answer each order at once.
class WorkerLoop {
 public:
  void turn() {
    if (core_.activity().queued < 4 * kTogether) answers_.push_back(refill());
    for (const worker::Event& event : std::exchange(answers_, {})) {
      now_ = now_ + 10us;
      actions_.clear();
      core_.apply(now_, event, actions_);
      for (const worker::Action& action : actions_) answer(action);
    }
  }
  std::uint64_t reported() const { return reported_; }

 private:
  worker::JobsArrived refill() {
    worker::JobsArrived arrived;
    for (std::size_t i = 0; i < kTogether; ++i) arrived.orders.push_back({{{SweepId{1}, next_++, 0}, 1}});
    return arrived;
  }
  void answer(const worker::Action& action) {
    if (const auto* start = std::get_if<worker::StartSlot>(&action)) {
      answers_.push_back(worker::SlotReady{start->slot});
    } else if (const auto* run = std::get_if<worker::SendRun>(&action)) {
      worker::OutcomesMeasured outcomes;
      for (const AttemptId& attempt : run->attempts)
        outcomes.outcomes.push_back({run->slot, attempt, Outcome::ok, 1us});
      answers_.push_back(std::move(outcomes));
    } else if (std::holds_alternative<worker::ReportOutcome>(action)) {
      ++reported_;
    }
  }
  worker::Core core_{{2, {}, {}}, {}};
  Instant now_{1s};
  std::vector<worker::Action> actions_;
  std::vector<worker::Event> answers_;
  std::uint64_t next_ = 0, reported_ = 0;
};

}  // namespace

std::uint64_t coordinator_core(std::uint64_t count) {
  CoordinatorLoop loop(std::uint64_t{1} << 40);
  while (loop.done() < count) loop.answer_some();
  return loop.done();
}

std::uint64_t worker_core(std::uint64_t count) {
  WorkerLoop loop;
  while (loop.reported() < count) loop.turn();
  return loop.reported();
}

}  // namespace kernsweep::gates
