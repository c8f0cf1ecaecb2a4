// What one job costs the two cores: pure decisions, no socket, no store, no process.
//
// The coordinator's figure covers a job's whole life there: sent, its outcome arrived, stored, released.
// The worker's covers arrival, a run of short jobs, outcomes, reports.
#include <benchmark/benchmark.h>

#include <sys/resource.h>

#include "coordinator/core/core.hpp"
#include "worker/core/core.hpp"

namespace kernsweep {
namespace {

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

// A coordinator's core, a worker that answers in batches of 256, and a store that commits at once.
class CoordinatorLoop {
 public:
  explicit CoordinatorLoop(std::uint64_t size) : core_({}) {
    coordinator::SweepSubmitted sweep;
    sweep.sweep = SweepId{1};
    sweep.space = std::make_shared<NoopSpace>(size);
    tell(sweep);
    tell(coordinator::WorkerJoined{WorkerId{1}, {1, 2, 0, 0}, {}});
  }
  // Answers up to 256 jobs; how many.
  std::size_t turn() {
    coordinator::OutcomesArrived outcomes{WorkerId{1}, {}};
    while (outcomes.arrivals.size() < 256 && next_ < held_.size()) {
      outcomes.arrivals.push_back({held_[next_++], Outcome::ok, false, 1us, 1});
    }
    if (next_ == held_.size()) held_.clear(), next_ = 0;
    if (outcomes.arrivals.empty()) return 0;
    tell(outcomes);
    coordinator::ResultsStored stored{std::exchange(to_store_, {})};
    tell(stored);
    return outcomes.arrivals.size();
  }
  bool over() const { return core_.idle(); }
  std::uint64_t done() const { return core_.tally(SweepId{1}).done; }

 private:
  void tell(const coordinator::Event& event) {
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

void coordinator_core(benchmark::State& state) {
  CoordinatorLoop loop(std::uint64_t{1} << 40);
  std::size_t jobs = 0;
  for (auto _ : state) jobs += loop.turn();
  state.SetItemsProcessed(static_cast<std::int64_t>(jobs));
  state.counters["per_job"] = benchmark::Counter(static_cast<double>(jobs),
                                                 benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(coordinator_core);

void ten_million_jobs_through_the_coordinator_core(benchmark::State& state) {
  constexpr std::uint64_t kJobs = 10'000'000;
  for (auto _ : state) {
    rusage before{}, after{};
    getrusage(RUSAGE_SELF, &before);
    CoordinatorLoop loop(kJobs);
    while (!loop.over() && loop.turn() > 0) {
    }
    getrusage(RUSAGE_SELF, &after);
    if (loop.done() != kJobs) state.SkipWithError("not all jobs were done");
    state.counters["peak_memory_growth_kib"] = static_cast<double>(after.ru_maxrss - before.ru_maxrss);
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * kJobs));
}
BENCHMARK(ten_million_jobs_through_the_coordinator_core)->Iterations(1)->Unit(benchmark::kMillisecond);

void worker_core(benchmark::State& state) {
  worker::Core core({2, {}, {}}, {});
  Instant now{1s};
  std::vector<worker::Action> actions;
  std::uint64_t next = 0, jobs = 0;
  worker::JobsArrived arrived;
  const auto refill = [&] {
    arrived.orders.clear();
    for (int i = 0; i < 256; ++i) arrived.orders.push_back({{{SweepId{1}, next++, 0}, 1}});
    return worker::Event(arrived);
  };
  // Slots answer whatever they are told at once.
  std::vector<worker::Event> answers{refill()};
  const auto answer = [&](const worker::Action& action) {
    if (const auto* start = std::get_if<worker::StartSlot>(&action)) {
      answers.push_back(worker::SlotReady{start->slot});
    } else if (const auto* grant = std::get_if<worker::GrantLease>(&action)) {
      (void)grant;
    } else if (const auto* run = std::get_if<worker::SendRun>(&action)) {
      worker::OutcomesMeasured outcomes;
      for (const AttemptId& attempt : run->attempts)
        outcomes.outcomes.push_back({run->slot, attempt, Outcome::ok, 1us});
      answers.push_back(std::move(outcomes));
    } else if (std::holds_alternative<worker::ReportOutcome>(action)) {
      ++jobs;
    }
  };
  for (auto _ : state) {
    if (core.activity().queued < 1024) answers.push_back(refill());
    std::vector<worker::Event> events;
    std::swap(events, answers);
    for (const worker::Event& event : events) {
      now = now + 10us;
      actions.clear();
      core.apply(now, event, actions);
      for (const worker::Action& action : actions) answer(action);
    }
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(jobs));
  state.counters["per_job"] = benchmark::Counter(static_cast<double>(jobs),
                                                 benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(worker_core);

}  // namespace
}  // namespace kernsweep
