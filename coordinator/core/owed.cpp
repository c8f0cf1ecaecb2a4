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

std::vector<OwedReleases::Owed> OwedReleases::take_if(const Test& test) {
  std::vector<Owed> taken;
  for (auto at = by_job_.begin(); at != by_job_.end();) {
    if (!test(at->first)) {
      ++at;
      continue;
    }
    taken.push_back(*at);
    by_worker_.erase({at->second, at->first});
    at = by_job_.erase(at);
  }
  return taken;
}

bool OwedReleases::any_of(WorkerId worker, const Test& test) const {
  for (auto at = by_worker_.lower_bound({worker, AttemptId{}});
       at != by_worker_.end() && at->first == worker; ++at) {
    if (test(at->second)) return true;
  }
  return false;
}

void OwedReleases::forget(WorkerId worker) {
  auto at = by_worker_.lower_bound({worker, AttemptId{}});
  while (at != by_worker_.end() && at->first == worker) {
    by_job_.erase({at->second, worker});
    at = by_worker_.erase(at);
  }
}

}  // namespace kernsweep::coordination
