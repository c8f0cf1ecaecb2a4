#include "coordinator/core/owed.hpp"

namespace kernsweep::coordination {

void OwedReleases::add(const AttemptId& attempt, WorkerId worker) {
  if (by_job_.size() >= kMax) return;
  by_job_.emplace(attempt, worker);
  by_worker_.emplace(worker, attempt);
}

std::vector<OwedReleases::Owed> OwedReleases::take_below(const JobId& job, std::uint64_t number) {
  std::vector<Owed> taken;
  auto at = by_job_.lower_bound({AttemptId{job, 0}, WorkerId{}});
  while (at != by_job_.end() && at->first.job == job && at->first.number < number) {
    taken.push_back(*at);
    by_worker_.erase({at->second, at->first});
    at = by_job_.erase(at);
  }
  return taken;
}

std::vector<OwedReleases::Owed> OwedReleases::take_all() {
  std::vector<Owed> taken(by_job_.begin(), by_job_.end());
  by_job_.clear();
  by_worker_.clear();
  return taken;
}

void OwedReleases::forget(WorkerId worker) {
  for (const AttemptId& attempt : of(worker)) {
    by_job_.erase({attempt, worker});
    by_worker_.erase({worker, attempt});
  }
}

std::vector<AttemptId> OwedReleases::of(WorkerId worker) const {
  std::vector<AttemptId> attempts;
  for (auto at = by_worker_.lower_bound({worker, AttemptId{}});
       at != by_worker_.end() && at->first == worker; ++at) {
    attempts.push_back(at->second);
  }
  return attempts;
}

}  // namespace kernsweep::coordination
