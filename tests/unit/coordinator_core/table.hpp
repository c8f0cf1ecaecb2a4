// A chess table for the coordinator's core: events in by hand, and every action must be expected, or the
// test fails.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "coordinator/core/core.hpp"

namespace kernsweep::coordinator {

class FakeSpace : public JobSpace {
 public:
  explicit FakeSpace(std::uint64_t size) : size_(size) {}
  std::uint64_t size() const override { return size_; }
  bool wanted(std::uint64_t index) const override {
    return !unwanted.count(index) && !rule_of.count(index) && !all_unwanted;
  }
  std::optional<std::uint32_t> rejected_by(std::uint64_t index) const override {
    const auto rule = rule_of.find(index);
    return rule == rule_of.end() ? JobSpace::rejected_by(index) : rule->second;
  }
  std::uint32_t cores(std::uint64_t index) const override {
    const auto it = cores_of.find(index);
    return it == cores_of.end() ? 1 : it->second;
  }
  std::optional<std::string> unfit(std::uint64_t index, const HostFacts& host) const override {
    if (const auto gpus = gpus_of.find(index); gpus != gpus_of.end() && gpus->second > host.gpus)
      return "requires " + std::to_string(gpus->second) + " GPUs";
    const auto it = needs_fact.find(index);
    if (it == needs_fact.end() || it->second == host.facts) return std::nullopt;
    return "requires fact " + std::to_string(it->second);
  }
  RetryRules retry(std::uint64_t) const override { return rules; }
  std::uint32_t held_max() const override { return held; }
  std::optional<EarlierResult> earlier_result(std::uint64_t index, std::uint32_t,
                                              std::optional<std::uint32_t> hardware) const override {
    const auto it = earlier.find(index);
    if (it == earlier.end() || (hardware && *hardware != earlier_on)) return std::nullopt;
    return EarlierResult{it->second, earlier_on};
  }
  bool has_points() const override { return points > 0; }
  std::uint64_t point_of(std::uint64_t index) const override { return index % points; }
  std::vector<std::uint64_t> jobs_of_point(std::uint64_t point) const override {
    std::vector<std::uint64_t> jobs;
    for (; point < size_; point += points) jobs.push_back(point);
    return jobs;
  }
  std::span<const std::uint64_t> rivals_of(std::uint64_t point) const override {
    if (in_problem == 0) return {};
    std::vector<std::uint64_t>& rivals = rivals_[point / in_problem];
    if (rivals.empty())
      for (std::uint64_t p = point - point % in_problem; rivals.size() < in_problem && p < points; ++p)
        rivals.push_back(p);
    return rivals;
  }

  std::set<std::uint64_t> unwanted;
  std::map<std::uint64_t, std::uint32_t> rule_of;  // that rejects it
  bool all_unwanted = false;
  std::map<std::uint64_t, std::uint32_t> cores_of;
  std::map<std::uint64_t, std::uint32_t> needs_fact, gpus_of;
  std::map<std::uint64_t, std::uint64_t> earlier;
  std::uint32_t earlier_on = 0;  // hardware of those
  std::uint64_t points = 0;      // a job of each, then the next of each; 0: jobs have no points
  std::uint64_t in_problem = 0;  // points of a problem; 0: not known
  RetryRules rules;
  std::uint32_t held = 0;

 private:
  mutable std::map<std::uint64_t, std::vector<std::uint64_t>> rivals_;
  std::uint64_t size_;
};

constexpr SweepId kSweep{3};

inline AttemptId attempt(std::uint64_t index, std::uint32_t number = 1, std::uint32_t host = 0) {
  return {{kSweep, index, host}, number};
}
inline HostFacts host(std::uint32_t number, std::uint32_t cores, std::uint32_t facts = 0) {
  return {number, cores, 0, facts};
}

// Each take_*() removes the first action of its kind and says what it was; nothing may be left when the
// test moves on.
class Table : public ::testing::Test {
 protected:
  ~Table() override { EXPECT_EQ(left(), "") << "at the end of the test"; }

  void tell(const Event& event) {
    EXPECT_EQ(left(), "") << "not expected by the test";
    actions_.clear();
    core->apply(now, event, actions_);
    EXPECT_EQ(core->check_invariants(), std::nullopt);
  }
  void pass(Duration time) {
    now = now + time;
    tell(TimePassed{});
    drop_heartbeats();
  }
  void submit(Hosts hosts = Hosts::any) { tell(submission(hosts)); }
  SweepSubmitted submission(Hosts hosts = Hosts::any) {
    SweepSubmitted sweep;
    sweep.sweep = kSweep;
    sweep.space = space;
    sweep.hosts = hosts;
    return sweep;
  }
  void join(std::uint32_t worker, HostFacts facts, std::vector<AttemptId> holding = {},
            std::optional<WorkerId> former = {}) {
    tell(WorkerJoined{WorkerId{worker}, facts, std::move(holding), former});
  }
  void answer(std::uint32_t worker, AttemptId id, Outcome outcome = Outcome::ok, bool throttled = false) {
    tell(OutcomesArrived{WorkerId{worker}, {{id, outcome, throttled, 1s, 70}}});
  }
  void store(const std::vector<AttemptId>& attempts) { tell(ResultsStored{attempts}); }

