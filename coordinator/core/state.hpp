// The private part of the coordinator's core. One event is applied in three steps: the event itself; then
// workers that may hold more jobs get some, and finished sweeps are ended; then the actions that were
// collected per worker are appended.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/core/core.hpp"
#include "coordinator/core/sweep_run.hpp"
#include "coordinator/core/workers.hpp"

namespace kernsweep::coordinator {

struct Core::State {
  explicit State(CoreOptions given) : options(given) {}

  // Collects one message per worker and kind, however many jobs an event concerns.
  struct Outbox {
    std::vector<AttemptId> release, cancel, retract, send;
    std::vector<std::uint32_t> unused;
  };
  struct PendingStore {
    AttemptId attempt;
    std::optional<WorkerId> worker;
    Outcome outcome = Outcome::ok;
    bool accepted = true;
    bool reused = false;
  };
  struct Ended {
    Ending ending = Ending::complete;
    std::int32_t priority = 0;
    Tally tally;
  };
  struct Quarantine {  // a host whose workers may not join
    SweepId sweep;     // until this sweep ends
    std::string reason;
  };

  CoreOptions options;
  Instant now;      // never steps back, never jumps ahead
  Instant last_at;  // the last time that the shell passed in
  Workers workers;
  std::vector<std::unique_ptr<SweepRun>> sweeps;  // in the order in which they are served
  std::map<SweepId, Ended> ended;
  std::deque<PendingStore> pending;
  std::set<WorkerId> draining;
  std::map<std::uint32_t, Quarantine> quarantined;  // by host
  bool unmet_demand = false;                        // a worker had room for jobs and there were none
  Instant moved_at;
  WorkerId moved_to;    // the worker for which move_work() last looked for jobs
  bool failed = false;  // the store has failed; no message is sent or released any more

  // Valid during one apply().
  std::vector<Action>* actions = nullptr;
  std::map<WorkerId, Outbox> outboxes;
  std::vector<Action> closing_actions;  // after all others: ends of sweeps, of drains
  std::uint32_t budget = 0;
  bool scan_on = false;
  bool refill_all = false;
  WorkerId refill_one;

  void apply(Instant at, const Event& event, std::vector<Action>& out);
  void flush();
  void keep_time(Instant at);

  // invariants.cpp
  std::optional<std::string> check_invariants() const;
  std::optional<std::string> check_workers() const;
  std::optional<std::string> check_stores(const SweepRun& run) const;
  std::optional<std::string> check_deferred(const SweepRun& run) const;
  std::optional<std::string> check_presence(const SweepRun& run) const;

  // core.cpp, sessions.cpp, results.cpp, endings.cpp
  void on(const SweepSubmitted& event);
  void on(const WorkerJoined& event);
  void on(const WorkerHeard& event);
  void on(const WorkerLeft& event);
  void on(const OutcomesArrived& event);
  void on(const ResultsStored& event);
  void on(const StoreFailed& event);
  void on(const JobsReturned& event);
  void on(const StopAsked& event);
  void on(const TimePassed& event);
  void on(const SweepCancelled& event);
  void on(const WorkerDraining& event);
  void on(const HostReadmitted& event);
  void on(const SweepOver& event);
  void on(const SweepReleased& event);
  void on(const JobsAsked& event);
  void on(const NothingMore& event);

  SweepRun* sweep(SweepId id);
  Worker* note_message(WorkerId id);

  // sessions.cpp
  void welcome(Worker& worker, const AttemptId& attempt, std::optional<WorkerId> former);
  void claim_stores(Worker& worker, const std::vector<AttemptId>& holding);
  void forget(Outbox& box, const AttemptId& attempt);
  bool is_for_another_point(SweepRun& run, const AttemptId& attempt, const Worker& worker);
  bool refuse_unlike(SweepRun& run, const AttemptId& attempt, const Worker& worker);
  void take_from(InFlightJob& in_flight, SweepRun& run);
  void leave_streams(const Worker& worker);
  void forget_lost_units(std::uint32_t host);
  void lose_jobs(SweepRun& run, const Worker& worker, const std::string& reason);
  void lose(WorkerId id, const std::string& reason);
  void watch_workers();

  // results.cpp
  void receive(Worker* worker, Outbox& box, WorkerId sender, const Arrival& arrival);
  struct Judged {
    bool accepted = true;
    bool counts = true;  // against retry.max
    std::optional<std::uint32_t> not_on;
  };
  void conclude(SweepRun& run, InFlightJob& in_flight, Worker* worker, const Arrival& arrival);
  void conclude_lost(SweepRun& run, InFlightJob& in_flight, const Worker& worker, const std::string& reason,
                     bool begun);
  void settle(SweepRun& run, InFlightJob& in_flight, StoreResult row, const Judged& judged);
  Trial trial_of(SweepRun& run, const InFlightJob& in_flight, const Worker& worker, Outcome outcome,
                 bool throttled);
  void stored(const PendingStore& store);
  void flush_deferred();
  void release_deferred(SweepRun& run, const PendingStore& store, const InFlightJob* in_flight);
  void release(const std::vector<DeferredReleases::Deferred>& deferred);

  // placement.cpp
  void refill();
  bool hungry(const Worker& worker) const;
  // paused: the turn's budget was spent before it got all.
  std::uint32_t give(Worker& worker, std::uint32_t most, bool& paused);
  std::uint32_t give_of(SweepRun& run, Worker& worker, std::uint32_t most, bool& paused);
  bool answer_by_earlier(SweepRun& run, Stream& stream, std::uint64_t index, std::uint32_t hardware);
  void restart(SweepRun& run, std::uint64_t index, std::uint32_t hardware, std::uint32_t times = 0);

  // moving.cpp
  void drain(Worker& worker, const std::string& reason);
  void watch_draining();
  bool has_all_stored(const Worker& worker);
  void quarantine_hosts();
  void move_work();
  std::uint32_t ask_back(Worker& loaded, const Worker& idle);

  // explain.cpp
  JobState standing_of(SweepRun& run, const JobId& job);
  Standing why_nobody(const SweepRun& run, const Stream* stream, const JobId& job);

  // endings.cpp
  void check_endings();
  bool is_over(SweepRun& run);
  bool asks_more(SweepRun& run);
  void give_up_unschedulable(SweepRun& run);
  void stop(SweepRun& run, Ending why);
  void end(SweepRun& run, Ending ending);
};

// No job is sent while more StoreResult actions than this are pending: memory stays bounded when the disk
// is slow.
constexpr std::size_t kStoresPendingMax = 8192;

}  // namespace kernsweep::coordinator
