// The worker's decisions, without input or output: which process runs which job on which cores, and which
// slot may measure now.
//
// Several slots may prepare at the same time. While one measures, slots that could disturb it do not work.
//
// The lease. A slot prepares (inputs, verification), then requests the lease, then measures. While a slot
// has a lease, no other slot of this worker works on any core of the lease's zone: all cores of the host
// (alone_on: host), of its NUMA nodes, of its last-level caches, or only the slot's own cores (core). A
// slot's GPUs are its own, like its cores, and belong to its zone; the GPUs of others belong to it only if
// the zone is the host. Preparing is work, too. A requested lease keeps new preparations from starting in
// its zone, so it is granted as soon as the running ones are done. A slot that has measured while
// neighbours worked may return its lease and request one over the whole host, for the same job; the
// difference shows how much the neighbours disturb.
//
// Short jobs of the same key are sent to a slot as one run, with one lease for all. If a slot crashes or
// exceeds a limit in a run of several jobs, the jobs without an outcome are run again one by one. This
// shows which of them is at fault.
//
// Blocks. The n-th processes of all points of a sweep are block n, and are compared with each other. So
// they get the same cores: the cores of the host are rotated by another start in each block, and each job
// takes the first ones that it needs. No job of another block overtakes one that waits for these cores.
//
// GPUs. An idle slot keeps its GPUs, because its process still has memory and a context on them. Before
// another slot starts on such a GPU, the core asks the idle slot to leave and waits for its end.
//
// A job that reports its GPU as lost may have broken its context by an illegal access, or the GPU may have
// failed. The same applies to a job that crashes, exceeds a limit or fails without naming its GPU. So the
// GPU is checked (LookAtGpu) after that process has ended. Until the answer comes (GpuSeen), no job uses
// the GPU, and the job's outcome is kept back. A GPU that works stays in use, however many kernels fail on
// it. A lost GPU is no longer used: its job counts as one whose worker was lost and is retried elsewhere,
// and jobs that need more GPUs than are left are returned. If the check cannot decide (unknown), the worker
// counts the different jobs in a row that reported the GPU as lost.
//
// The worker waits at most exit_limit for a process that cannot be killed, for example because it waits in
// the kernel for a disk or a driver. Then its job gets its outcome, and its cores and GPUs are no longer
// used, even if the process ends later: other parts of that device may hang as well. The next worker that
// is started uses them again.
//
// Builds. Jobs' builds run in a phase of their own: it starts when a job that needs a build is the first of
// the queue and no slot has a job, builds all that queued jobs need, as many at the same time as there are
// cores, and ends before the next job is placed. So nothing is built during a measurement, and a build is
// known before its first job. If a build fails, its jobs fail with its reason; it is not retried.
//
// Before a watched job gets its lease, the host must be quiet (quiet.hpp), or the worker's patience for
// this sweep must be over. No job is cancelled or exceeds a limit during that wait.
//
// The rules of the coordinator's core apply here, too: any event is legal in any state, time is passed in,
// and the same events give the same actions. A clock that steps back is treated as stopped. If the clock is
// found far beyond a deadline, it has jumped, or this process was stopped: then every limit is moved by
// that time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "shared/base/ids.hpp"
#include "shared/base/instant.hpp"
#include "shared/base/outcome.hpp"
#include "shared/base/rules.hpp"
#include "worker/core/quiet_wait.hpp"
#include "worker/core/units.hpp"

