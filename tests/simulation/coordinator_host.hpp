// The coordinator's shell in the simulation: its core, its archive, its sessions; and the judge of what it
// releases.
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
  CoordinatorHost(World& world, Network& network, Archive& archive, std::shared_ptr<const Plan> plan,
                  const Measurements& measurements, Hosts hosts);

  void start();  // reads the archive
  void crash();  // and loses what the archive has not committed
  bool up() const { return core_ != nullptr; }
  void ask_to_stop();
  void connection_closed(const ConnectionPtr& connection);

  std::optional<coordination::Ending> ending;
  std::set<std::uint32_t> hosts_joined;  // of this life

 private:
  void receive(const ConnectionPtr& connection, const ToCoordinator& message);
  void take(const ConnectionPtr& connection, const Join& message);
  void take(const ConnectionPtr& connection, const Beat& message);
  void take(const ConnectionPtr& connection, const Outcomes& message);
  void take(const ConnectionPtr& connection, const Returned& message);

  void apply(const coordination::Event& event);
  void perform(const coordination::SendJobs& action);
  void perform(const coordination::CancelJobs& action);
  void perform(const coordination::StoreResult& action);
  void perform(const coordination::ReleaseResults& action);
  void perform(const coordination::SendHeartbeat& action);
  void perform(const coordination::DismissWorker& action);
  void perform(const coordination::SweepEnded& action);
  void perform(const coordination::ScanOn& action);

  void send(WorkerId worker, ToAgent message);
  void mine(Duration delay, std::function<void()> what);  // void after a crash
  void tick();
  void commit_later();

  World& world_;
  Network& network_;
  Archive& archive_;
  std::shared_ptr<const Plan> plan_;
  const Measurements& measurements_;
  Hosts hosts_;

  std::unique_ptr<coordination::Core> core_;
  std::uint32_t life_ = 0;
  std::uint32_t last_worker_ = 0;
  std::map<WorkerId, ConnectionPtr> sessions_;
  std::map<std::uint32_t, WorkerId> session_of_instance_;
  std::set<AttemptId> forgotten_;  // released though the archive has no row: they must never be stored
  bool committing_ = false;
  bool asked_to_stop_ = false;
};

}  // namespace kernsweep::simulation
