// Each table of the core is broken once, by hand: the check after every event must find it.
#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "coordinator/core/state.hpp"
#include "tests/golden_text/golden_text.hpp"
#include "tests/unit/coordinator_core/table.hpp"

namespace kernsweep::coordinator {

// Only tests may use this access to the tables.
struct TableBreaker {
  explicit TableBreaker(Core& core)
      : state(*core.state_), run(*state.sweeps.front()), stream(run.streams.begin()->second) {}

  InFlightJob& in_flight(std::uint64_t index) const { return *run.in_flight_jobs.find(index, 0); }
  Worker& worker(std::uint32_t id) const { return *state.workers.find(WorkerId{id}); }
  auto& lines() const { return run.in_flight_jobs.lines_; }
  auto& free_entries() const { return run.in_flight_jobs.free_; }
  auto& entries() const { return run.in_flight_jobs.table_; }
  std::size_t& in_flight_size() const { return run.in_flight_jobs.size_; }
  std::uint32_t& before(InFlightJob& in_flight) const { return in_flight.before; }
  auto& deferred_by_worker() const { return run.deferred.by_worker_; }
  auto& suspects() const { return run.fault_attribution.suspects_; }
  auto& suspects_held() const { return run.fault_attribution.held_; }
  std::uint64_t& settled_count() const { return stream.settled_jobs_.settled_; }
  auto& chunks() const { return stream.settled_jobs_.chunks_; }
  std::uint64_t& cursor() const { return stream.cursor_; }
  std::uint64_t& unwanted() const { return stream.unwanted_; }
  auto& kinds() const { return stream.kinds_; }
  auto& hosts_here() const { return stream.hosts_here_; }
  auto& ready_queues() const { return stream.ready_queues_; }
  Backlog& unschedulable() const { return stream.unschedulable_; }
  Backlog& revisit() const { return stream.revisit_; }
  auto& anew() const { return stream.anew_; }
  auto& kind_numbers() const { return stream.numbers_; }
  auto& bad_on() const { return stream.bad_on_; }
  Core::State::PendingStore& row_of(std::uint64_t index) const {
    return *std::ranges::find_if(state.pending,
                                 [index](const auto& row) { return row.attempt.job.index == index; });
  }
  std::uint64_t& run_length(IndexRuns& runs) const { return runs.runs_.front().count; }

