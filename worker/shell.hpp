// The private part of the worker's shell (worker.hpp): its state and the steps of one turn of the loop.
// Private to worker/*.cpp.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "shared/base/rules.hpp"
#include "shared/base/stop_signal.hpp"
#include "shared/wire/slot.pb.h"
#include "transport/socket.hpp"
#include "worker/builds/build_lanes.hpp"
#include "worker/builds/rebuilds.hpp"
#include "worker/coordinator_link.hpp"
#include "worker/core/core.hpp"
#include "worker/event_queue.hpp"
#include "worker/gpus.hpp"
#include "worker/host/fingerprint.hpp"
#include "worker/host/topology.hpp"
#include "worker/host_look.hpp"
#include "worker/lost_cores.hpp"
#include "worker/process/gpu_looks.hpp"
#include "worker/process/slot_table.hpp"
#include "worker/software_check.hpp"
#include "worker/spool/spool.hpp"
#include "worker/tensor_maker.hpp"
#include "worker/worker.hpp"

namespace kernsweep::worker {

// The parts of a worker that a new Shell for another database takes over.
struct Equipment {
  Topology topology;  // its cores are those that jobs get
  wire::Catalogue catalogue;
  HostIdentity identity;
  wire::Gpus gpus;                                 // the core numbers GPUs by their positions here
  std::map<std::uint32_t, std::string> lost_gpus;  // why jobs no longer get a GPU, by the core's number
  LostCores lost_cores;                            // by the core's numbers
  std::uint64_t tensor_bytes = 0;                  // for all tensors together
  std::uint64_t slot_bytes = 0;                    // limit of a slot; if `shared`, of a slot with all cores
  bool shared = false;  // true: a slot gets a share of slot_bytes proportional to its cores
};

// The system's number of the first hardware thread of each core.
std::vector<std::uint32_t> cpus_of(const Topology& topology);
// Private memory that each process of a build may have, in bytes.
std::uint64_t build_memory_max(const Equipment& equipment);

class Shell {
 public:
  // `equipment` must outlive the shell, which adds lost GPUs and cores to it.
  Shell(const WorkerConfig& config, Equipment& equipment, CoordinatorLink coordinator, Socket slots,
        Spool spool, WakeUp tensors_made, WakeUp checked);
  ~Shell() { rebuilds_.interrupt(); }

  // Returns the exit status. Nothing: the coordinator uses another database now; then another Shell must
  // continue with follow() as its spool, because sweeps and slots of this one are not valid there.
  std::optional<int> serve();
  Spool follow() { return spool_.follow(); }

 private:
  struct HeldJob {
    wire::Job job;
    Instant arrived;
    std::optional<SlotId> slot;  // set when the job is sent
    Instant sent;
    std::vector<std::uint32_t> builds = {};  // the builds that it needs, as in Order
  };

  struct KnownBuild {
    std::string command, place;  // of the sweep file
    Duration limit{};
    wire::Built built;  // when it exists
    std::string said;   // output of the command
  };

  // messages.cpp: from the coordinator
  void read_coordinator();
  void on_message(const wire::ToWorker& message);
  void on_welcome(const wire::Welcome& welcome);
  void on_attempts(const wire::ToWorker& message);
  void learn_ended_sweeps(const wire::Goodbye& goodbye);
  void learn(const wire::JobBatch& batch);
  void accept_jobs(wire::JobBatch& batch);
  bool takes(const wire::Job& job, const AttemptId& attempt);
  bool order_of(const wire::Job& job, Order& order);
  void say_hello();
  void announce_search();
  void announce_welcome();
  void heartbeat_if_due();
  void send_returns();
  Instant outcomes_due() const;
  void send_outcomes();
  void send(const wire::ToCoordinator& message);

  // orders.cpp
  std::vector<std::uint32_t> builds_of(const wire::Job& job, const wire::Plan& plan,
                                       const TimeoutRules& timeout);
  void read_builds();
  Rebuild rebuild();  // null: --allow forbids it
  void add_built(const HeldJob& held, wire::Job& job) const;
  std::string said_of_builds(const HeldJob& held) const;
  void act(const BeginBuild& order);
  void act(const EndBuild& order);

  // draining.cpp: the end
  void watch_stop();
  void begin_draining();
  void send_draining();
  void check_drained();
  void stop_now();
  void await_answer_to_goodbye();

