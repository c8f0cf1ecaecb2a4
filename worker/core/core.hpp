// The worker's decisions, without a world: which process runs which job on which cores, who may measure
// now.
//
// Several slots prepare at a time. While one measures, those that could disturb it do not work.
//
// The lease. A slot prepares (inputs, verification), then lease_requests the lease, then measures. While a
// lease is held, no other slot of ours works on any core of the lease's zone: all cores of the host
// (alone_on: host), of its NUMA nodes, of its last-level caches, or just its own (core). A slot's GPUs are
// its own, as its cores are, and belong to its zone; those of others only when that is the host. Preparing
// is work too. A wanted lease keeps new preparations from starting in its zone, so it is granted as soon as
// those under way are done. A slot that has measured beside neighbours may give its lease back and
// request_lease one over the whole host, for the same job: so it is known what the neighbours cost.
//
// Short jobs of the same key travel to a slot as one run, under one lease that is granted with it. When a
// slot dies or overstays in a run of several jobs, those without an outcome are run again one by one, so
// blame falls on the right one.
//
// GPUs. A slot that has a GPU for its job keeps it while it is idle, too, as memory on the card and a
// context that its driver holds: so an idle slot leaves, and is waited for, before another starts there.
//
// A job that has lost its GPU may have broken its context by an illegal access, or the GPU is no more; and
// so may one that dies, overstays or fails without a word of its GPU. So the GPU is asked (LookAtGpu) once
// that process has gone, and nobody uses it until it has answered (GpuSeen); the job's outcome is kept
// back. One that works keeps its place, however many kernels are broken on it. One that is lost is given
// up: its job counts as one whose worker was lost, and is tried elsewhere; what needs more GPUs than are
// left goes back. Where nothing can be learned, different jobs in a row that say that they lost it are
// counted.
//
// A process that cannot be killed, as one that waits for a disk or a driver in the kernel, is waited for no
// longer than exit_limit: then its job has its outcome, and its cores and GPUs are given up. They stay
// given up, even if it goes after all: who knows what else of that device hangs. The next worker has them
// again.
//
// Same rules as the coordinator's core: any event in any state, time is handed in, same events same
// actions. A clock that steps back does not; one that is found far beyond a deadline has leapt, or this
// process stood still: then every limit is as far away as it was before.
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
#include "worker/core/units.hpp"

namespace kernsweep::worker {

// What the worker may use. Zones: for each core, the cores that share its NUMA node / its last-level cache.
struct HostLayout {
  std::uint32_t cores = 1;
  std::vector<UnitSet> numa_of;
  std::vector<UnitSet> cache_of;
  std::uint32_t gpus = 0;
  std::vector<UnitSet> near = {};  // for each GPU, the cores that are near it; none: that is not known
};

struct WorkerOptions {
  std::uint32_t idle_slots_max = 16;  // processes kept for jobs of the same key
  std::uint32_t run_jobs_max = 256;   // jobs of one run
  Duration run_time_goal =
      20ms;                   // a run holds about so much work; a job expected to take longer runs alone
  Duration setup_grace = 5s;  // for starting a process, on top of timeout.setup
  std::uint32_t starts_failed_max =
      3;  // a key whose process cannot be started so often in a row is given up
  // Different jobs in a row, none that went well between them, that lost the same GPU, of which nothing
  // could be learned by looking at it: then it is given up.
  std::uint32_t gpu_losses_max = 2;
  Duration exit_limit =
      60s;  // for a process to be gone once it was killed; then its cores and GPUs are given up
};

// A job as the core sees it. `key` numbers what a slot process is made for: environment, pack and process
// ordinal (the shell interns them); jobs with equal keys, cores and GPUs may share a process.
struct Order {
  AttemptId attempt;
  std::uint32_t key = 0;
  std::uint32_t cores = 1;
  std::uint32_t gpus = 0;
  Exclusion alone_on = Exclusion::host;
  Duration setup_timeout = 60s;
  Duration run_timeout = 120s;
};

// --- events ---

struct JobsArrived {
  std::vector<Order> orders;
};
struct JobsCancelled {
  std::vector<AttemptId> attempts;
};
// Give back those that no slot has begun; the rest goes on. Answered by one ReturnJobs, of none if need be.
// Begun: sent to a slot, or waited for by the process that is being started for it.
struct JobsRetracted {
  std::vector<AttemptId> attempts;
};
// Leave in peace: everything that no slot has been sent is given back, nothing is begun, what runs goes on.
// Drained follows. There is no way back.
struct DrainAsked {};
struct SlotReady {  // the process is up, bound and connected
  SlotId slot;
};
struct SlotExited {
  SlotId slot;
  Outcome outcome = Outcome::signal;  // signal, out_of_memory or failed_setup (could not be started)
  std::string reason;                 // "killed by SIGSEGV", "exited with status 3"
};
struct LeaseRequested {  // prepared and verified; only for a run that was sent without a lease
  SlotId slot;
  // It has measured, under a lease that was granted by itself, gives that back, and lease_requests to
  // measure once more with the whole host to itself.
  bool whole_host = false;
};
struct Measured {
  SlotId slot;
  AttemptId attempt;
  Outcome outcome = Outcome::ok;
  Duration busy{};            // whole time of the job in the slot
  std::uint32_t payload = 0;  // the shell's number of the encoded outcome
  bool slot_is_done = false;  // it is to measure nothing more: its device may be lost to it
  bool device_lost = false;   // it is, as it says itself
};
struct OutcomesMeasured {  // in the order of the run; the last of a run gives the lease back
  std::vector<Measured> outcomes;
};
// Where a slot is, as it shows it itself: the answer to LookAtSlot.
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
  std::string why;  // of what does not work
};
struct StopAsked {};  // give back what is queued, kill what runs
struct TimePassed {};

