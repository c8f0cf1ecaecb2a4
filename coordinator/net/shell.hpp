// The inside of the coordinator's shell (coordinator.hpp): its state and the pieces of a turn. Private to
// coordinator/net.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "coordinator/net/batch.hpp"
#include "coordinator/net/coordinator.hpp"
#include "coordinator/net/reuse.hpp"
#include "coordinator/net/space.hpp"
#include "coordinator/net/store_thread.hpp"
#include "shared/stop_signal.hpp"
#include "shared/wire/protocol.pb.h"
#include "transport/zeromq.hpp"

namespace kernsweep::coordination {

// One session of one agent.
struct Session {
  WorkerId id;
  std::string peer;      // routing id
  std::string instance;  // of the agent process
  bool local = false;    // started by `run`
  bool joined = false;   // the core knows it (its host has a number)
  std::optional<WorkerId> former;
  HostFacts facts;
  std::vector<AttemptId> holding;
  HostId host;
  SentDefinitions sent;
  std::vector<AttemptId> active;  // as its last heartbeat told
};

class Shell {
 public:
  Shell(const CoordinatorConfig& config, const Expansion& expansion, Watcher& watcher, Socket socket);

  Result<SweepSummary> serve();

 private:
  // coordinator.cpp
  Status begin(const wire::Hello* hello);
  SweepRecord sweep_record() const;
  void turn();
  void watch_local_agent();
  void watch_stop();
  void report(bool last);
  Result<SweepSummary> finish();

  // earlier.cpp
  Result<SweepSubmitted> read_earlier(Store& store, ReuseRule& rule);
  Status reuse_earlier(Store& store, ReuseRule& rule, AnsweredJobs& answered);

  // sessions.cpp
  void read_agents();
  void on_message(const std::string& peer, wire::ToCoordinator& message);
  void on_hello(const std::string& peer, const wire::ToCoordinator& message);
  void on_outcomes(Session& session, wire::Outcomes& outcomes);
  void join(Session& session);
  void leave(WorkerId worker, const std::string& reason);
  Session* session_of(const std::string& peer, std::uint32_t worker);
  Session* session_of(WorkerId worker);
  void refuse(const std::string& peer, const std::string& reason);
  void send(const Session& session, wire::ToAgent& message);

  // actions.cpp
  void apply(const Event& event);
  void act(const SendJobs& order);
  void act(const CancelJobs& order);
  void act(const StoreResult& order);
  void act(const ReleaseResults& order);
  void act(const SendHeartbeat& order);
  void act(const DismissWorker& order);
  void act(const SweepEnded& order);
  void act(const ScanOn& order);
  void read_store();

  const CoordinatorConfig& config_;
  const Expansion& expansion_;
  Watcher& watcher_;
  Socket socket_;
  StopSignal stop_;
  int stops_seen_ = 0;
  Core core_;
  std::vector<KnownHost> hosts_;
  ExpansionSpace space_;
  std::optional<BatchWriter> writer_;
  std::optional<StoreThread> store_;
  std::optional<Error> refused_;  // what ends everything before it has begun
  SweepId sweep_;
  bool begun_ = false;
  std::uint64_t reused_ = 0;
  std::uint64_t earlier_ = 0;
  std::optional<Ending> ending_;
  std::optional<Ending> resting_;  // --stay: how the sweep ended, while the coordinator stays
  std::string store_failure_;

  std::uint32_t next_worker_ = 1;
  std::unordered_map<std::uint32_t, std::unique_ptr<Session>> sessions_;  // by worker
  std::unordered_map<std::string, std::uint32_t> worker_of_peer_;
  std::vector<std::string> bodies_;  // payloads of the event being applied
  std::vector<Finding> findings_;    // to be stored at the end of the turn
  std::vector<Event> pending_;       // events that actions have caused
  bool scan_on_ = false;
  Instant now_{};
  Instant started_{};
  Instant reported_{};
  Instant ticked_{};
};

}  // namespace kernsweep::coordination