  // slots.cpp: messages from slots, and the core's orders about them
  void read_slots();
  void on_slot_message(const std::string& peer, wire::ToWorkerFromSlot& message);
  void on_outcomes(SlotProcess& slot, wire::Outcomes& outcomes);
  void learn(wire::Software& software);
  void watch_slots();
  void read_tensors();
  void read_checks();
  void apply(Event event);
  std::optional<int> numa_node_of(const UnitSet& cores) const;
  void act(const StartSlot& order);
  void act(const RetireSlot& order);
  void act(const KillSlot& order);
  void act(const SendRun& order);
  void act(const GrantLease& order);
  void act(const LookAtSlot& order);
  void act(const ReportOutcome& order);
  void act(const ReturnJobs& order);
  void act(const Drained& order);
  void act(const KeepBackOutcome& order);
  void act(const TellOutcome& order);
  void act(const LookAtGpu& order);
  void act(const GiveUpGpu& order);
  void act(const GiveUpCores& order);
  void act(const LookAtHost& order);
  void act(const TellUser& order);
  void read_looks();
  wire::Outcome outcome_as(const ReportOutcome& order);
  wire::Outcome measured_outcome(const ReportOutcome& order);
  wire::Outcome our_outcome(const ReportOutcome& order);
  void set_gpu_lost(wire::Outcome& outcome, std::uint32_t gpu) const;
  bool stopped_with_us(const ReportOutcome& order) const;
  // Adds the outcome to the spool and to the next message; the job is no longer held.
  void keep(const AttemptId& attempt, wire::Outcome outcome);
  void send_to(SlotProcess& slot, const wire::ToSlot& message);
  void greet(SlotProcess& slot);
  void renew(SlotProcess& slot);

  Duration wait_limit() const;
  void fill_poll();

  const WorkerConfig config_;
  Equipment& equipment_;
  const Topology& topology_;
  CoordinatorLink coordinator_;
  Socket slot_socket_;
  TensorMaker maker_;
  Rebuilds rebuilds_;  // only the thread of `checks_` uses these two
  SoftwareCheck check_;
  SoftwareChecks checks_;
  StopSignal stop_;
  Core core_;
  SlotTable slots_;
  GpuLooks looks_;
  HostLook host_look_;
  Poll poll_;

  Spool spool_;
  std::uint32_t session_ = 0;  // our WorkerId; 0: not welcomed
  Duration heartbeat_every_ = std::chrono::milliseconds(500);
  Duration silence_limit_ = std::chrono::milliseconds(2500);
  Instant now_{};
  Instant started_{};
  Instant last_received_{};
  Instant last_sent_{}, hello_sent_{};
  bool disconnected_ = false;
  bool joined_ = false;  // this shell was welcomed at least once
  bool search_announced_ = false, loss_announced_ = false;
  std::set<SweepId> ended_sweeps_;  // reported by a goodbye
  bool message_dropped_ = false;    // reported by the coordinator since its last welcome
  bool goodbye_sent_ = false;
  std::optional<int> exit_status_;
  bool needs_new_shell_ = false;  // the coordinator has another database
  bool spool_begun_ = false;      // begin() of the spool was called
  int stops_seen_ = 0;
  std::optional<Instant> draining_until_;
  std::optional<Instant> drained_;

  std::map<std::uint32_t, wire::Plan> plans_;  // by sweep
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<wire::Rules, Rules>> rules_;
  std::map<std::uint32_t, std::uint32_t> local_keys_;  // coordinator's number -> ours
  std::map<std::string, std::uint32_t> key_numbers_;   // content -> ours
  std::vector<wire::SlotKey> keys_;                    // by our number
  std::vector<std::optional<std::string>> forbidden_;  // the reason, by our number
  std::vector<KnownBuild> builds_;                     // by our number
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> build_numbers_;  // by sweep and command
  BuildLanes lanes_;
  std::unordered_map<AttemptId, HeldJob> held_;
  std::map<std::string, std::string> contents_;   // hashes of files, as reported by slots
  std::vector<wire::Outcome> arrived_;            // payloads of the event being applied, by number
  std::map<AttemptId, wire::Outcome> kept_back_;  // outcomes that wait for the check of a GPU
  bool offer_changed_ = false;                    // the host has changed since the last hello
  EventQueue events_;
  const SlotProcess* ended_ = nullptr;  // the slot whose end is being applied
  wire::Attempts returns_;              // jobs not started, to be returned as soon as there is a session
  wire::Outcomes outgoing_;             // outcomes that have not been sent in this session
  Instant outcomes_sent_{};             // when outcomes were last sent
  std::vector<std::string> notices_;    // lines for the user that no heartbeat has had
};

}  // namespace kernsweep::worker
