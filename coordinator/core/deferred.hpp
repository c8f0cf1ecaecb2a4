// Outcomes that were not accepted and cannot be released yet: a row of their job is being stored and may be
// their own, or another worker has the same attempt (possible after a restart). The sender of one gets the
// release as soon as a row of the job is stored, or the job has a newer attempt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "shared/base/ids.hpp"

namespace kernsweep::coordinator {

// For one sweep. Limited: beyond kMax an outcome is not recorded; it is answered when its worker joins
// again.
class DeferredReleases {
 public:
  using Deferred = std::pair<AttemptId, WorkerId>;  // the worker that gets the release

  static constexpr std::size_t kMax = std::size_t{1} << 16;

  void add(const AttemptId& attempt, WorkerId worker);
  // Removes and returns those of this job whose attempt number is below `number`.
  std::vector<Deferred> take_below(const JobId& job, std::uint64_t number);
  using Test = std::function<bool(const AttemptId&)>;
  std::vector<Deferred> take_if(const Test& test);  // tests each of them
  bool any_of(WorkerId worker, const Test& test) const;
  void forget(WorkerId worker);  // its session is over
  const std::set<Deferred>& all() const { return by_job_; }
  std::size_t size() const { return by_job_.size(); }
  std::optional<std::string> check_invariants() const;  // as Core's

 private:
  friend struct TableBreaker;  // of tests
  std::set<Deferred> by_job_;
  std::set<std::pair<WorkerId, AttemptId>> by_worker_;  // the same pairs
};

}  // namespace kernsweep::coordinator