  Core::State& state;
  SweepRun& run;
  Stream& stream;
};

namespace {

// Host 1 (2 cores, then gone), 2 and 3 (1 core) with jobs in every table: see SetUp.
class Invariants : public Table {
 protected:
  void SetUp() override {
    options.silence_limit = 1h;
    core = std::make_unique<Core>(options);
    space = std::make_shared<FakeSpace>(20);
    space->unwanted = {0};
    space->cores_of = {{1, 2}, {2, 2}, {3, 9}, {4, 9}};  // two for host 1 alone, two for no host
    space->rules.max = 3;
    space->rules.on = {Outcome::signal};
    hear(submission());
    hear(WorkerJoined{WorkerId{2}, host(2, 1), {}});
    hear(WorkerJoined{WorkerId{1}, host(1, 2), {}});
    hear(WorkerJoined{WorkerId{3}, host(3, 1), {}});
    // Worker 2 has jobs 5 and 6, worker 1 has 1 and 2 of its queue, then 7 and 8; worker 3 has 9 and 10.
    hear(JobsReturned{WorkerId{1}, {attempt(1), attempt(2)}});
    hear(WorkerLeft{WorkerId{1}, "gone"});
    hear(OutcomesArrived{WorkerId{2}, {{attempt(5), Outcome::ok, false, 1s, 1}}});
    hear(OutcomesArrived{WorkerId{2}, {{attempt(6), Outcome::signal, false, 1s, 1}}});
    // Of another life, reported twice: the row of attempt 1 is under way.
    hear(OutcomesArrived{WorkerId{3}, {{attempt(6), Outcome::signal, false, 1s, 1}}});
    hear(WorkerDraining{WorkerId{3}, "leaves"});
    ASSERT_EQ(core->check_invariants(), std::nullopt);
  }
  void hear(const Event& event) {
    std::vector<Action> actions;
    core->apply(now, event, actions);
    ASSERT_EQ(core->check_invariants(), std::nullopt);
  }
  TableBreaker in() { return TableBreaker(*core); }
};

// A table, and what is done to it; what is objected to that is in the golden file.
struct Breakage {
  const char* name;
  std::function<void(const TableBreaker&)> done;
};

const std::vector<Breakage> kBreakages = {
    // Workers.
    {"held", [](const auto& in) { ++in.worker(2).held; }},
    {"rows of a worker", [](const auto& in) { ++in.worker(2).storing; }},
    {"rows of nobody", [](const auto& in) { in.state.pending.front().worker = WorkerId{77}; }},
    {"draining", [](const auto& in) { in.state.draining.clear(); }},
    // In-flight jobs.
    {"in-flight jobs by index", [](const auto& in) { in.in_flight(9).index = 13; }},
    {"in-flight jobs, their number", [](const auto& in) { ++in.in_flight_size(); }},
    {"free entries", [](const auto& in) { in.free_entries().push_back(1); }},
    {"a job with nobody", [](const auto& in) { in.in_flight(9).worker = WorkerId{}; }},
    {"a job with another", [](const auto& in) { in.in_flight(9).worker = WorkerId{2}; }},
    {"a link", [](const auto& in) { in.before(in.in_flight(10)) = 0; }},
    {"a worker's line", [](const auto& in) { in.lines().erase(WorkerId{3}); }},
    {"the length of a line", [](const auto& in) { ++in.lines().at(WorkerId{3}).count; }},
    {"the end of a line", [](const auto& in) { in.lines().at(WorkerId{3}).last = 1; }},
    {"a state", [](const auto& in) { in.in_flight(5).state = InFlightState::queued; }},
    {"no attempt", [](const auto& in) { in.in_flight(9).number = 0; }},
    // The sweep's counts.
    {"sent", [](const auto& in) { ++in.run.sent; }},
    {"storing", [](const auto& in) { --in.run.storing; }},
    {"done", [](const auto& in) { ++in.run.counts.done; }},
    {"ok", [](const auto& in) { ++in.run.counts.ok; }},
    {"unwanted", [](const auto& in) { ++in.unwanted(); }},
    {"ended", [](const auto& in) { in.state.ended[kSweep] = {}; }},
    // Rows.
    {"a row too few", [](const auto& in) { in.state.pending.pop_front(); }},
    {"a row of another job", [](const auto& in) { in.state.pending.front().attempt.job.index = 17; }},
    {"a row twice", [](const auto& in) { in.state.pending.front() = in.state.pending.back(); }},
    {"a row of another sweep",
     [](const auto& in) {
       in.state.pending.push_back({{{SweepId{9}, 1, 0}, 1}});
     }},
    {"a row that is accepted", [](const auto& in) { in.row_of(6).accepted = true; }},
    {"a row of the newest", [](const auto& in) { in.row_of(6).attempt.number = 2; }},
    {"the rows of a job", [](const auto& in) { in.in_flight(6).stores_pending = 2; }},
    {"the rows of a job that has none", [](const auto& in) { in.in_flight(9).stores_pending = 1; }},
    // What is deferred.
    {"deferred by job", [](const auto& in) { in.run.deferred.add(attempt(13), WorkerId{2}); }},
    {"deferred by worker", [](const auto& in) { in.deferred_by_worker().clear(); }},
    {"deferred to nobody", [](const auto& in) { in.run.deferred.add(attempt(9), WorkerId{77}); }},
    {"deferred too new", [](const auto& in) { in.run.deferred.add(attempt(9, 2), WorkerId{2}); }},
    // Blame.
    {"a suspect",
     [](const auto& in) {
       in.suspects()[{0, 13}];
     }},
    {"where a suspect is",
     [](const auto& in) {
       in.suspects()[{0, 6}].with = WorkerId{2};
     }},
    {"suspects of a worker", [](const auto& in) { in.suspects_held()[WorkerId{2}] = 1; }},
    // Settled jobs.
    {"settled", [](const auto& in) { ++in.settled_count(); }},
    {"a chunk", [](const auto& in) { ++in.chunks().begin()->second->count; }},
    {"settled and on its way", [](const auto& in) { in.stream.settled_jobs().settle(9); }},
    // The stream.
    {"the cursor", [](const auto& in) { ++in.cursor(); }},
    {"far too far", [](const auto& in) { in.cursor() = 99; }},
    {"an unschedulable job twice", [](const auto& in) { in.unschedulable().fresh.push(3); }},
    {"an unschedulable job lost", [](const auto& in) { in.unschedulable().fresh.pop(); }},
    {"an unschedulable job not met", [](const auto& in) { in.unschedulable().fresh.push(15); }},
    {"runs", [](const auto& in) { ++in.run_length(in.unschedulable().fresh); }},
    {"a queue lost", [](const auto& in) { in.ready_queues().clear(); }},
    {"a queue of nobody", [](const auto& in) { in.ready_queues()[{77}].fresh.push(3); }},
    {"an empty queue", [](const auto& in) { in.ready_queues()[{0}]; }},
    {"asked anew, and nothing is", [](const auto& in) { in.anew().push_back({}); }},
    {"asked anew of the wrong kinds",
     [](const auto& in) {
       in.anew().push_back({{5}, 2, in.unschedulable()});
     }},
    {"asked anew and an unschedulable job",
     [](const auto& in) {
       in.anew().push_back({{}, 0, in.unschedulable()});
     }},
    {"the number of a kind", [](const auto& in) { in.kind_numbers().clear(); }},
    {"tried and offered twice",
     [](const auto& in) {
       in.stream.requeue({6, 2});
     }},
    {"bad jobs lost", [](const auto& in) { in.bad_on().clear(); }},
    {"an empty queue", [](const auto& in) { in.bad_on()[77]; }},
    {"a kind", [](const auto& in) { ++in.kinds().begin()->second.present; }},
    {"hosts here", [](const auto& in) { in.hosts_here()[77] = 1; }},
    // The turn.
    {"an order", [](const auto& in) { in.state.outboxes[WorkerId{2}]; }},
    {"the store", [](const auto& in) { in.state.failed = true; }},
};

TEST_F(Invariants, EachTableThatIsBrokenIsReported) {
  for (const Breakage& breakage : kBreakages) {
    SetUp();
    breakage.done(in());
    const auto broken = core->check_invariants();
    ASSERT_TRUE(broken) << "nobody has seen it: " << breakage.name;
    EXPECT_THAT(std::string(breakage.name) + ": " + *broken, IsGolden());
  }
}

// Between its return and its next try the job came with a worker of an earlier life, which was lost: it
// waits once, not twice.
TEST_F(Invariants, JobThatWasAdoptedWhileItWaitedWaitsInOnePlaceAfterwards) {
  space->cores_of = {{0, 4}};
  space->unwanted.clear();
  core = std::make_unique<Core>(options);
  hear(submission());
  hear(WorkerJoined{WorkerId{1}, host(1, 4), {}});
  hear(JobsReturned{WorkerId{1}, {attempt(0)}});
  hear(WorkerDraining{WorkerId{1}, "leaves"});
  hear(WorkerJoined{WorkerId{2}, host(2, 1), {attempt(0, 5), attempt(1, 5)}});
  hear(JobsReturned{WorkerId{2}, {attempt(0, 5)}});
}

}  // namespace
}  // namespace kernsweep::coordinator
