// The coordinator's shell in the simulation: its core, its archive, its sessions; and the judge of what it
// sends and releases.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>

#include "tests/simulation/archive.hpp"
#include "tests/simulation/fake_slots.hpp"
#include "tests/simulation/network.hpp"

namespace kernsweep::simulation {

class CoordinatorHost {
 public:
  CoordinatorHost(World& world, Network& network, Archive& archive, const Script& script,
                  const Measurements& measurements);

  void start();  // reads the archive
  void crash();  // and loses what the archive has not committed
  bool up() const { return core_ != nullptr; }
  void freeze(Duration length) { frozen_until_ = std::max(frozen_until_, world_.now + length); }
  bool frozen() const { return world_.now < frozen_until_; }
  void leap(Duration by) { clock_ += by; }
  void submit(SweepId sweep);
  void cancel(SweepId sweep);
  void ask_to_stop();
  void drain(std::uint64_t die);
  void readmit_all();
  void connection_closed(const ConnectionPtr& connection);

  // What the database contains of sweeps, from any writer.
  std::set<SweepId> submitted, cancelled;
  std::map<SweepId, coordinator::Ending> endings;
  std::map<SweepId, std::uint64_t> asked;
  bool over() const { return endings.size() == script_.plans.size(); }
  // With hosts: each, the hosts that joined while it ran, in the coordinator's life in which it ended.
  std::map<SweepId, std::set<std::uint32_t>> hosts_joined;
  std::uint64_t lives() const { return life_; }
  std::uint64_t retracted = 0, shut_out = 0, drained = 0, restarted = 0, rounds = 0;
  coordinator::TableSizes tables() const { return core_->tables(); }

 private:
  void receive(const ConnectionPtr& connection, const ToCoordinator& message);
  void take(const ConnectionPtr& connection, const Join& message);
  void take(const ConnectionPtr& connection, const Beat& message);
  void take(const ConnectionPtr& connection, const Outcomes& message);
  void take(const ConnectionPtr& connection, const Returned& message);
  void take(const ConnectionPtr& connection, const Draining& message);
  void take(const ConnectionPtr& connection, const Goodbye& message);
  bool knows(const ConnectionPtr& connection, WorkerId worker);
  bool reaches_core(const ConnectionPtr& connection, WorkerId worker);

  void apply(const coordinator::Event& event);
  void perform(const coordinator::SendJobs& action);
  void perform(const coordinator::CancelJobs& action);
  void perform(const coordinator::RetractJobs& action);
  void perform(const coordinator::StoreResult& action);
  void perform(const coordinator::ReleaseResults& action);
  void perform(const coordinator::SendHeartbeat& action);
  void perform(const coordinator::DismissWorker& action);
  void perform(const coordinator::WorkerDrained& action);
  void perform(const coordinator::SweepEnded& action);
  void perform(const coordinator::ScanOn& action);
  void perform(const coordinator::AskMore& action);
  void perform(const coordinator::PointBegunAnew& action);

  void send(WorkerId worker, ToWorker message);
  void mine(Duration delay, std::function<void()> what);  // void after a crash
  void tick();
  void commit_later();
  bool over(SweepId sweep) const { return endings.count(sweep) > 0; }

  World& world_;
  Network& network_;
  Archive& archive_;
  const Script& script_;
  const Measurements& measurements_;

  std::unique_ptr<coordinator::Core> core_;
  std::uint32_t life_ = 0;
  std::uint32_t last_worker_ = 0;
  std::map<WorkerId, ConnectionPtr> sessions_;
  std::map<WorkerId, std::uint32_t> host_of_;
  std::map<std::uint32_t, WorkerId> session_of_instance_;
  std::set<AttemptId> forgotten_;  // released though the archive has no row: they must never be stored
  bool committing_ = false;
  bool stopped_ = false;
  Duration clock_ = 5h;  // so that it may step back
  Instant frozen_until_;
};

}  // namespace kernsweep::simulation
