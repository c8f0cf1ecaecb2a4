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

  void write(const coordination::StoreResult& row) { waiting_.push_back(row); }
  bool has_waiting() const { return !waiting_.empty(); }
  bool has_waiting(SweepId sweep) const {
    return std::any_of(waiting_.begin(), waiting_.end(),
                       [sweep](const auto& row) { return row.attempt.job.sweep == sweep; });
  }
  void crash() { waiting_.clear(); }

  std::vector<AttemptId> commit() {
    std::vector<AttemptId> committed;
    const std::uint64_t count =
        world_.random.chance(0.2) ? waiting_.size() : 1 + world_.random.below(waiting_.size());
    for (std::uint64_t i = 0; i < count && !waiting_.empty(); ++i) {
      const coordination::StoreResult row = waiting_.front();
      waiting_.pop_front();
      if (!rows_.emplace(row.attempt, row.accepted).second)
        world_.violated("row stored twice: " + text_of(row.attempt));
      if (row.accepted && !answers_.emplace(row.attempt.job, row.outcome).second) {
        world_.violated("second accepted outcome: " + text_of(row.attempt));
      }
      committed.push_back(row.attempt);
    }
    return committed;
  }

  bool is_waiting(const AttemptId& attempt) const {
    return std::any_of(waiting_.begin(), waiting_.end(),
                       [&attempt](const coordination::StoreResult& row) { return row.attempt == attempt; });
  }
  bool is_waiting(const JobId& job) const {  // any attempt of it
    return std::any_of(waiting_.begin(), waiting_.end(),
                       [&job](const coordination::StoreResult& row) { return row.attempt.job == job; });
  }
  bool knows(const AttemptId& attempt) const { return rows_.count(attempt) > 0; }
  bool answered(const JobId& job) const { return answers_.count(job) > 0; }
  const std::map<JobId, Outcome>& answers() const { return answers_; }
  std::size_t rows() const { return rows_.size(); }

  // What a restarted coordinator reads. Outcomes that only say that nothing was tried give way.
  void fill(coordination::SweepSubmitted& sweep) {
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
      outcome ? sweep.spent.add_outcome(attempt) : sweep.spent.add_tried(attempt);
    }
    for (const auto& [job, outcome] : answers_) {
      if (job.sweep == sweep.sweep) sweep.answered.add(job.index, job.host);
    }
  }

 private:
  World& world_;
  std::deque<coordination::StoreResult> waiting_;
  std::map<AttemptId, bool> rows_;
  std::map<JobId, Outcome> answers_;
};

}  // namespace kernsweep::simulation
