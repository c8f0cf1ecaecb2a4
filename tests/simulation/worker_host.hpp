// One worker's shell in the simulation: the worker's core, its spool, its connection and its rejoining. It
// can be frozen, its clock can leap, it can be asked to drain.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "tests/simulation/fake_slots.hpp"
#include "tests/simulation/network.hpp"

namespace kernsweep::simulation {

class WorkerHost {
 public:
  WorkerHost(World& world, Network& network, const Script& script, Measurements& measurements,
             coordinator::HostFacts facts, std::uint32_t& instances);

  const coordinator::HostFacts& facts() const { return facts_; }  // as it was built
  std::uint32_t fewest_gpus() const { return fewest_gpus_; }      // that it ever had left
  std::uint32_t fewest_cores() const { return fewest_cores_; }
  bool up() const { return core_ != nullptr; }
  void start();
  void crash();  // everything it knew is gone; the coordinator may notice at once or after its silence
  void break_connection() { network_.break_off(connection_); }
  void cut(Duration length, bool to_worker, bool to_coordinator);
  void freeze(Duration length) { frozen_until_ = std::max(frozen_until_, world_.now + length); }
  void leap(Duration by) { clock_ += by; }
  void ask_to_drain();
  void let_all_fail(bool broken) { slots_->broken = broken; }
  void let_gpu_die(std::uint64_t die) {
    if (facts_.gpus > 0) slots_->dead.set(worker::kCoresMax + die % facts_.gpus);
  }
  void let_slots_hang(int count) { slots_->unkillable += count; }
  const ConnectionPtr& connection() const { return connection_; }
  std::uint64_t outcomes() const { return outcomes_; }
  std::uint64_t killed() const { return killed_; }  // by jobs
  std::uint64_t gpus_given_up() const { return gpus_given_up_; }
  std::uint64_t cores_given_up() const { return cores_given_up_; }
  // What it still has, for checks after the end.
  std::size_t held() const { return held_.size(); }
  const std::map<AttemptId, coordinator::Arrival>& spooled() const { return spool_; }

  // At its end by a goodbye: what it measured and never had to forget.
  std::function<void(const std::vector<AttemptId>&)> on_leaving = [](const auto&) {};

 private:
  void receive(const ToWorker& message);
  void take(const Welcome& message);
  void take(const Beat&) {}
  void take(const JoinAgain&) { join(); }
  void take(const Dismissed&);
  void take(const Goodbye&);
  void take(const coordinator::SendJobs& message);
  void take(const coordinator::CancelJobs& message);
  void take(const coordinator::RetractJobs& message);
  void take(const coordinator::ReleaseResults& message);

  void when_awake(std::function<void()> what);  // void when this life is over
  void join();
  void tick();
  void leave_when_empty();
  void leave(Duration until_next);
  void apply(const worker::Event& event);
  void look();
  void perform(const worker::ReportOutcome& action);
  void perform(const worker::ReturnJobs& action);
  void perform(const worker::TellOutcome& action);
  void perform(const worker::GiveUpGpu& action);
  void perform(const worker::GiveUpCores& action);
  void send_returned();
  void send_spool();  // all of it, as at each welcome
  worker::HostLayout layout() const;

  World& world_;
  Network& network_;
  const Script& script_;
  Measurements& measurements_;
  coordinator::HostFacts facts_;
  std::uint32_t& instances_;

  std::uint32_t instance_ = 0;
  std::unique_ptr<worker::Core> core_;
  std::unique_ptr<FakeSlots> slots_;
  std::set<AttemptId> held_;                         // queued or running
  std::map<AttemptId, coordinator::Arrival> spool_;  // measured and not released
  std::map<AttemptId, worker::ReportOutcome> kept_back_;
  std::uint32_t gpus_lost_ = 0, cores_lost_ = 0;
  std::uint32_t fewest_gpus_, fewest_cores_;
  std::vector<AttemptId> returned_;  // to be reported in the next session, if there is none
  ConnectionPtr connection_ = std::make_shared<Connection>();
  std::optional<WorkerId> session_;
  bool draining_ = false, drained_ = false;
  Duration clock_{};
  Instant frozen_until_;
  Instant heard_;
  Instant beat_;
  Instant resent_;
  bool calmed_ = false;  // the spool was reported once more after the last fault
  Instant joined_;
  std::uint64_t outcomes_ = 0, killed_ = 0, gpus_given_up_ = 0, cores_given_up_ = 0;
};

}  // namespace kernsweep::simulation