namespace kernsweep::worker {

// The cores and GPUs that the worker may use.
struct HostLayout {
  std::uint32_t cores = 1;
  std::vector<UnitSet> numa_of;   // for each core, the cores of its NUMA node
  std::vector<UnitSet> cache_of;  // for each core, the cores that share its last-level cache
  std::uint32_t gpus = 0;
  std::vector<UnitSet> near = {};  // for each GPU, the cores that are near it; no core: not known
};

struct WorkerOptions {
  std::uint32_t idle_slots_max = 16;  // processes kept for jobs of the same key
  std::uint32_t run_jobs_max = 256;   // jobs of one run
  Duration run_time_goal = 20ms;      // work in one run; a job that should take longer runs alone
  Duration leave_grace = 5s;          // for leaving, and for answers in addition to both limits
  // The jobs of a key fail after this number of failed starts in a row.
  std::uint32_t starts_failed_max = 3;
  // A GPU whose check cannot decide is no longer used after this number of different jobs in a row has
  // reported it as lost, without a successful job between them.
  std::uint32_t gpu_losses_max = 2;
  Duration exit_limit = 60s;  // for the end of a killed process; then its cores and GPUs are no longer used
  Duration patience{};        // as in Quiet
};

// A job in the core. `key` is the shell's number for what a slot is started for: environment, pack and
// number of the process repetition. Jobs with equal keys, cores and GPUs may share a slot.
struct Order {
  AttemptId attempt;
  std::uint32_t key = 0;
  std::uint32_t cores = 1;
  std::uint32_t gpus = 0;
  Exclusion alone_on = Exclusion::host;
  Duration setup_timeout = 60s;
  Duration run_timeout = 120s;
  bool watched = false;     // reports whether it was disturbed, and waits for a quiet host
  bool runs_alone = false;  // it never shares a run with other jobs
  // Its block, which determines its cores; requires alone_on: host and no GPUs.
  std::optional<std::uint32_t> block = {};
  std::vector<std::uint32_t> builds = {};  // the builds that it needs, by the shell's numbers
};

// --- events ---

struct JobsArrived {
  std::vector<Order> orders;
};
struct JobsCancelled {
  std::vector<AttemptId> attempts;
};
// Returns the jobs that no slot has begun; the others continue. Answered by exactly one ReturnJobs, which
// may be empty. A job is begun when it was sent to a slot, or when a process is being started for it.
struct JobsRetracted {
  std::vector<AttemptId> attempts;
};
// Returns every job that was not sent to a slot, begins no more, and lets running jobs finish. Answered by
// Drained. It cannot be undone.
struct DrainAsked {};
struct SlotReady {  // the process is bound and connected
  SlotId slot;
};
struct SlotExited {
  SlotId slot;
  Outcome outcome = Outcome::signal;  // signal, out_of_memory or failed_setup (could not be started)
  std::string reason;                 // "killed by SIGSEGV", "exited with status 3"
};
struct LeaseRequested {  // prepared and verified; only for a run that was sent without a lease
  SlotId slot;
  // The slot has measured under the requested lease. It returns this lease and requests one over the whole
  // host to measure once more.
  bool whole_host = false;
};
struct LeaseReturned {  // measured under a lease that was requested; what follows is work like preparing
  SlotId slot;
};
struct Measured {
  SlotId slot;
  AttemptId attempt;
  Outcome outcome = Outcome::ok;
  Duration busy{};            // time in the slot, from preparation to outcome
  std::uint32_t payload = 0;  // the shell's number for the encoded outcome
  bool slot_is_done = false;  // the slot must not measure again: it may have lost its device
  bool device_lost = false;   // the slot reports its device as lost
  bool disturbed = false;     // so much that a retry may help
};
struct OutcomesMeasured {  // in the order of the run; the last outcome of a run returns the lease
  std::vector<Measured> outcomes;
};
// The phase of a slot, from its phase board: the answer to LookAtSlot.
struct SlotSeen {
  SlotId slot;
  std::uint16_t jobs_begun = 0;  // since its process started, modulo 65,536
  bool measuring = false;
  Instant since;  // when the newest job's phase began
};
enum class GpuAnswer : std::uint8_t { works = 1, lost, unknown };
struct GpuSeen {  // the answer to LookAtGpu, which always comes
  std::uint32_t gpu = 0;
  GpuAnswer answer = GpuAnswer::unknown;
  std::string why;  // empty if it works
};
// The answer to BeginBuild, which always comes.
struct Built {
  std::uint32_t build = 0;
  bool interrupted = false;  // by EndBuild: the needed file is not known
  std::string failure;       // why the file could not be built; empty: it exists
};
struct StopAsked {};  // return queued jobs, kill running ones
struct TimePassed {};

using Event = std::variant<JobsArrived, JobsCancelled, SlotReady, SlotExited, LeaseRequested, LeaseReturned,
                           OutcomesMeasured, SlotSeen, StopAsked, TimePassed, JobsRetracted, DrainAsked,
                           GpuSeen, HostSeen, Built>;

// --- actions ---

struct StartSlot {
  SlotId slot;
  std::uint32_t key = 0;
  UnitSet units;
};
struct RetireSlot {  // the slot is idle: ask it to leave; SlotExited follows
  SlotId slot;
};
struct KillSlot {  // SIGKILL, whole process group; SlotExited follows
  SlotId slot;
  bool took_too_long = false;  // read the memory of its processes before, for the reason
};
struct SendRun {
  SlotId slot;
  std::vector<AttemptId> attempts;
  bool leased = false;  // the lease is granted with the run
};
struct GrantLease {
  SlotId slot;
};
// A time limit may be exceeded: answer with SlotSeen. A slot sends nothing during a leased run.
struct LookAtSlot {
  SlotId slot;
};
// The job has its outcome: store it in the spool, then send it to the coordinator.
struct ReportOutcome {
  AttemptId attempt;
  Outcome outcome = Outcome::ok;
  std::optional<std::uint32_t> payload;  // nothing: the slot has sent no outcome; there is only `reason`
  std::string reason;
  std::optional<SlotId> slot;  // the slot whose stderr belongs to the outcome
  // The largest number of other slots that worked at the same time since the lease of its run was granted
  // (alone_on allows such neighbours).
  std::uint32_t neighbours = 0;
  // Not empty: it was disturbed, and so were all results before it for so long that a retry now would not
  // help. The text contains that and the programs that disturb.
  std::string stands = {};
};
// As ReportOutcome, but a lost GPU may be the cause. The outcome is sent later, by TellOutcome, or not at
// all if the job is in a ReturnJobs.
struct KeepBackOutcome {
  ReportOutcome outcome;
};
struct TellOutcome {
  AttemptId attempt;
  std::optional<std::uint32_t> lost_gpu;  // the job's GPU was lost: the outcome becomes worker_lost
};
// Check whether the GPU still works; no process of this worker uses it. GpuSeen always follows, possibly
// late.
struct LookAtGpu {
  std::uint32_t gpu = 0;
};
struct GiveUpGpu {  // no job may use it any more
  std::uint32_t gpu = 0;
  std::string reason;
};
// No more jobs are begun on these cores; the coordinator must be informed that the host has fewer. Jobs
// that already run on them continue.
struct GiveUpCores {
  UnitSet cores;
  std::string reason;
};
struct BeginBuild {  // of an order; no slot measures or prepares meanwhile
  std::uint32_t build = 0;
};
struct EndBuild {  // no job here needs it any more
  std::uint32_t build = 0;
};
struct LookAtHost {};  // answer at once with HostSeen: the load of other programs since the last look
struct TellUser {      // a line about this host
  std::string text;
};
struct ReturnJobs {  // jobs that were not begun: to be returned to the coordinator
  std::vector<AttemptId> attempts;
};

struct Drained {
};  // after DrainAsked: no job is left here. Once, after the last ReportOutcome or ReturnJobs

using Action = std::variant<StartSlot, RetireSlot, KillSlot, SendRun, GrantLease, LookAtSlot, ReportOutcome,
                            ReturnJobs, Drained, KeepBackOutcome, TellOutcome, LookAtGpu, GiveUpGpu,
                            GiveUpCores, LookAtHost, TellUser, BeginBuild, EndBuild>;

// The current activity, for progress and `status`.
struct Activity {
  std::uint32_t queued = 0, preparing = 0, measuring = 0, slots = 0;
  std::size_t held = 0;  // jobs that arrived and have neither been reported nor returned
  bool draining = false;
  std::string waits = {};  // why a prepared job is not measured now, for the user; empty: none waits
};

class Core {
 public:
  Core(HostLayout layout, WorkerOptions options);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  void apply(Instant now, const Event& event, std::vector<Action>& actions);

  Activity activity() const;
  // The latest time at which TimePassed must be applied next; nothing if there is no deadline.
  std::optional<Instant> next_deadline() const;
  // For tests, after any event: describes the first violation in the tables; nothing if there is none.
  // Slow: it checks every table.
  std::optional<std::string> check_invariants() const;

 private:
  friend struct CoreInside;  // for a test that damages a table
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kernsweep::worker