using Event =
    std::variant<JobsArrived, JobsCancelled, SlotReady, SlotExited, LeaseRequested, OutcomesMeasured,
                 SlotSeen, StopAsked, TimePassed, JobsRetracted, DrainAsked, GpuSeen>;

// --- actions ---

struct StartSlot {
  SlotId slot;
  std::uint32_t key = 0;
  UnitSet units;
};
struct RetireSlot {  // idle: ask it to leave; SlotExited follows
  SlotId slot;
};
struct KillSlot {  // SIGKILL, whole process group; SlotExited follows
  SlotId slot;
  bool took_too_long = false;  // why may show in what its processes have of memory
};
struct SendRun {
  SlotId slot;
  std::vector<AttemptId> attempts;
  bool leased = false;  // the lease comes with it
};
struct GrantLease {
  SlotId slot;
};
// A limit may be over: SlotSeen is wanted, from a slot of a leased run, which says nothing by itself.
struct LookAtSlot {
  SlotId slot;
};
// The job has its outcome: to the spool, then to the coordinator.
struct ReportOutcome {
  AttemptId attempt;
  Outcome outcome = Outcome::ok;
  std::optional<std::uint32_t> payload;  // nothing: the slot left none; `reason` is all
  std::string reason;
  std::optional<SlotId> slot;  // whose stderr belongs to it
  // The most other slots that worked at a time since the lease of its run was granted: neighbours that
  // alone_on allows.
  std::uint32_t neighbours = 0;
};
// As above, but its GPU may have been the reason: told later, by TellOutcome, or never, when its job is in
// ReturnJobs.
struct KeepBackOutcome {
  ReportOutcome outcome;
};
struct TellOutcome {
  AttemptId attempt;
  std::optional<std::uint32_t> lost_gpu;  // its own, given up: worker_lost, whatever its outcome was
};
// Does it still work? No process of ours is on it. GpuSeen follows, however long that takes.
struct LookAtGpu {
  std::uint32_t gpu = 0;
};
struct GiveUpGpu {  // jobs get it no more
  std::uint32_t gpu = 0;
  std::string reason;
};
// No job is begun there any more: the coordinator should know that this host has fewer. What runs on them
// meanwhile, beside a process that was to leave, goes on.
struct GiveUpCores {
  UnitSet cores;
  std::string reason;
};
struct ReturnJobs {  // not started: back to the coordinator
  std::vector<AttemptId> attempts;
};

struct Drained {};  // as asked: no job is left here; told once, after the last ReportOutcome or ReturnJobs

using Action =
    std::variant<StartSlot, RetireSlot, KillSlot, SendRun, GrantLease, LookAtSlot, ReportOutcome,
                 ReturnJobs, Drained, KeepBackOutcome, TellOutcome, LookAtGpu, GiveUpGpu, GiveUpCores>;

// What runs now, for progress and `status`.
struct Activity {
  std::uint32_t queued = 0, preparing = 0, measuring = 0, slots = 0;
  std::size_t held = 0;  // jobs that arrived and have neither been reported nor returned
  bool draining = false;
};

class Core {
 public:
  Core(HostLayout layout, WorkerOptions options);
  ~Core();
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  void apply(Instant now, const Event& event, std::vector<Action>& actions);

  Activity activity() const;
  // The next moment at which TimePassed matters; nothing when no deadline runs.
  std::optional<Instant> next_deadline() const;
  // For tests, after any event: what of the tables contradicts itself; nothing: they are sound. Looks at
  // all of them.
  std::optional<std::string> check_invariants() const;

 private:
  friend struct CoreInside;  // a test's, which breaks a table
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kernsweep::worker
