// The coordinator's decisions, without a world: which job goes where, what is stored, what a worker may
// forget.
//
// apply(now, event, actions) appends what must be done. Any event is legal in any state; nothing blocks,
// throws, allocates per pending job, or reads a clock. Pending jobs are an index and a bitmap
// (core/settled_jobs.hpp), so 100 million of them cost 12.5 MB at most and nothing until they are reached.
//
// Promises, held by tests/simulation:
//   - a job gets exactly one accepted outcome, however often its worker is lost or its letters doubled;
//   - with hosts: any, accepted results of one point are of one kind of hardware; a point that is begun
//   anew
//     on another kind has its jobs under another JobId::host (bound_points.hpp);
//   - a result is released (the worker may forget it) only after the store has said that it is committed,
//     when the job has its accepted outcome already, when a newer attempt of it exists, when its point is
//     being measured on another kind of hardware, or when the sweep has ended;
//   - an attempt that is not the newest of its job is answered, never believed;
//   - a job that ends its process, or the whole worker, on two hosts is not tried on a third;
//   - a clock that steps back or leaps ahead loses nobody;
//   - the same events give the same actions, to the byte.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
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

// What the core needs to know of a host; `facts` is the shell's number for everything else (host.* of
// `requires`).
struct HostFacts {
  std::uint32_t host = 0;   // host.id of the database: workers on one host share it
  std::uint32_t cores = 0;  // that the worker offers
  std::uint32_t gpus = 0;
  std::uint32_t facts = 0;
  std::uint32_t gpus_lost = 0;  // that it had when it started, besides
  std::uint32_t cores_lost = 0;
  std::uint32_t hardware = 0;  // hosts of equal fingerprints have the same number
};

// A result of the database that is the outcome of a job of another sweep, too.
struct EarlierResult {
  std::uint64_t number = 0;    // the shell's
  std::uint32_t hardware = 0;  // HostFacts::hardware of the host where it was measured
};

// The jobs of one sweep by index, as the core sees them. Pure and immutable; the shell implements it over
// an expansion, tests over a vector.
class JobSpace {
 public:
  virtual ~JobSpace() = default;
  virtual std::uint64_t size() const = 0;              // jobs, unwanted ones included
  virtual bool wanted(std::uint64_t index) const = 0;  // false: rejected by the file's own rules
  // The number of the rule that rejects it, below a few hundred; nothing: it is wanted.
  virtual std::optional<std::uint32_t> rejected_by(std::uint64_t index) const {
    return wanted(index) ? std::nullopt : std::optional<std::uint32_t>(0);
  }
  virtual std::uint32_t cores(std::uint64_t index) const = 0;
  // Why this host cannot take the job ("requires threads <= host.cores: 4 > 2"); nothing when it can.
  virtual std::optional<std::string> unfit(std::uint64_t index, const HostFacts& host) const = 0;
  // A number for all that unfit() reads of the host beside its cores and GPUs: hosts with equal cores, GPUs
  // and traits fit the same jobs. The same for equal facts, always.
  virtual std::uint32_t traits(const HostFacts& host) const { return host.facts; }
  virtual RetryRules retry(std::uint64_t index) const = 0;
  // An earlier result that is the outcome of this job too, so that it need not be measured; nothing: there
  // is none. `host`: that the job is for; 0: any. `hardware`: that it must be of; nothing: any. Asked once,
  // when the job is dequeued.
  virtual std::optional<EarlierResult> earlier_result(std::uint64_t /*index*/, std::uint32_t /*host*/,
                                                      std::optional<std::uint32_t> /*hardware*/) const {
    return std::nullopt;
  }
  // With hosts: any, all jobs of a point are measured on one kind of hardware. False: each job is a point.
  virtual bool has_points() const { return false; }
  // Of a job, below size(); and its jobs, ascending. Asked only where has_points().
  virtual std::uint64_t point_of(std::uint64_t index) const { return index; }
  virtual std::vector<std::uint64_t> jobs_of_point(std::uint64_t point) const { return {point}; }
};

struct CoreOptions {
  Duration silence_limit = 2500ms;  // a worker not heard of for so long is lost
  Duration heartbeat_every = 500ms;
  // How long jobs that fit no host, or whose point is bound to hardware that is away, wait after all else
  // is done.
  Duration unplaceable_grace = 0s;
  bool stay = false;                // jobs that fit no host wait for ever
  std::uint32_t credit_max = 4096;  // jobs that a worker may hold
  Duration credit_time = 300ms;     // a worker holds about this much work, and at least two jobs per core
  // Per apply(): unwanted jobs passed over, and questions whether a job fits a host.
  std::uint32_t scan_per_turn = 20000;
  Duration move_from = 20ms;  // what a worker is expected to need less time for is not moved to an idle one
};

