#include "coordinator/core/deferred.hpp"

namespace kernsweep::coordinator {

void DeferredReleases::add(const AttemptId& attempt, WorkerId worker) {
  if (by_job_.size() >= kMax) return;
  by_job_.emplace(attempt, worker);
  by_worker_.emplace(worker, attempt);
}

std::vector<DeferredReleases::Deferred> DeferredReleases::take_below(const JobId& job,
                                                                     std::uint64_t number) {
  std::vector<Deferred> taken;
  auto at = by_job_.lower_bound({AttemptId{job, 0}, WorkerId{}});
  while (at != by_job_.end() && at->first.job == job && at->first.number < number) {
    taken.push_back(*at);
    by_worker_.erase({at->second, at->first});
    at = by_job_.erase(at);
  }
  return taken;
}

std::vector<DeferredReleases::Deferred> DeferredReleases::take_if(const Test& test) {
  std::vector<Deferred> taken;
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

bool DeferredReleases::any_of(WorkerId worker, const Test& test) const {
  for (auto at = by_worker_.lower_bound({worker, AttemptId{}});
       at != by_worker_.end() && at->first == worker; ++at) {
    if (test(at->second)) return true;
  }
  return false;
}

void DeferredReleases::forget(WorkerId worker) {
  auto at = by_worker_.lower_bound({worker, AttemptId{}});
  while (at != by_worker_.end() && at->first == worker) {
    by_job_.erase({at->second, worker});
    at = by_worker_.erase(at);
  }
}

}  // namespace kernsweep::coordinator
