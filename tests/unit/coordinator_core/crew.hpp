// Workers that answer automatically, one job each per step, and a store that commits at once: for effects
// that appear only over many jobs.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/coordinator_core/table.hpp"

namespace kernsweep::coordinator {

class Crew {
 public:
  explicit Crew(std::uint64_t jobs, Hosts hosts = Hosts::any, CoreOptions options = {}) : core(options) {
    space = std::make_shared<FakeSpace>(jobs);
    submit(kSweep, hosts);
  }
  void submit(SweepId id, Hosts hosts = Hosts::any, std::int32_t priority = 0) {
    SweepSubmitted sweep;
    sweep.sweep = id;
    sweep.space = space;
    sweep.hosts = hosts;
    sweep.priority = priority;
    tell(sweep);
  }
  void join(std::uint32_t worker, std::uint32_t number, std::uint32_t cores = 1) {
    host_of_[WorkerId{worker}] = number;
    tell(WorkerJoined{WorkerId{worker}, {number, cores, 0, 0}, {}});
  }
  void tell(const Event& event) {
    std::vector<Action> actions;
    core.apply(now, event, actions);
    for (const Action& action : actions) obey(action);
  }
  // Each worker answers one job, and gives back what it is asked for.
  void step() {
    now = now + 1ms;
    tell(TimePassed{});
    for (const auto& [worker, number] : std::map(host_of_)) {  // some leave on the way
      if (!host_of_.contains(worker)) continue;
      const std::vector<AttemptId> back = std::exchange(retracted_[worker], {});
      if (!back.empty()) give_back(worker, back);
      std::deque<AttemptId>& jobs = jobs_[worker];
      if (jobs.empty()) continue;
      const AttemptId id = jobs.front();
      jobs.pop_front();
      ++attempts;
      ++attempts_on[worker.value];
      const Outcome outcome = ends(number, id.job.index);
      tell(OutcomesArrived{worker, {{id, outcome, false, 1ms, 0}}});
      const std::vector<AttemptId> rows = std::exchange(rows_, {});
      if (!rows.empty()) tell(ResultsStored{rows});
    }
  }
  void run() {
    for (int steps = 0; steps < 20000 && !core.idle(); ++steps) step();
    EXPECT_TRUE(core.idle()) << "not over";
  }
  std::size_t failed() const {
    std::size_t sum = 0;
    for (const auto& [job, outcome] : answers) sum += outcome != Outcome::ok;
    return sum;
  }

  std::shared_ptr<FakeSpace> space;
  Core core;
  Instant now{100s};
  std::function<Outcome(std::uint32_t host, std::uint64_t index)> ends;
  std::map<JobId, Outcome> answers;
  std::vector<JobId> order;  // of accepted outcomes
  std::map<WorkerId, std::string> drained;
  std::map<std::uint32_t, std::uint64_t> attempts_on;  // by worker
  std::uint64_t attempts = 0;

 private:
  void give_back(WorkerId worker, const std::vector<AttemptId>& asked) {
    std::vector<AttemptId> back;
    for (const AttemptId& id : asked) {
      if (std::erase(jobs_[worker], id) > 0) back.push_back(id);
    }
    tell(JobsReturned{worker, back});
  }
  void obey(const Action& action) {
    if (const auto* send = std::get_if<SendJobs>(&action)) {
      jobs_[send->worker].insert(jobs_[send->worker].end(), send->attempts.begin(), send->attempts.end());
    } else if (const auto* row = std::get_if<StoreResult>(&action)) {
      rows_.push_back(row->attempt);
      if (!row->accepted) return;
      EXPECT_TRUE(answers.emplace(row->attempt.job, row->outcome).second) << "answered twice";
      order.push_back(row->attempt.job);
    } else if (const auto* back = std::get_if<RetractJobs>(&action)) {
      retracted_[back->worker] = back->attempts;
    } else if (const auto* gone = std::get_if<WorkerDrained>(&action)) {
      drained[gone->worker] = gone->reason;
      host_of_.erase(gone->worker);
    }
  }

  std::map<WorkerId, std::uint32_t> host_of_;
  std::map<WorkerId, std::deque<AttemptId>> jobs_;
  std::map<WorkerId, std::vector<AttemptId>> retracted_;
  std::vector<AttemptId> rows_;
};

}  // namespace kernsweep::coordinator