  // "0#1 1#1": index#attempt, of the jobs sent to this worker; with a host number "0@2#1".
  std::string sent_to(std::uint32_t worker) {
    return take<SendJobs>([&](const SendJobs& a) { return a.worker.value == worker; }, texts<SendJobs>);
  }
  std::string cancelled_at(std::uint32_t worker) {
    return take<CancelJobs>([&](const CancelJobs& a) { return a.worker.value == worker; },
                            texts<CancelJobs>);
  }
  std::string retracted_from(std::uint32_t worker) {
    return take<RetractJobs>([&](const RetractJobs& a) { return a.worker.value == worker; },
                             texts<RetractJobs>);
  }
  std::string drained(std::uint32_t worker) {
    return take<WorkerDrained>([&](const WorkerDrained& a) { return a.worker.value == worker; },
                               [](const WorkerDrained& a) { return a.reason; });
  }
  // "0#1 unused 1" when arrivals will not be stored.
  std::string released_to(std::uint32_t worker) {
    return take<ReleaseResults>([&](const ReleaseResults& a) { return a.worker.value == worker; },
                                [](const ReleaseResults& a) {
                                  std::string text = texts(a);
                                  if (a.unused_payloads.empty()) return text;
                                  return text + (text.empty() ? "" : " ") + "unused " +
                                         std::to_string(a.unused_payloads.size());
                                });
  }
  // "0#1 ok accepted from 1", "0#1 worker_lost to retry: closed".
  std::string stored() {
    return take<StoreResult>([](const StoreResult&) { return true; },
                             [](const StoreResult& a) {
                               std::string text = text_of(a.attempt) + " " +
                                                  std::string(name_of(a.outcome)) +
                                                  (a.accepted ? " accepted" : " to retry");
                               if (a.reused) text += " reuses " + std::to_string(*a.reused);
                               if (a.worker) text += " from " + std::to_string(a.worker->value);
                               if (a.payload.has_value() != a.worker.has_value()) text += " PAYLOAD?";
                               return a.reason.empty() ? text : text + ": " + a.reason;
                             });
  }
  std::string dismissed(std::uint32_t worker) {
    return take<DismissWorker>([&](const DismissWorker& a) { return a.worker.value == worker; },
                               [](const DismissWorker& a) { return a.reason; });
  }
  std::string ended() {
    return take<SweepEnded>([](const SweepEnded&) { return true; },
                            [](const SweepEnded& a) { return "ending " + std::to_string(int(a.ending)); });
  }
  bool asked_for_more() {
    return take<AskMore>([](const AskMore& a) { return a.sweep == kSweep; },
                         [](const AskMore&) { return std::string("yes"); }) == "yes";
  }
  bool asked_to_scan_on() {
    return take<ScanOn>([](const ScanOn&) { return true; },
                        [](const ScanOn&) { return std::string("yes"); }) == "yes";
  }
  std::size_t drop_heartbeats() {
    return std::erase_if(actions_,
                         [](const Action& a) { return std::holds_alternative<SendHeartbeat>(a); });
  }
  std::vector<AttemptId> take_sent(std::uint32_t worker) {
    for (auto it = actions_.begin(); it != actions_.end(); ++it) {
      if (const auto* jobs = std::get_if<SendJobs>(&*it); jobs && jobs->worker.value == worker) {
        std::vector<AttemptId> attempts = jobs->attempts;
        actions_.erase(it);
        return attempts;
      }
    }
    return {};
  }

  std::shared_ptr<FakeSpace> space = std::make_shared<FakeSpace>(3);
  CoreOptions options;
  std::unique_ptr<Core> core = std::make_unique<Core>(options);
  Instant now{100s};

  static std::string text_of(const AttemptId& id) {
    return std::to_string(id.job.index) + (id.job.host ? "@" + std::to_string(id.job.host) : "") + "#" +
           std::to_string(id.number);
  }
  template <class A>
  static std::string texts(const A& action) {
    std::string text;
    for (const AttemptId& id : action.attempts) text += (text.empty() ? "" : " ") + text_of(id);
    return text;
  }
  template <class A>
  std::string take(const std::function<bool(const A&)>& mine,
                   const std::function<std::string(const A&)>& say) {
    for (auto it = actions_.begin(); it != actions_.end(); ++it) {
      const A* action = std::get_if<A>(&*it);
      if (!action || !mine(*action)) continue;
      std::string said = say(*action);
      actions_.erase(it);
      return said;
    }
    return "nothing";
  }

 private:
  std::string left() const {
    static constexpr const char* kNames[] = {
        "SendJobs",   "CancelJobs", "StoreResult", "ReleaseResults", "SendHeartbeat",  "DismissWorker",
        "SweepEnded", "ScanOn",     "RetractJobs", "WorkerDrained",  "PointBegunAnew", "AskMore"};
    std::string names;
    for (const Action& action : actions_) names += std::string(kNames[action.index()]) + " ";
    return names;
  }
  std::vector<Action> actions_;
};

}  // namespace kernsweep::coordinator
