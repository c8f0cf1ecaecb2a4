// The inside of the coordinator's shell (coordinator.hpp): its state and the pieces of a turn. Private to
// coordinator/net.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "coordinator/net/coordinator.hpp"
#include "coordinator/net/key_ring.hpp"
#include "coordinator/net/store_thread.hpp"
#include "coordinator/net/sweep_in_hand.hpp"
#include "shared/stop_signal.hpp"
#include "shared/wire/protocol.pb.h"
#include "transport/zeromq.hpp"

namespace kernsweep::coordination {

// One session of one agent.
struct Session {
  WorkerId id;
  std::string peer;      // routing id
  std::string instance;  // of the agent process
  std::string key;       // name of the key with which it came; empty: in the clear
  std::string version;
  bool local = false;    // started by `run`
  bool joined = false;   // the core knows it (its host has a number)
  bool drained = false;  // it holds nothing any more and gets nothing more
  std::string draining;  // why it gets no new jobs; empty: it gets some
  std::optional<WorkerId> former;
  HostFacts facts;
  std::vector<AttemptId> holding;
  HostId host;
  std::shared_ptr<const Catalogue> catalogue;
  SentDefinitions sent;
  std::vector<AttemptId> active;  // as its last heartbeat told
  std::uint64_t ok = 0, failed = 0;
  Instant heard{};
};

// A client that waits for its sweep to begin.
struct Submission {
  std::string peer;
  std::uint64_t request = 0;
};

class Shell {
 public:
  // `own`: the sweep that the coordinator was started for; nothing: clients will bring some. `ring`: null
  // in the clear.
  Shell(const CoordinatorConfig& config, std::shared_ptr<const Expansion> own, Watcher& watcher,
        Socket socket, KeyRing* ring);

  Result<CoordinatorSummary> serve();

 private:
  // coordinator.cpp
  void turn();
  void watch_local_agent();
  void watch_stop();
  void report(bool last);
  CoordinatorSummary finish();
  SweepSummary summary_of(const SweepPast& past) const;

  // sweeps.cpp
  Status open(const wire::Hello* hello);
  Status take_up(std::vector<StoredSweep> unfinished);
  SweepOrder own_order() const;
  void begin(SweepBegun begun, bool own);
  void on_begun(std::uint32_t tag, Result<SweepBegun> begun);
  void submit(const std::string& peer, std::uint64_t request, const wire::Submit& submit);
  void cancel(SweepId sweep);
  void hold_against(const Session& session);
  void ended(SweepInHand& sweep, Ending ending);
  SweepInHand* in_hand(SweepId id);
  const SweepPast* past(SweepId id) const;
  void note_event(EventKind what, std::optional<AttemptId> attempt, const Session* session,
                  const std::string& reason);

  // sessions.cpp
  void watch_keys();
  void read_agents();
  void on_message(const std::string& peer, const std::string& key, wire::ToCoordinator& message);
  void on_hello(const std::string& peer, const std::string& key, const wire::ToCoordinator& message);
  void on_outcomes(Session& session, wire::Outcomes& outcomes);
  void join(Session& session);
  void leave(WorkerId worker, const std::string& reason);
  void watch_connections();
  void drain(Session& session, const std::string& reason);
  std::uint32_t number_of(KnownHost host);
  Session* session_of(const std::string& peer, std::uint32_t worker);
  Session* session_of(WorkerId worker);
  void refuse(const std::string& peer, const std::string& reason);
  void send(const Session& session, wire::ToAgent& message);

  // clients.cpp
  void on_request(const std::string& peer, const wire::Request& request);
  void answer(const std::string& peer, wire::Answer& answer);
  void fill(wire::Status& out);
  void fill(wire::Workers& out);
  Result<std::string> why(const std::string& job);
  Result<SweepId> sweep_named(const std::string& which) const;
  Result<std::string> cancel_named(const std::string& which);
  Result<std::string> drain_named(const wire::Drain& which);

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
  void read_store();

  const CoordinatorConfig& config_;
  const std::shared_ptr<const Expansion> own_;
  Watcher& watcher_;
  Socket socket_;
  KeyRing* const ring_;
  StopSignal stop_;
  int stops_seen_ = 0;
  Core core_;
  std::vector<KnownHost> hosts_;
  KeyBook keys_;
  std::optional<StoreThread> store_;
  std::string database_identity_;      // 16 bytes
  std::optional<Error> refused_;       // what ends everything
  bool wrong_from_the_start_ = false;  // by that, nothing was measured
  std::map<SweepId, std::shared_ptr<SweepInHand>> sweeps_;
  std::vector<SweepPast> past_;  // the last ones, in the order in which they ended
  std::map<std::uint32_t, Submission> submissions_;
  std::uint32_t next_submission_ = 1;
  std::optional<SweepId> own_sweep_;
  std::vector<SweepId> cancelled_;
  bool all_over_ = false;  // nothing is left to wait for
  std::string store_failure_;

  std::uint32_t next_worker_ = 1;
  // The last session of each agent process, by its instance: an agent may come back after it was lost.
  std::map<std::string, WorkerId> last_session_;
  std::unordered_map<std::uint32_t, std::unique_ptr<Session>> sessions_;  // by worker
  std::vector<std::string> bodies_;             // payloads of the event being applied
  std::vector<Finding> findings_;               // to be stored at the end of the turn
  std::unordered_map<AttemptId, double> sent_;  // when, seconds since 1970: attempts without an outcome
  bool scan_on_ = false;
  Instant now_{};
  Instant started_{};
  Instant reported_{};
  Instant ticked_{};
  std::deque<std::pair<Instant, std::uint64_t>> pace_;  // outcomes stored so far, of the last seconds
  std::uint64_t stored_ = 0;
};

}  // namespace kernsweep::coordination
