// The private part of the coordinator's shell (coordinator.hpp): its state and the steps of a turn. Private
// to coordinator/net.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "coordinator/net/coordinator.hpp"
#include "coordinator/net/deciding.hpp"
#include "coordinator/net/descriptors.hpp"
#include "coordinator/net/earlier.hpp"
#include "coordinator/net/key_ring.hpp"
#include "coordinator/net/metrics.hpp"
#include "coordinator/net/running_sweep.hpp"
#include "coordinator/net/store_thread.hpp"
#include "shared/base/stop_signal.hpp"
#include "shared/wire/protocol.pb.h"
#include "transport/socket.hpp"

namespace kernsweep::coordinator {

// Limit of messages read in one turn, so that a peer that sends without end does not block the others.
constexpr int kReadAtOnce = 256;

// One session of one worker.
struct Session {
  WorkerId id;
  std::string peer;      // routing id
  std::string instance;  // of the worker process
  std::string key;       // name of the key that it connected with; empty: without encryption
  std::string version;
  bool local = false;   // started by this `run`
  bool joined = false;  // the core has it (its host has a number)
  bool goodbye_received = false;
  std::optional<WorkerId> former;
  HostFacts facts;
  std::vector<AttemptId> holding;
  HostId host;
  std::string host_key;     // key of the host's row in the database
  std::string fingerprint;  // fingerprint of its host
  std::shared_ptr<const Catalogue> catalogue;
  wire::Gpus gpus;  // GPUs of its host when it joined
  std::vector<wire::LostCores> lost_cores;
  SentDefinitions sent;
  std::vector<AttemptId> active;    // attempts that were running, by its last heartbeat
  std::string waits;                // why it measures nothing now, by its last heartbeat; empty: it does
  std::uint32_t notices_shown = 0;  // lines for the user that it has sent
  std::uint32_t late_recorded = 0;  // number of events for late outcomes that were recorded
  Instant last_message{};
};

// A sweep to be started, and the client that waits for the answer.
struct Submission {
  std::string peer;  // empty: left by an earlier coordinator
  std::uint64_t request = 0;
  std::size_t bytes = 0;
};

// A sweep that is held until it is known which earlier results are still valid.
struct HeldSweep {
  EarlierCheck check;
  Instant since;
  bool finished = false;  // an earlier run has answered every job
  // The client that waits for the answer. If its `peer` is empty, there is none.
  Submission submission;
  wire::Answer reply;
  Instant heard{};  // when a worker last reported progress before it measures or answers
};

// Notices that were sent on a connection, so that none is repeated too often.
struct PeerNotices {
  std::vector<std::uint64_t RefusalCounts::*> reasons;  // why its messages were dropped
  std::optional<Instant> asked_to_rejoin;
};

// An attempt that has no outcome yet.
struct SentAttempt {
  double unix_s = kUnknown;  // when it was sent; not known if it was sent before a restart
  WorkerId worker;
  EventKind comes_back_as = EventKind::returned;  // returned; retracted or cancelled if we asked for it
};

class Shell {
 public:
  // `own`: the sweep that the coordinator was started for; null: clients will submit some. `ring`: null
  // without encryption. `port`: null: no metrics are published. Both must outlive the shell.
  Shell(const CoordinatorConfig& config, std::shared_ptr<const Expansion> own, Watcher& watcher,
        Socket socket, KeyRing* ring, MetricsPort* port, WakeUp earlier_read, WakeUp looked);

  Result<CoordinatorSummary> serve();

 private:
  // coordinator.cpp
  void turn();
  void watch_local_worker();
  void watch_stop();
  void report(bool last);
  void tell_of_unplaced();
  void answer_submitters(const StoreThread::Committed& last);
  CoordinatorSummary finish();
  SweepSummary summary_of(const EndedSweep& over) const;

  // metrics.cpp
  std::vector<MetricFamily> sweep_metrics() const;
  std::vector<MetricFamily> worker_metrics() const;
  std::vector<MetricFamily> metrics() const;
  void publish_metrics();

  // sweeps.cpp
  Status open(const wire::Hello* hello);
  void resume(const std::vector<SweepId>& over, std::vector<StoredSweep> unfinished);
  void begin(SweepBegun begun, Submission submission = {}, wire::Answer reply = {});
  void post_begin(SweepOrder order, Submission submission);
  void on_begun(std::uint32_t tag, Result<SweepBegun> begun);
  void submit(const std::string& peer, std::uint64_t request, const wire::Submit& submit);
  void cancel(SweepId sweep);
  void hold_against(const Session& session);
  void ended(RunningSweep& sweep, Ending ending);
  void end_if_idle();
  RunningSweep* running_sweep(SweepId id);
  const EndedSweep* ended_sweep(SweepId id) const;
  void note(EventKind what, const AttemptId& attempt, const Session& session);
  void note(EventKind what, const Session& session, const std::string& reason);
  void note(EventKind what, SweepId sweep);
  void note(EventRow event);

  // deciding.cpp
  void look_at_decisions();
  void on_asked(SweepId id, const AskedRound& round);

  // earlier_turn.cpp
  void hold(const SweepBegun& begun, Submission submission, wire::Answer reply);
  void look_at_earlier();
  void ask_about_earlier(HeldSweep& held);
  void conclude(SweepId id);
  void supersede(SweepId id);
  void answer_submission(HeldSweep& held);

