// A fixture for the worker's core: the test applies events, and must expect every action, or it fails.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "worker/core/core.hpp"

namespace kernsweep::worker {

inline AttemptId attempt(std::uint64_t index, std::uint32_t number = 1) {
  return {{SweepId{1}, index, 0}, number};
}

// Cores in pairs that share a cache, in fours that share a NUMA node.
inline HostLayout layout_of(std::uint32_t cores) {
  HostLayout layout;
  layout.cores = cores;
  for (std::uint32_t core = 0; core < cores; ++core) {
    UnitSet cache, numa;
    for (std::uint32_t other = 0; other < cores; ++other) {
      if (other / 2 == core / 2) cache.set(other);
      if (other / 4 == core / 4) numa.set(other);
    }
    layout.cache_of.push_back(cache);
    layout.numa_of.push_back(numa);
  }
  return layout;
}

class CoreFixture : public ::testing::Test {
 protected:
  ~CoreFixture() override { EXPECT_EQ(said(), "") << "at the end of the test"; }

  void open(std::uint32_t cores) { core = std::make_unique<Core>(layout_of(cores), options); }

  // Applies the event and says what must be done: "start 1 key 0 on 0,1 gpu 0", "run 1: 0 1 leased", "grant
  // 1", "kill 1", "retire 1", "report 0 ok", "return 0 1", joined by "; ".
  std::string tell(const Event& event) {
    EXPECT_EQ(said(), "") << "not expected by the test";
    actions_.clear();
    core->apply(now, event, actions_);
    EXPECT_EQ(core->check_invariants().value_or(""), "");
    std::string text = said();
    actions_.clear();
    return text;
  }
  std::string pass(Duration time) {
    now = now + time;
    return tell(TimePassed{});
  }
  static Order order(std::uint64_t index, Exclusion alone_on = Exclusion::host, std::uint32_t cores = 1,
                     std::uint32_t key = 0) {
    Order made;
    made.attempt = attempt(index);
    made.key = key;
    made.cores = cores;
    made.alone_on = alone_on;
    return made;
  }
  static Order order_in_block(std::uint64_t index, std::uint32_t block, std::uint32_t cores = 1) {
    Order made = order(index, Exclusion::host, cores, block * 10 + cores);
    made.block = block;
    return made;
  }
  std::string arrive(std::vector<Order> orders) { return tell(JobsArrived{std::move(orders)}); }
  std::string ready(std::uint32_t slot) { return tell(SlotReady{SlotId{slot}}); }
  std::string requests_lease(std::uint32_t slot) { return tell(LeaseRequested{SlotId{slot}}); }
  std::string returns_lease(std::uint32_t slot) { return tell(LeaseReturned{SlotId{slot}}); }
  std::string requests_whole_host(std::uint32_t slot) { return tell(LeaseRequested{SlotId{slot}, true}); }
  std::string seen(std::uint32_t slot, std::uint16_t jobs_begun, bool measuring, Instant since) {
    return tell(SlotSeen{SlotId{slot}, jobs_begun, measuring, since});
  }
  std::string exited(std::uint32_t slot, std::string reason = "killed by SIGSEGV") {
    return tell(SlotExited{SlotId{slot}, Outcome::signal, std::move(reason)});
  }
  std::string measured(std::uint32_t slot, std::uint64_t index, Duration busy = 1s,
                       Outcome outcome = Outcome::ok) {
    return tell(OutcomesMeasured{{{SlotId{slot}, attempt(index), outcome, busy, 7}}});
  }
  // The job's process can measure nothing more, because its GPU is lost to it, as it says.
  std::string lost(std::uint32_t slot, std::uint64_t index, Duration busy = 1s) {
    return tell(
        OutcomesMeasured{{{SlotId{slot}, attempt(index), Outcome::failed_run, busy, 7, true, true}}});
  }
  // The job has failed, and it is unknown whether its GPU was the reason.
  std::string failed(std::uint32_t slot, std::uint64_t index) {
    return tell(OutcomesMeasured{{{SlotId{slot}, attempt(index), Outcome::failed_run, 1s, 7, true}}});
  }
  static Order order_with_build(std::uint64_t index, std::vector<std::uint32_t> builds) {
    Order made = order(index);
    made.builds = std::move(builds);
    return made;
  }
  std::string built(std::uint32_t build, std::string failure = "") {
    return tell(Built{build, false, std::move(failure)});
  }
  std::string gpu_seen(std::uint32_t gpu, GpuAnswer answer, std::string why = "why") {
    return tell(GpuSeen{gpu, answer, std::move(why)});
  }
  // A one-core host whose slot 1 has shown twice (jobs 100 and 101) that its jobs take this long.
  void experienced(Duration busy) {
    EXPECT_EQ(arrive({order(100)}), "start 1 key 0 on 0");
    EXPECT_EQ(ready(1), "run 1: 100");
    EXPECT_EQ(requests_lease(1), "grant 1");
    EXPECT_EQ(measured(1, 100, busy), "report 100 ok from 1");
    EXPECT_EQ(arrive({order(101)}), "run 1: 101");
    EXPECT_EQ(requests_lease(1), "grant 1");
    EXPECT_EQ(measured(1, 101, busy), "report 101 ok from 1");
  }

