// The private part of the worker's core. After each event leases are granted and jobs are placed until
// nothing more can be done. Each decision uses only the current state; nothing is planned ahead.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "worker/core/core.hpp"

namespace kernsweep::worker {

std::string in_seconds(Duration limit);  // "120 s"

enum class SlotState : std::uint8_t {
  starting,             // works: loads and connects
  idle,                 // owns no cores, but still its GPUs
  held_before_prepare,  // started and has a job, but a lease is held or requested where it would prepare
  preparing,            // works: makes inputs, verifies
  prepared,             // has requested the lease and does not work until it is granted
  waiting_for_lease,    // the same for a leased run, which is sent when the lease is granted
  measuring,            // works: holds the lease
  checking,             // works: has returned the lease, and checks the state that the calls left
  leaving,              // works: was asked to end; owns only its GPUs
  dying,                // was killed; counts as working, and keeps its lease, until it has ended
};

struct Queued {
  Order order;
  bool alone = false;  // must not share a run, because a run with it has failed
};

// Why a slot is being killed if the first job of its run is at fault: this is the job's outcome.
struct Overstay {
  Outcome outcome = Outcome::timeout_run;
  std::string reason;
};

struct Slot {
  SlotId id;
  std::uint32_t key = 0;
  std::uint32_t core_count = 1;
  UnitSet units;
  SlotState state = SlotState::starting;
  std::deque<Queued> run;  // jobs without an outcome, in order
  bool several = false;    // the run was sent with more than one job
  bool cancelled = false;  // killed for a cancelled job: the other jobs of its run are not at fault
  bool holds_lease = false;
  UnitSet zone;         // of the lease that it holds or has requested
  bool silent = false;  // in a leased run it sends nothing: its phase is read from its board
  std::uint16_t outcomes_received = 0;  // number of outcomes that its process has sent
  Instant last_message;                 // when its run was sent, or its newest outcome came
  std::optional<Instant> deadline;
  std::optional<Overstay> overstay;
  bool end_is_due = false;  // killed, and exit_limit is nearly over
  Instant idle_since;
  std::uint32_t neighbours = 0;  // largest number of other slots that worked since its lease was granted
  bool left = false;             // was asked to end (and killed if it did not): its cores are free

  bool owns_units() const { return state != SlotState::idle && !left; }
  bool works() const {
    return state != SlotState::idle && state != SlotState::held_before_prepare &&
           state != SlotState::prepared && state != SlotState::waiting_for_lease;
  }
  bool has_requested_lease() const {
    return state == SlotState::prepared || state == SlotState::waiting_for_lease;
  }
};

// How long jobs of one key and one number of cores have taken so far.
struct Experience {
  std::uint32_t jobs = 0;
  double busy_s = 0.0;  // increases at once and decreases slowly: one long job ends the batching
  std::uint32_t starts_failed = 0;

  void observe(Duration busy);
};

// A job that may have lost its GPUs. Its outcome is kept back until each of them was checked.
struct KeptBack {
  AttemptId attempt;
  UnitSet unanswered;
  std::optional<std::uint32_t> lost_gpu = {};  // the first GPU that is lost
};

// A build that a job needs or needed.
struct Build {
  enum class Stage : std::uint8_t { running, ending, done, failed } stage = Stage::running;
  std::string failure;  // if it failed
};

// Conditions that are true between two events. Each comment describes the violation.
enum class Invariant : std::uint8_t {
  job_in_two_places,  // a job is twice in the queue, the slots' runs and `kept_back`
  job_lost,           // in `here`, but in none of these places
  job_not_here,       // in one of these places, but not in `here`
  job_never_fits,     // a queued job needs more than this worker has left
  units_owned_twice,
  off_its_block,     // a slot is not on the cores of its job's block, although none were given up
  units_miscounted,  // a slot has more or fewer than its jobs need, or units that are not the worker's
  run_mismatch,      // a slot's state allows no jobs and it has some, or requires jobs and it has none
  lease_mismatch,    // a slot's state does not match whether it has a lease
  request_mismatch,  // the same for `lease_requests`
  zone_too_small,    // does not contain the slot's own units
  leases_meet,       // the zones of two leases overlap
  work_beside_lease,
  no_limit,           // a slot works without a deadline
  doubt_lost,         // an outcome waits for a GPU that is not being checked
  build_beside_work,  // a build runs while a slot has a job
  drained_early       // Drained was sent while jobs are here
};

struct Violation {
  Invariant broken = Invariant::job_lost;
  std::string place;  // "slot 3", "job 17"
};

std::string_view name_of(Invariant invariant);

struct Core::State {
  State(HostLayout given_layout, WorkerOptions given_options);

  HostLayout layout;
  WorkerOptions options;
  Instant now;
  Instant last_apply;
  bool stopped = false;
  bool draining = false;
  bool drained = false;  // Drained was sent
  std::deque<Queued> queue;
  std::unordered_set<AttemptId> here;  // all jobs of this worker: queued, in a slot or kept back
  std::map<SlotId, Slot> slots;        // ordered, so that equal events give equal actions
  std::deque<SlotId> lease_requests;   // slots that wait for a lease, the oldest first
  std::map<std::pair<std::uint32_t, std::uint32_t>, Experience> experience;
  std::uint32_t last_slot = 0;
  std::uint32_t overtakes = 0;  // jobs placed before the head of the queue since it was first passed over
  UnitSet all_cores;
  UnitSet whole_host;                   // with units that were given up: a process may still use them
  UnitSet all_units;                    // cores and GPUs that were not given up
  UnitSet in_doubt;                     // GPUs that may be lost and whose check is not finished
  std::vector<std::set<JobId>> losses;  // for each GPU: jobs in a row that reported it as lost
  std::vector<KeptBack> kept_back;
  std::map<std::uint32_t, Build> builds;  // by the shell's numbers; absent: not begun
  std::size_t builds_running = 0;         // including those that are being ended
  bool in_build_phase = false;            // no job is placed until all that the queue needs is built
  Quiet host_quiet;
  bool quiet_wanted = false;    // a job that may have a lease waits for a quiet host
  bool host_looked_at = false;  // LookAtHost was sent and is not answered
  std::vector<Action>* actions = nullptr;

