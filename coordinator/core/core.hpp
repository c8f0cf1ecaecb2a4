// The coordinator's decisions, without input or output: which job is sent to which worker, what is stored,
// and what a worker may forget.
//
// apply(now, event, actions) appends what must be done. Any event is legal in any state; nothing blocks,
// throws, allocates per pending job, or reads a clock. Pending jobs are an index and a bitmap
// (core/settled_jobs.hpp), so 100 million of them cost 12.5 MB at most and nothing until they are reached.
//
// Promises, tested by tests/simulation:
//   - a job gets exactly one accepted outcome, however often its worker is lost or its messages are
//     duplicated;
//   - with hosts: any, accepted results of one point are from one kind of hardware; if a point is
//     restarted on another kind, its jobs get another JobId::host (bound_points.hpp);
//   - a result is released (the worker may forget it) only after it is committed, if the job already has an
//     accepted outcome or a newer attempt, if its point is being measured on another kind of hardware, or
//     if the sweep has ended;
//   - an attempt that is not the newest of its job is answered, but its outcome is not accepted;
//   - a job that ends its process, or the whole worker, on two hosts is not retried on a third;
//   - no worker is lost because the clock steps back or jumps ahead;
//   - the same events give exactly the same actions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "coordinator/core/answered.hpp"
#include "coordinator/core/stored_attempts.hpp"
#include "shared/base/ids.hpp"
#include "shared/base/instant.hpp"
#include "shared/base/outcome.hpp"
#include "shared/base/rules.hpp"