// incomplete: some jobs have no accepted `ok`
enum class Ending : std::uint8_t { complete = 1, incomplete, stopped, store_failed, time_limit };
std::string_view name_of(Ending ending);
// Every job has its outcome, if not always a good one.
constexpr bool is_whole(Ending ending) {
  return ending == Ending::complete || ending == Ending::incomplete;
}

// What progress shows. Jobs are counted once; attempts that were retried are in `retried`.
struct Tally {
  std::uint64_t size = 0;                  // of the space, unwanted ones included
  std::uint64_t unwanted = 0;              // met so far
  std::vector<std::uint64_t> unwanted_by;  // of these, by JobSpace::rejected_by
  std::uint64_t done = 0;                  // have their outcome, stored (earlier runs included)
  std::uint64_t ok = 0;                    // of this run
  std::uint64_t failed = 0;                // of this run: any other outcome
  std::uint64_t earlier = 0;               // of `done`: not measured in this run, `reused` included
  std::uint64_t reused = 0;                // of `earlier`: the outcome is the result of another sweep
  std::uint64_t in_flight = 0;
  std::uint64_t parked = 0;  // fit no host that is here
  // Outcomes (of ok, failed, earlier) that no longer count in `done`: their points were begun anew on other
  // hardware. They stay in the database.
  std::uint64_t begun_anew = 0;
  std::uint64_t retried = 0;
  bool scanned = false;  // the end of the space was reached: size - unwanted is exact
};

// --- events: past facts ---

