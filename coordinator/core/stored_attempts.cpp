#include "coordinator/core/stored_attempts.hpp"

#include <algorithm>
#include <tuple>

namespace kernsweep::coordinator {

void StoredAttempts::add_tried(const AttemptId& attempt) {
  tried_.push_back({attempt.job.host, attempt.number, attempt.job.index, attempt.job.index});
}

void StoredAttempts::add_outcome(const AttemptId& attempt) {
  const JobId& job = attempt.job;
  if (!outcomes_.empty()) {
    Run& back = outcomes_.back();
    if (back.host == job.host && back.number == attempt.number && back.last + 1 == job.index) {
      back.last = job.index;
      return;
    }
  }
  outcomes_.push_back({job.host, attempt.number, job.index, job.index});
}

void StoredAttempts::arrange() {
  for (std::vector<Run>* runs : {&tried_, &outcomes_}) {
    std::sort(runs->begin(), runs->end(), [](const Run& a, const Run& b) {
      return std::tie(a.host, a.first, b.number) < std::tie(b.host, b.first, a.number);
    });
    const auto same = [](const Run& a, const Run& b) { return a.host == b.host && a.first == b.first; };
    runs->erase(std::unique(runs->begin(), runs->end(), same), runs->end());
  }
}

std::uint32_t StoredAttempts::number_in(const std::vector<Run>& runs, const JobId& job) {
  const auto after =
      std::upper_bound(runs.begin(), runs.end(), job, [](const JobId& wanted, const Run& run) {
        return std::tie(wanted.host, wanted.index) < std::tie(run.host, run.first);
      });
  if (after == runs.begin()) return 0;
  const Run& run = *(after - 1);
  return run.host == job.host && job.index <= run.last ? run.number : 0;
}

bool StoredAttempts::covers(const AttemptId& attempt) const {
  return attempt.number <= number_in(tried_, attempt.job) ||
         attempt.number <= number_in(outcomes_, attempt.job);
}

}  // namespace kernsweep::coordinator
