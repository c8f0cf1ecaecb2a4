// The fake database: rows wait, then are committed together; a crash loses those that wait. Checks what is
// written.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <set>

#include "coordinator/core/core.hpp"
#include "tests/simulation/world.hpp"

namespace kernsweep::simulation {

class Archive {
 public:
  explicit Archive(World& world) : world_(world) {}

  // measured_on: hardware; nothing: it was not measured. point: first job of the job's point.
  void write(const coordinator::StoreResult& row, std::optional<std::uint32_t> measured_on,
             std::uint64_t point) {
    waiting_.push_back({row, measured_on, point});
  }
  bool has_waiting() const { return !waiting_.empty(); }
  bool has_waiting(SweepId sweep) const {
    return std::any_of(waiting_.begin(), waiting_.end(),
                       [sweep](const Row& row) { return row.row.attempt.job.sweep == sweep; });
  }
  void crash() { waiting_.clear(); }

  std::vector<AttemptId> commit() {
    std::vector<AttemptId> committed;
    const std::uint64_t count =
        world_.random.chance(0.2) ? waiting_.size() : 1 + world_.random.below(waiting_.size());
    for (std::uint64_t i = 0; i < count && !waiting_.empty(); ++i) {
      const Row written = waiting_.front();
      const coordinator::StoreResult& row = written.row;
      waiting_.pop_front();
      if (!rows_.emplace(row.attempt, row.accepted).second)
        world_.violated("row stored twice: " + text_of(row.attempt));
      if (row.accepted && !answers_.emplace(row.attempt.job, row.outcome).second) {
        world_.violated("second accepted outcome: " + text_of(row.attempt));
      }
      if (row.accepted && written.measured_on) {
        measured_on_[row.attempt.job] = *written.measured_on;
        JobId point = row.attempt.job;
        point.index = written.point;
        if (hardware_.emplace(point, *written.measured_on).first->second != *written.measured_on)
          world_.violated("a point has results of unlike hosts: " + text_of(row.attempt));
      }
      committed.push_back(row.attempt);
    }
    return committed;
  }

  bool is_waiting(const AttemptId& attempt) const {
    return std::any_of(waiting_.begin(), waiting_.end(),
                       [&attempt](const Row& row) { return row.row.attempt == attempt; });
  }
  bool is_waiting(const JobId& job) const {  // any attempt of it
    return std::any_of(waiting_.begin(), waiting_.end(),
                       [&job](const Row& row) { return row.row.attempt.job == job; });
  }
  bool knows(const AttemptId& attempt) const { return rows_.count(attempt) > 0; }
  bool answered(const JobId& job) const { return answers_.count(job) > 0; }
  const std::map<JobId, Outcome>& answers() const { return answers_; }
  std::size_t rows() const { return rows_.size(); }

  // The data that a restarted coordinator reads. Outcomes without a try are replaced.
  void fill(coordinator::SweepSubmitted& sweep) {
    std::erase_if(answers_, [&sweep](const auto& answer) {
      return answer.first.sweep == sweep.sweep && gives_way(answer.second);
    });
    sweep.first_attempt = 1;
    std::set<JobId> given_way;
    for (const auto& [attempt, accepted] : rows_) {
      if (attempt.job.sweep != sweep.sweep) continue;
      sweep.first_attempt = std::max(sweep.first_attempt, attempt.number + 1);
      if (answered(attempt.job)) continue;
      const bool outcome = accepted && given_way.insert(attempt.job).second;
      outcome ? sweep.stored_attempts.add_outcome(attempt) : sweep.stored_attempts.add_tried(attempt);
    }
    for (const auto& [job, outcome] : answers_) {
      if (job.sweep == sweep.sweep) sweep.answered.add(job.index, job.host);
    }
    if (sweep.hosts != Hosts::any || !sweep.space->has_points()) return;
    for (const auto& [job, hardware] : measured_on_) {
      if (job.sweep == sweep.sweep) sweep.measured_on[hardware].add(job.index, job.host);
    }
  }

 private:
  struct Row {
    coordinator::StoreResult row;
    std::optional<std::uint32_t> measured_on;
    std::uint64_t point = 0;
  };

  World& world_;
  std::deque<Row> waiting_;
  std::map<AttemptId, bool> rows_;
  std::map<JobId, Outcome> answers_;
  std::map<JobId, std::uint32_t> measured_on_;
  std::map<JobId, std::uint32_t> hardware_;  // of points: by their first job, and its host
};

}  // namespace kernsweep::simulation