  WorkerOptions options;
  std::unique_ptr<Core> core;
  Instant now{100s};

 private:
  static std::string text(const std::vector<AttemptId>& attempts) {
    std::string list;
    for (const AttemptId& id : attempts) list += " " + std::to_string(id.job.index);
    return list;
  }
  static std::string text(SlotId slot) { return std::to_string(slot.value); }
  static std::string listed(const UnitSet& set, std::size_t first, std::size_t end) {
    std::string units;
    for (std::size_t unit = first; unit < end; ++unit) {
      if (set[unit]) units += (units.empty() ? "" : ",") + std::to_string(unit - first);
    }
    return units;
  }
  static std::string say(const StartSlot& a) {
    const std::string gpus = listed(a.units, kCoresMax, a.units.size());
    return "start " + text(a.slot) + " key " + std::to_string(a.key) + " on " +
           listed(a.units, 0, kCoresMax) + (gpus.empty() ? "" : " gpu " + gpus);
  }
  static std::string say(const RetireSlot& a) { return "retire " + text(a.slot); }
  static std::string say(const KillSlot& a) { return "kill " + text(a.slot); }
  static std::string say(const SendRun& a) {
    return "run " + text(a.slot) + ":" + text(a.attempts) + (a.leased ? " leased" : "");
  }
  static std::string say(const LookAtSlot& a) { return "look at " + text(a.slot); }
  static std::string say(const BeginBuild& a) { return "build " + std::to_string(a.build); }
  static std::string say(const EndBuild& a) { return "end build " + std::to_string(a.build); }
  static std::string say(const GrantLease& a) { return "grant " + text(a.slot); }
  static std::string say(const ReportOutcome& a) {
    std::string told =
        "report " + std::to_string(a.attempt.job.index) + " " + std::string(name_of(a.outcome));
    if (a.slot) told += " from " + text(*a.slot);
    if (a.neighbours > 0) told += " beside " + std::to_string(a.neighbours);
    if (!a.stands.empty()) told += " stands";
    if (a.payload.has_value() == !a.reason.empty()) told += " NEITHER OR BOTH OF PAYLOAD AND REASON";
    return a.reason.empty() ? told : told + " (" + a.reason + ")";
  }
  static std::string say(const KeepBackOutcome& a) { return "keep back: " + say(a.outcome); }
  static std::string say(const TellOutcome& a) {
    const std::string job = std::to_string(a.attempt.job.index);
    return "tell " + job + (a.lost_gpu ? " lost with gpu " + std::to_string(*a.lost_gpu) : "");
  }
  static std::string say(const LookAtGpu& a) { return "look at gpu " + std::to_string(a.gpu); }
  static std::string say(const GiveUpGpu& a) {
    return "give up gpu " + std::to_string(a.gpu) + " (" + a.reason + ")";
  }
  static std::string say(const GiveUpCores& a) {
    return "give up cores " + listed(a.cores, 0, kCoresMax) + " (" + a.reason + ")";
  }
  static std::string say(const Drained&) { return "drained"; }
  static std::string say(const LookAtHost&) { return "look at host"; }
  static std::string say(const TellUser& a) { return "tell user: " + a.text; }
  static std::string say(const ReturnJobs& a) { return "return" + text(a.attempts); }
  std::string said() const {
    std::string all;
    for (const Action& action : actions_) {
      all += (all.empty() ? "" : "; ") + std::visit([](const auto& a) { return say(a); }, action);
    }
    return all;
  }
  std::vector<Action> actions_;
};

}  // namespace kernsweep::worker