  // core.cpp, slots.cpp
  void on(const JobsArrived& event);
  void on(const JobsCancelled& event);
  void on(const SlotReady& event);
  void on(const SlotExited& event);
  void on(const LeaseRequested& event);
  void on(const LeaseReturned& event);
  void on(const OutcomesMeasured& event);
  void on(const SlotSeen& event);
  void on(const StopAsked& event);
  void on(const TimePassed& event);
  void on(const JobsRetracted& event);
  void on(const DrainAsked& event);
  void on(const GpuSeen& event);
  void on(const HostSeen& event);
  void on(const Built& event);

  Slot* find(SlotId id);
  std::optional<Instant> next_deadline() const;
  void keep_time(Instant at);
  // Takes jobs from the queue and from slots that have not begun; with `starting` also from starting ones.
  std::vector<AttemptId> give_back(const std::unordered_set<AttemptId>& attempts, bool starting);
  void return_queue();
  void report(const AttemptId& attempt, Outcome outcome, std::optional<std::uint32_t> payload,
              std::string reason, std::optional<SlotId> slot, std::uint32_t neighbours = 0,
              std::string stands = {});
  void settle();  // leases, placement, retirement, until nothing changes

  // slots.cpp
  void measured(const Measured& event);
  void become_idle(Slot& slot);
  void kill(Slot& slot);
  void start_failed(Slot& slot, const std::string& reason);
  void run_failed(Slot& slot, const SlotExited& event);
  void requeue(Slot& slot, bool alone);
  void cancel_in(Slot& slot, const std::unordered_set<AttemptId>& attempts,
                 std::vector<AttemptId>& returned);
  void limit_is_near(Slot& slot);
  void overstayed(Slot& slot, bool measuring);

  // leases.cpp
  UnitSet zone_of(Exclusion alone_on, const UnitSet& units) const;
  UnitSet kept_quiet() const;  // the zones of all leases that are held or requested
  bool may_have_lease(const Slot& slot, std::size_t older_requests) const;
  bool grant_leases();
  void request_lease(Slot& slot, SlotState how, const UnitSet& zone);
  void request_lease(Slot& slot, SlotState how);  // over the zone that its job requests
  void count_neighbours();
  void withdraw_request(SlotId id);
  bool waits_for_quiet(const Slot& slot);
  void watch_host();

  // placement.cpp
  bool place_jobs();
  bool place_at(std::size_t position, const UnitSet& available, std::size_t& gpus_coming);
  Slot* idle_slot_for(const Order& order, const UnitSet& available);
  bool head_is_stuck() const;
  bool hinders_head(const Order& placed, UnitSet left) const;
  void start(std::size_t position, const UnitSet& units);
  bool is_short(const Queued& job) const;
  std::size_t run_length(const Queued& job) const;
  void extend_run(Slot& slot, std::size_t length);
  void dispatch(Slot& slot);  // sends a ready slot its job, holds the job back, or requests the lease
  bool dispatch_held();
  void send(Slot& slot, bool leased);
  void retire(Slot& slot);
  void retire_idle();

  // builds.cpp
  bool needs_build(const Order& order) const;
  bool builds_come_first() const;
  void begin_builds();
  void end_unneeded_builds();
  void fail_unbuilt();
  std::size_t builds_left() const;  // those that queued jobs need, including running ones

  // units_of_host.cpp
  UnitSet free_units() const;  // units that no slot owns, outside of all zones of kept_quiet()
  std::optional<UnitSet> choose_gpus(std::uint32_t count, const UnitSet& available) const;
  void clear_gpus(const Order& order, const UnitSet& available, std::size_t& gpus_coming);
  UnitSet choose_cores(std::uint32_t count, const UnitSet& gpus, const UnitSet& available) const;
  // The cores of a job of a block. They are nested: a job with fewer cores has a part of a larger job's
  // cores.
  UnitSet block_cores(const Order& order) const;
  // For the start of a process.
  Duration start_limit(const Order& order) const {
    return std::max(order.setup_timeout, options.leave_grace);
  }
  std::size_t gpus_left() const { return count_gpus(all_units); }
  std::size_t cores_left() const { return count_cores(all_units); }

  // gpus.cpp
  void doubt(const Slot& slot, const Measured& event);
  void keep_back(const Slot& slot, ReportOutcome outcome);
  void look_at_doubted(const Slot& gone);
  void give_up(std::uint32_t gpu, std::string reason);
  void tell_of(std::uint32_t gpu, bool lost);
  void give_up_cores(const UnitSet& cores, std::string reason);
  void cannot_be_ended(SlotId id);
  void unstartable(Slot& stuck);
  void return_what_never_fits();

  // invariants.cpp
  std::optional<Violation> violation() const;
  std::optional<Violation> violation_in_jobs() const;
  std::optional<Violation> violation_in_units() const;
  std::optional<Violation> violation_in_slots() const;
  std::optional<Violation> violation_in_leases() const;
};

}  // namespace kernsweep::worker
