// Outcomes that nobody believes and that cannot be released yet: a row of their job is under way to the
// store and may be their own, or another worker has the same attempt, as after a restart that knew of none.
// Who sent one is told to forget it when the job has got further: with a row of it, or with a newer
// attempt.
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

// Of one sweep. Bounded: beyond kMax an outcome is not remembered, and answered when its worker joins
// again.
class DeferredReleases {
 public:
  using Deferred = std::pair<AttemptId, WorkerId>;  // to whom

  static constexpr std::size_t kMax = std::size_t{1} << 16;

  void add(const AttemptId& attempt, WorkerId worker);
  // Takes out those of attempts of this job whose number is below `number`.
  std::vector<Deferred> take_below(const JobId& job, std::uint64_t number);
  using Test = std::function<bool(const AttemptId&)>;
  std::vector<Deferred> take_if(const Test& test);  // costs a look at each
  bool any_of(WorkerId worker, const Test& test) const;
  void forget(WorkerId worker);  // its session is over
  const std::set<Deferred>& all() const { return by_job_; }
  std::size_t size() const { return by_job_.size(); }
  std::optional<std::string> check_invariants() const;  // as Core's

 private:
  friend struct TableBreaker;  // of tests
  std::set<Deferred> by_job_;
  std::set<std::pair<WorkerId, AttemptId>> by_worker_;  // the same
};

}  // namespace kernsweep::coordinator