struct SweepSubmitted {
  SweepId sweep;
  std::shared_ptr<const JobSpace> space;
  Hosts hosts = Hosts::any;
  Duration time_limit{};            // 0: none
  std::uint32_t first_attempt = 1;  // larger than any attempt that the database knows
  AnsweredJobs answered;            // jobs that have their outcome already
  // Attempts of unanswered jobs that are stored already. A worker that still holds one, or an earlier one,
  // after a restart of the coordinator is told to forget it; any other attempt that it holds is adopted.
  StoredAttempts stored_attempts = {};
  std::int32_t priority = 0;  // larger first; equal: in the order of submission
  // No job of it is sent, and it does not end, before SweepReleased: what earlier runs measured is still
  // being checked. What workers hold of it is adopted, and their outcomes are stored.
  bool held = false;
  // With hosts: any and JobSpace::has_points: `answered` again, by HostFacts::hardware of where it was
  // measured.
  std::map<std::uint32_t, AnsweredJobs> measured_on = {};
};
struct SweepReleased {  // a sweep that was submitted as `held` goes on; of any other: nothing
  SweepId sweep;
};
struct SweepCancelled {  // this one as by StopAsked; the others go on
  SweepId sweep;
};
struct SweepOver {  // ended in an earlier life of the coordinator: what workers still have of it, they may
                    // forget
  SweepId sweep;
  Ending ending = Ending::complete;
  Tally tally = {};
  std::int32_t priority = 0;
};
struct WorkerJoined {
  WorkerId worker;
  HostFacts host;
  std::vector<AttemptId> holding;  // attempts that the worker still has: queued, running or spooled
  // The session that the same worker process had with this coordinator before its connection broke. What
  // that session was sent and is not in `holding` was lost on the way: it is sent again, without blame.
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
  bool throttled = false;     // the numbers are doubtful for a reason that another try may not have
  Duration busy{};            // of the slot, for the worker's credit
  std::uint32_t payload = 0;  // the shell's number of the encoded outcome
};
// It wants to leave, or somebody wants it to: it gets no new jobs, what it has not begun is asked back,
// what runs goes on. WorkerDrained follows when nothing of it is left.
struct WorkerDraining {
  WorkerId worker;
  std::string reason;
};
struct HostReadmitted {  // a host that was shut out because jobs failed on it (HostFacts::host) may come
                         // again
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
struct JobsReturned {  // the worker gives back what it has not started (retracted, cancelled, drain)
  WorkerId worker;
  std::vector<AttemptId> attempts;
};
struct StopAsked {};   // Ctrl-C: finish nothing new, keep what is measured
struct TimePassed {};  // at least every heartbeat_every; also asks a scan to go on

using Event = std::variant<SweepSubmitted, WorkerJoined, WorkerHeard, WorkerLeft, OutcomesArrived,
                           ResultsStored, StoreFailed, JobsReturned, StopAsked, TimePassed, SweepCancelled,
                           WorkerDraining, HostReadmitted, SweepOver, SweepReleased>;

// --- actions: orders ---

struct SendJobs {
  WorkerId worker;
  std::vector<AttemptId> attempts;
};
struct CancelJobs {  // drop what is queued, end what runs; answer with JobsReturned or outcomes
  WorkerId worker;
  std::vector<AttemptId> attempts;
};
// Give back those of them that no slot has begun, by JobsReturned; the rest goes on. A worker need not
// answer: who gives nothing back is asked again later, and less.
struct RetractJobs {
  WorkerId worker;
  std::vector<AttemptId> attempts;
};
struct StoreResult {
  AttemptId attempt;
  std::optional<WorkerId> worker;  // nothing: the coordinator's own finding (unplaceable, most worker_lost)
  Outcome outcome = Outcome::ok;
  bool accepted = true;                  // false: a retry follows
  std::optional<std::uint32_t> payload;  // as it arrived; nothing: only `reason` is known
  // With a payload: what the coordinator adds to the reason in it ("it ended its process on two hosts").
  std::string reason;
  std::optional<std::uint64_t> reused = std::nullopt;  // EarlierResult::number: the row refers to it
};
// The hardware that a point was bound to stays away: its jobs are measured on other hardware, all of them.
// What it has stays in the database.
struct PointBegunAnew {
  SweepId sweep;
  std::uint64_t job = 0;      // the first of the point
  std::uint32_t times = 0;    // that it has been begun anew, this one included
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
struct DismissWorker {  // lost: it is not known here from now on
  WorkerId worker;
  std::string reason;
};
// A draining worker holds nothing any more, and all that it measured is answered: say goodbye. It is not
// known here from now on.
struct WorkerDrained {
  WorkerId worker;
  std::string reason;
};
struct SweepEnded {
  SweepId sweep;
  Ending ending = Ending::complete;
};
struct ScanOn {};  // apply(TimePassed) again at once: a scan over unwanted jobs is under way

using Action = std::variant<SendJobs, CancelJobs, StoreResult, ReleaseResults, SendHeartbeat, DismissWorker,
                            SweepEnded, ScanOn, RetractJobs, WorkerDrained, PointBegunAnew>;

struct SweepProgress {
  SweepId sweep;
  std::int32_t priority = 0;
  std::optional<Ending> ended;  // nothing: it runs
  Tally tally;
};

struct WorkerState {
  std::uint32_t held = 0;            // jobs that it has been sent and not answered
  bool draining = false;             // for `reason`
  bool resting = false;              // it gave jobs back unasked and gets none for a while
  double mean_busy_s = 0.0;          // of its jobs, weighted; 0: none yet
  std::uint64_t ok = 0, failed = 0;  // outcomes of this session
  std::string reason;
};

// Why a job is not running, or where it is.
enum class Standing : std::uint8_t {
  unknown = 1,   // no such job, or its sweep was never submitted
  over,          // its sweep has ended: what became of it is in the database
  rejected,      // by the sweep's own rules
  answered,      // its outcome is stored
  storing,       // its outcome is under way to the store
  held,          // its sweep waits until earlier results have been checked
  with_worker,   // sent, queued or running there
  stopping,      // its sweep is being stopped: it will not be tried
  again,         // waits for another try
  its_turn,      // waits its turn
  no_worker,     // nobody is here
  no_host_fits,  // of those that are here
  draining,      // those that fit are about to leave
  after_sweep,   // a sweep of higher priority goes first
};
struct JobState {
  Standing standing = Standing::unknown;
  WorkerId worker;                    // with_worker
  std::uint32_t attempt = 0;          // the newest, once there was one
  std::uint64_t before = 0;           // its_turn: at most so many jobs of its sweep come before it
  SweepId after;                      // after_sweep
  std::vector<std::string> why = {};  // no_host_fits: a line per kind of host
};
std::string describe(const JobState& state);  // one why_quarantined, or several lines

// How much the core remembers of what is under way; all but `workers` and `sweeps` are 0 when nothing is.
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

  Tally tally(SweepId sweep) const;
  bool idle() const;  // no sweep is running
  // Those that run in the order in which they are served, then those that ended, by number.
  std::vector<SweepProgress> sweeps() const;
  std::optional<WorkerState> worker(WorkerId worker) const;  // nothing: it is not here
  bool is_stopping(SweepId sweep) const;
  // HostFacts::host: jobs failed on it that were ok elsewhere.
  bool is_quarantined(std::uint32_t host) const;
  // Costs a look at each kind of host and at each sweep.
  JobState explain(const JobId& job) const;
  TableSizes tables() const;
  // For tests, after any event: what in the tables contradicts itself or another table; nothing when all
  // agree. Costs a look at all that is remembered.
  std::optional<std::string> check_invariants() const;

 private:
  friend struct TableBreaker;  // of tests
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kernsweep::coordinator