namespace kernsweep::coordinator {

// The properties of a host that the core needs. `facts` is the shell's number for all others (host.* of
// `requires`).
struct HostFacts {
  std::uint32_t host = 0;   // host.id of the database: workers on one host share it
  std::uint32_t cores = 0;  // that the worker offers
  std::uint32_t gpus = 0;
  std::uint32_t facts = 0;
  std::uint32_t gpus_lost = 0;  // since the worker started; not counted in `gpus`
  std::uint32_t cores_lost = 0;
  std::uint32_t hardware = 0;  // hosts of equal fingerprints have the same number
};

// A result in the database that is also used as the outcome of a job of another sweep.
struct EarlierResult {
  std::uint64_t number = 0;    // the shell's
  std::uint32_t hardware = 0;  // HostFacts::hardware of the host where it was measured
};

// The jobs of one sweep by index, from the view of the core. Pure and immutable; the shell implements it
// over an expansion, tests over a vector.
class JobSpace {
 public:
  virtual ~JobSpace() = default;
  virtual std::uint64_t size() const = 0;              // jobs, unwanted ones included
  virtual bool wanted(std::uint64_t index) const = 0;  // false: rejected by a rule of the sweep file
  // The number of the rule that rejects it, at most a few hundred; nothing: it is wanted.
  virtual std::optional<std::uint32_t> rejected_by(std::uint64_t index) const {
    return wanted(index) ? std::nullopt : std::optional<std::uint32_t>(0);
  }
  virtual std::uint32_t cores(std::uint64_t index) const = 0;
  // Why this host cannot run the job ("requires threads <= host.cores: 4 > 2"); nothing when it can.
  virtual std::optional<std::string> unfit(std::uint64_t index, const HostFacts& host) const = 0;
  // A number for everything that unfit() uses of the host except its cores and GPUs: hosts with equal
  // cores, GPUs and traits fit the same jobs. Equal facts always give the same number.
  virtual std::uint32_t traits(const HostFacts& host) const { return host.facts; }
  virtual RetryRules retry(std::uint64_t index) const = 0;
  // The number of its jobs that a worker may hold; 0: as many as it has credit for. Jobs that are not sent
  // may become unwanted: wanted() may turn false for a job that was never dequeued.
  virtual std::uint32_t held_max() const { return 0; }
  // The least number of its jobs that a worker should hold, because it prepares them together (builds); 0:
  // as many as it has credit for.
  virtual std::uint32_t held_together() const { return 0; }
  // An earlier result that can be used as the outcome of this job; nothing: the job must be measured.
  // `host`: the host that the job is for; 0: any. `hardware`: the hardware that the result must be from;
  // nothing: any. Called once, when the job is dequeued.
  virtual std::optional<EarlierResult> earlier_result(std::uint64_t /*index*/, std::uint32_t /*host*/,
                                                      std::optional<std::uint32_t> /*hardware*/) const {
    return std::nullopt;
  }
  // With hosts: any, all jobs of a point are measured on one kind of hardware. False: each job is a point.
  virtual bool has_points() const { return false; }
  // The point of a job, below size(); and the jobs of a point, ascending. Called only if has_points().
  virtual std::uint64_t point_of(std::uint64_t index) const { return index; }
  virtual std::vector<std::uint64_t> jobs_of_point(std::uint64_t point) const { return {point}; }
  // The points of the same problem, this one included, ascending: their times are compared with each other.
  // Empty: not known, or too many. Called only if has_points(); the space keeps the list.
  virtual std::span<const std::uint64_t> rivals_of(std::uint64_t /*point*/) const { return {}; }
};

struct CoreOptions {
  Duration silence_limit = 2500ms;  // a worker that sent nothing for this long is lost
  Duration heartbeat_every = 500ms;
  // How long jobs that fit no host, or whose point is bound to absent hardware, wait after all other jobs
  // are done.
  Duration unplaceable_grace = 0s;
  bool stay = false;                // jobs that fit no host wait for ever
  std::uint32_t credit_max = 4096;  // jobs that a worker may hold
  Duration credit_time = 300ms;     // a worker holds about this much work, and at least two jobs per core
  // Limit per apply(): unwanted jobs that are skipped, plus checks whether a job fits a host.
  std::uint32_t scan_per_turn = 20000;
  Duration move_from = 20ms;  // a worker's backlog below this is not moved to an idle worker
};

// incomplete: some jobs have no accepted `ok`
enum class Ending : std::uint8_t { complete = 1, incomplete, stopped, store_failed, time_limit };
std::string_view name_of(Ending ending);
// Whether every job has its outcome, which may be other than `ok`.
constexpr bool is_whole(Ending ending) {
  return ending == Ending::complete || ending == Ending::incomplete;
}

// Counts for progress. Each job is counted once; attempts that were retried are in `retried`.
struct Tally {
  std::uint64_t size = 0;                  // requested, including unwanted ones
  std::uint64_t unwanted = 0;              // reached so far
  std::vector<std::uint64_t> unwanted_by;  // of these, by JobSpace::rejected_by
  std::uint64_t done = 0;                  // with a stored outcome, including those of earlier runs
  std::uint64_t ok = 0;                    // of this run
  std::uint64_t failed = 0;                // of this run: any other outcome
  std::uint64_t earlier = 0;               // of `done`: not measured in this run, including `reused`
  std::uint64_t reused = 0;                // of `earlier`: the outcome is the result of another sweep
  std::uint64_t in_flight = 0;
  std::uint64_t parked = 0;  // fit no connected host
  // Outcomes (counted in ok, failed or earlier) that no longer count in `done`, because their points were
  // restarted on other hardware. They stay in the database.
  std::uint64_t restarted = 0;
  std::uint64_t retried = 0;
  bool scanned = false;  // the last requested job was reached: size - unwanted is exact
};

// --- events: past facts ---

struct SweepSubmitted {
  SweepId sweep;
  std::shared_ptr<const JobSpace> space;
  Hosts hosts = Hosts::any;
  Duration time_limit{};            // 0: none
  std::uint32_t first_attempt = 1;  // larger than any attempt in the database
  AnsweredJobs answered;            // jobs that have their outcome already
  // Stored attempts of jobs without an accepted outcome. If a worker still holds one of them, or an earlier
  // one, after a restart of the coordinator, the coordinator releases it; other attempts that it holds are
  // adopted.
  StoredAttempts stored_attempts = {};
  std::int32_t priority = 0;  // larger first; equal: in the order of submission
  // No job is sent, and the sweep does not end, before SweepReleased, because results of earlier runs are
  // still being checked. Jobs of it that workers hold are adopted, and their outcomes are stored.
  bool held = false;
  // With hosts: any and JobSpace::has_points: the jobs of `answered` by the HostFacts::hardware that they
  // were measured on.
  std::map<std::uint32_t, AnsweredJobs> measured_on = {};
  // Jobs from this index on are not requested yet; larger than the space: all are requested.
  std::uint64_t asked = UINT64_MAX;
  // AskMore follows when all requested jobs have their outcome, even if these are all jobs, until the
  // answer is NothingMore.
  bool may_ask = false;
};
struct SweepReleased {  // continues a sweep that was submitted as `held`; no effect on any other
  SweepId sweep;
};
// The answer to AskMore: the jobs below `asked` are requested, too. If these already have their outcome,
// AskMore follows again. No effect after NothingMore.
struct JobsAsked {
  SweepId sweep;
  std::uint64_t asked = 0;
};
struct NothingMore {  // the answer to AskMore: the sweep ends when all requested jobs have their outcome
  SweepId sweep;
};
struct SweepCancelled {  // as StopAsked, but only for this sweep
  SweepId sweep;
};
// A sweep that ended before the coordinator was restarted: workers may forget what they still hold of it.
struct SweepOver {
  SweepId sweep;
  Ending ending = Ending::complete;
  Tally tally = {};
  std::int32_t priority = 0;
};
struct WorkerJoined {
  WorkerId worker;
  HostFacts host;
  std::vector<AttemptId> holding;  // attempts that the worker still has: queued, running or spooled
  // The session that the same worker process had with this coordinator before its connection broke. Jobs
  // that were sent in that session and are not in `holding` never arrived: they are sent again, which does
  // not count as a failure.
  std::optional<WorkerId> former = std::nullopt;
};
struct WorkerHeard {
  WorkerId worker;
};
struct WorkerLeft {  // said goodbye, or its connection closed
  WorkerId worker;
  std::string reason;
};
struct Arrival {
  AttemptId attempt;
  Outcome outcome = Outcome::ok;
  bool throttled = false;     // the result is doubtful, and a retry may give a better one
  Duration busy{};            // of the slot, for the worker's credit
  std::uint32_t payload = 0;  // the shell's number of the encoded outcome
};
// The worker is to leave, because it or a client requested it. It gets no new jobs, jobs that it has not
// begun are requested back, and running ones continue. WorkerDrained follows when none of its jobs is left.
struct WorkerDraining {
  WorkerId worker;
  std::string reason;
};
// Ends the quarantine of a host (HostFacts::host): its workers may join again.
struct HostReadmitted {
  std::uint32_t host = 0;
};
struct OutcomesArrived {
  WorkerId worker;
  std::vector<Arrival> arrivals;
};
struct ResultsStored {  // committed, in the order of their StoreResult actions
  std::vector<AttemptId> attempts;
};
struct StoreFailed {
  std::string reason;
};
struct JobsReturned {  // the worker returns jobs that it has not started (retracted, cancelled, drain)
  WorkerId worker;
  std::vector<AttemptId> attempts;
};
struct StopAsked {};   // Ctrl-C: begin no new job, keep what is measured
struct TimePassed {};  // at least every heartbeat_every; also continues a scan

using Event =
    std::variant<SweepSubmitted, WorkerJoined, WorkerHeard, WorkerLeft, OutcomesArrived, ResultsStored,
                 StoreFailed, JobsReturned, StopAsked, TimePassed, SweepCancelled, WorkerDraining,
                 HostReadmitted, SweepOver, SweepReleased, JobsAsked, NothingMore>;

// --- actions: orders ---

struct SendJobs {
  WorkerId worker;
  std::vector<AttemptId> attempts;
};
struct CancelJobs {  // drop queued jobs, end running ones; answered with JobsReturned or outcomes
  WorkerId worker;
  std::vector<AttemptId> attempts;
};
// Return the jobs that no slot has begun, with JobsReturned; the others continue. A worker may not answer;
// one that returns nothing is asked again later, and less often.
struct RetractJobs {
  WorkerId worker;
  std::vector<AttemptId> attempts;
};
struct StoreResult {
  AttemptId attempt;
  std::optional<WorkerId> worker;  // nothing: decided by the coordinator (unplaceable, most worker_lost)
  Outcome outcome = Outcome::ok;
  bool accepted = true;                  // false: a retry follows
  std::optional<std::uint32_t> payload;  // as it arrived; nothing: only `reason` is known
  // With a payload: is put before its reason ("it ended its process on two hosts").
  std::string reason;
  std::optional<std::uint64_t> reused = std::nullopt;  // EarlierResult::number: the row refers to it
};
// The hardware that a point was bound to does not return: all its jobs are re-measured on other hardware.
// Its old results stay in the database.
struct PointBegunAnew {
  SweepId sweep;
  std::uint64_t job = 0;      // the first of the point
  std::uint32_t times = 0;    // how often it was restarted, including this time
  std::uint64_t results = 0;  // that it had
};
struct ReleaseResults {
  WorkerId worker;
  std::vector<AttemptId> attempts;
  std::vector<std::uint32_t> unused_payloads;  // arrivals that will not be stored
};
struct SendHeartbeat {
  WorkerId worker;
};
struct DismissWorker {  // lost: its session is over
  WorkerId worker;
  std::string reason;
};
// A draining worker holds no more jobs, and all its results are answered: send a goodbye. Its session is
// over.
struct WorkerDrained {
  WorkerId worker;
  std::string reason;
};
struct SweepEnded {
  SweepId sweep;
  Ending ending = Ending::complete;
};
// All requested jobs of the sweep have their outcome, committed. Answered with JobsAsked or NothingMore.
struct AskMore {
  SweepId sweep;
};
struct ScanOn {};  // apply TimePassed again at once: a scan over unwanted jobs is not finished

using Action = std::variant<SendJobs, CancelJobs, StoreResult, ReleaseResults, SendHeartbeat, DismissWorker,
                            SweepEnded, ScanOn, RetractJobs, WorkerDrained, PointBegunAnew, AskMore>;

struct SweepProgress {
  SweepId sweep;
  std::int32_t priority = 0;
  std::optional<Ending> ended;  // nothing: it is running
  Tally tally;
};

struct WorkerState {
  std::uint32_t held = 0;            // jobs that were sent to it and are not answered
  bool draining = false;             // for `reason`
  bool resting = false;              // it returned jobs without a request, so it gets none for a while
  double mean_busy_s = 0.0;          // of its jobs, weighted; 0: none yet
  std::uint64_t ok = 0, failed = 0;  // outcomes of this session
  std::string reason;
};

// Why a job is not running, or where it is.
enum class Standing : std::uint8_t {
  unknown = 1,   // no such job, or its sweep was never submitted
  over,          // its sweep has ended: its outcome is in the database
  rejected,      // by the sweep's own rules
  not_asked,     // it is requested only if the jobs before it do not decide
  answered,      // its outcome is stored
  storing,       // its outcome is being stored
  held,          // its sweep waits until earlier results have been checked
  with_worker,   // sent, queued or running there
  stopping,      // its sweep is being stopped: it will not run
  again,         // waits for a retry
  its_turn,      // waits in the order of its sweep
  no_worker,     // no worker is connected
  no_host_fits,  // of the connected ones
  draining,      // those that it fits are draining
  after_sweep,   // a sweep of higher priority comes first
};
struct JobState {
  Standing standing = Standing::unknown;
  WorkerId worker;                    // with_worker
  std::uint32_t attempt = 0;          // the newest, once there was one
  std::uint64_t before = 0;           // its_turn: at most this many jobs of its sweep come before it
  SweepId after;                      // after_sweep
  std::vector<std::string> why = {};  // no_host_fits: a line per kind of host
};
std::string describe(const JobState& state);  // a sentence, or several lines

// Jobs that fit no joined host, when all other jobs of their sweep have their outcome. They end as
// `unplaceable` after CoreOptions::unplaceable_grace.
struct UnplacedJobs {
  JobId first;
  std::uint64_t count = 0;
  std::string why;  // of the first
};

// Sizes of the core's tables. All but `workers` and `sweeps` are 0 when no job is in flight or waits.
struct TableSizes {
  std::size_t sweeps = 0, workers = 0, in_flight_jobs = 0, stores = 0, deferred = 0, suspects = 0,
              set_aside = 0;
};

class Core {
 public:
  explicit Core(CoreOptions options);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  void apply(Instant now, const Event& event, std::vector<Action>& actions);

  const CoreOptions& options() const;
  Tally tally(SweepId sweep) const;
  bool idle() const;  // no sweep is running
  // Running sweeps in the order in which they are served, then ended ones, by number.
  std::vector<SweepProgress> sweeps() const;
  std::optional<WorkerState> worker(WorkerId worker) const;  // nothing: it is not connected
  bool is_stopping(SweepId sweep) const;
  // `host`: HostFacts::host. True: jobs failed on it that were ok on other hosts.
  bool is_quarantined(std::uint32_t host) const;
  // Checks each kind of host and each sweep.
  JobState explain(const JobId& job) const;
  std::optional<UnplacedJobs> unplaced(SweepId sweep) const;  // nothing: it has other jobs, or none
  TableSizes tables() const;
  // For tests, after any event: describes the first violation found in the tables; nothing if there is
  // none. Slow: it checks every table.
  std::optional<std::string> check_invariants() const;

 private:
  friend struct TableBreaker;  // of tests
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kernsweep::coordinator