  // sessions.cpp
  void watch_keys();
  void read_workers();
  void on_message(const std::string& peer, const std::string& key, wire::ToCoordinator& message);
  std::string reason_to_refuse(const wire::Hello& hello, const KnownHost& host) const;
  bool is_answered(const std::string& peer, const wire::ToCoordinator& message) const;
  void on_hello(const std::string& peer, const std::string& key, const wire::ToCoordinator& message);
  void on_returned(const Session& session, const wire::Attempts& attempts);
  void join(Session& session);
  void settle_holding(const Session& session);
  void forget_lost(WorkerId former);
  void leave(WorkerId worker, const std::string& reason);
  void watch_connections();
  wire::ToWorker goodbye_message(const std::string& reason) const;
  void send_goodbye(const std::string& peer);
  void wait_until_left();
  void drain(Session& session, const std::string& reason);
  std::uint32_t host_number(KnownHost host);
  std::uint32_t hardware_number(const std::string& fingerprint);
  Session* session_of(const std::string& peer, std::uint32_t worker);
  Session* session_of(WorkerId worker);
  void refuse(const std::string& peer, const std::string& reason);
  void send(const Session& session, wire::ToWorker& message);

  // arrivals.cpp
  void on_heartbeat(Session& session, const wire::Heartbeat& heartbeat);
  void on_outcomes(Session& session, wire::Outcomes& outcomes);

  // peer_notices.cpp
  void notify_dropped(const std::string& peer, std::uint64_t RefusalCounts::*why);
  void notify_of_dropped();
  void ask_to_rejoin(const std::string& peer, std::uint32_t worker);

  // clients.cpp
  void on_request(const std::string& peer, const wire::Request& request);
  void answer(const std::string& peer, wire::Answer& answer);
  void fill(wire::Status& out);
  void fill(wire::Workers& out);
  Result<std::string> why(const std::string& job);
  std::string explain(const JobState& state);
  Result<SweepId> sweep_named(const std::string& which) const;
  Result<std::string> cancel_named(const std::string& which);
  std::string_view standing_of(const Session& session) const;
  Result<std::string> drain_named(const wire::Drain& which);
  Result<std::string> readmit_named(const std::string& which);

  // actions.cpp
  void apply(const Event& event);
  void act(const SendJobs& order);
  void act(const CancelJobs& order);
  void act(const RetractJobs& order);
  void act(const StoreResult& order);
  void act(const ReleaseResults& order);
  void act(const SendHeartbeat& order);
  void act(const WorkerDrained& order);
  void act(const DismissWorker& order);
  void act(const SweepEnded& order);
  void act(const ScanOn& order);
  void act(const PointBegunAnew& order);
  void act(const AskMore& order);
  void read_store();

  const CoordinatorConfig& config_;
  const std::shared_ptr<const Expansion> own_;
  Watcher& watcher_;
  Socket socket_;
  KeyRing* const ring_;
  MetricsPort* const port_;
  StopSignal stop_;
  int stops_seen_ = 0;
  Core core_;
  std::vector<KnownHost> hosts_;
  std::map<std::string, std::uint32_t> hardware_;  // HostFacts::hardware, by fingerprint
  KeyBook keys_;
  std::optional<StoreThread> store_;
  std::string database_identity_;      // 16 bytes
  std::optional<Error> refused_;       // an error that ends the coordinator
  bool wrong_from_the_start_ = false;  // it occurred before anything was measured
  std::map<SweepId, std::shared_ptr<RunningSweep>> sweeps_;
  EarlierReader reader_;
  Decider decider_;
  std::map<SweepId, HeldSweep> held_;
  std::uint32_t next_check_ = 1;
  std::vector<EndedSweep> ended_sweeps_;  // the last ones, in the order in which they ended
  std::map<std::uint32_t, Submission> submissions_;
  std::uint32_t next_submission_ = 1;
  std::optional<SweepId> own_sweep_;
  bool ends_when_idle_ = false;                 // no new sweep is expected: it ends when none is running
  bool all_over_ = false;                       // nothing is left to wait for
  std::set<std::string> leaving_;               // peers that were sent a goodbye and are still connected
  std::set<std::string> asked_to_rejoin_;       // peers whose session is over and that may say hello again
  std::map<std::string, PeerNotices> notices_;  // by peer
  DescriptorWatch descriptors_;
  std::string store_failure_, low_space_;

  Instant refusals_since_{};
  std::uint32_t refusals_logged_ = 0;  // logged since then
  std::uint32_t next_worker_ = 1;
  // The last session of each worker process, by its instance: a worker may reconnect after it was lost.
  std::map<std::string, WorkerId> last_session_;
  std::unordered_map<std::uint32_t, std::unique_ptr<Session>> sessions_;  // by worker
  std::vector<std::string> bodies_;             // payloads of the event being applied
  std::vector<PendingResult> pending_results_;  // to be stored at the end of the turn
  std::unordered_map<AttemptId, SentAttempt> sent_;
  std::size_t hosts_posted_ = 0;            // hosts whose row numbers the store has not returned yet
  std::map<std::string, HostId> host_ids_;  // numbers of rows that exist, by their key
  // Names of hosts that have joined, by HostFacts::host; if there are many, only of those that are
  // connected or in quarantine.
  std::map<std::uint32_t, std::string> host_names_;
  std::vector<std::uint32_t> unused_;  // payloads of the event being applied that are not stored
  bool scan_on_ = false;
  Instant now_{};
  Instant started_{};
  Instant reported_{};
  Duration waited_{};  // while every worker waited for a quiet host
  Instant published_{};
  std::map<Outcome, std::uint64_t> ended_as_;    // attempts
  std::map<EventKind, std::uint64_t> happened_;  // events
  std::uint64_t sent_ever_ = 0;                  // attempts
  Instant ticked_{};
  std::deque<std::pair<Instant, std::uint64_t>> pace_;  // outcomes stored so far, of the last seconds
  std::uint64_t stored_ = 0;
};

}  // namespace kernsweep::coordinator
