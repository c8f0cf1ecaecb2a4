// Simulated slot processes of one worker: they take time, die and hang. Also checks the lease: it knows for
// every slot whether it works and which cores it needs quiet, and reports when two disturb each other.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "tests/simulation/plan.hpp"
#include "tests/simulation/world.hpp"
#include "worker/core/core.hpp"

namespace kernsweep::simulation {

// The measurements: payload numbers are indices in it.
struct Measurement {
  AttemptId attempt;
  std::uint32_t hardware = 0;
};
using Measurements = std::vector<Measurement>;

constexpr Duration kExitLimit = 2s;  // of the workers: some processes on dead GPUs need longer

class FakeSlots {
 public:
  using Deliver = std::function<void(const worker::Event&)>;
  FakeSlots(World& world, const Script& script, const worker::HostLayout& layout, std::uint32_t hardware,
            Measurements& measurements, Deliver deliver, std::function<void()> kill_host)
      : world_(world),
        script_(script),
        layout_(layout),
        hardware_(hardware),
        measurements_(measurements),
        deliver_(std::move(deliver)),
        kill_host_(std::move(kill_host)) {}

  void perform(const worker::StartSlot& action);
  void perform(const worker::RetireSlot& action);
  void perform(const worker::KillSlot& action);
  void perform(const worker::SendRun& action);
  void perform(const worker::GrantLease& action);
  void perform(const worker::LookAtSlot& action);
  void perform(const worker::LookAtGpu& action);
  void perform(const worker::GiveUpGpu& action);
  void perform(const worker::GiveUpCores& action);
  void has_answered(std::uint32_t gpu);  // and the worker has acted on it
  void perform(const worker::KeepBackOutcome& action);
  void perform(const worker::TellOutcome& action);
  // With their worker; the next one finds every GPU repaired.
  void all_killed() {
    slots_.clear();
    dead = given_up_ = {};
    unkillable = 0;
    seen_.clear();
    looking_.clear();
    ran_on_.clear();
    common_.clear();
    unanswered_.clear();
    lost_under_.clear();
  }
  bool broken = false;   // this host lets every job fail
  worker::UnitSet dead;  // GPUs
  int unkillable = 0;    // so many that are killed next do not go before they are given up, or never

 private:
  enum class Doing { working, quiet, measuring };
  struct Fake {
    std::uint32_t key = 0;
    worker::UnitSet units;
    bool done = false;  // measures nothing more: its device may be lost to it
    worker::UnitSet zone;
    Doing doing = Doing::working;
    std::vector<worker::Order> run;
    std::size_t next = 0;
    std::uint16_t begun = 0;  // jobs since it started
    Instant since;            // the newest one's start
    std::uint64_t token = 0;  // a new one makes whatever was to happen to it void
    bool up = false;
    bool leased = false;  // the lease came with the run
    bool alone = false;   // measures once more, with the host to itself
    bool stuck = false;   // was killed and does not go
  };

  bool is_given_up(const Fake& fake) const { return fake.stuck && (fake.units & ~given_up_).none(); }
  void forget_given_up();
  void later(SlotId id, Duration delay, std::function<void(Fake&)> what);
  void exit_later(SlotId id, Duration delay, Outcome outcome, const char* reason);
  void begin_next(Fake& fake);
  void measure_next(SlotId id, Fake& fake);
  void check(SlotId id, Fake& fake, Duration busy);
  void measured(SlotId id, Fake& fake, Outcome outcome, Duration busy);
  void begins_work(SlotId id, const Fake& fake);
  void takes_lease(SlotId id, Fake& fake);

  World& world_;
  const Script& script_;
  worker::HostLayout layout_;
  std::uint32_t hardware_;
  Measurements& measurements_;
  Deliver deliver_;
  std::function<void()> kill_host_;
  std::map<SlotId, Fake> slots_;
  std::uint64_t last_token_ = 0;
  worker::UnitSet given_up_;
  std::map<std::uint32_t, std::uint64_t> looking_;   // of each GPU that is being looked at
  std::map<std::uint32_t, worker::GpuAnswer> seen_;  // the newest, of each GPU
  std::map<AttemptId, worker::UnitSet> ran_on_;      // the GPUs of each job
  std::map<std::pair<SweepId, std::uint32_t>, worker::UnitSet> common_;  // cores of all jobs of a block
  std::map<AttemptId, worker::UnitSet> unanswered_;  // of jobs that are kept back, GPUs not seen since
  std::set<AttemptId> lost_under_;                   // jobs that are kept back and have lost one
};

}  // namespace kernsweep::simulation
