// Numbers of attempts that were stored before a restart, of jobs that have no accepted outcome: attempts
// that were lost or retried, and outcomes that were replaced. Neither these attempts nor earlier ones may
// be continued.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "shared/base/ids.hpp"

namespace kernsweep::coordinator {

// Attempts of one sweep; passed once, when it is submitted. Outcomes of consecutive jobs with the same
// attempt number take 24 bytes together, so that 10 million jobs that no host could run need little memory;
// all others take 24 bytes each.
class StoredAttempts {
 public:
  StoredAttempts() = default;
  StoredAttempts(std::initializer_list<AttemptId> tried) {
    for (const AttemptId& attempt : tried) add_tried(attempt);
  }

  void add_tried(const AttemptId& attempt);
  // At most one for each job.
  void add_outcome(const AttemptId& attempt);
  // Must be called after the last add and before the first covers().
  void arrange();

  // Whether this attempt of its job, or a later one, is stored.
  bool covers(const AttemptId& attempt) const;

 private:
  struct Run {
    std::uint32_t host, number;
    std::uint64_t first, last;  // jobs
  };
  static std::uint32_t number_in(const std::vector<Run>& runs, const JobId& job);

  std::vector<Run> tried_, outcomes_;  // arranged: by host and job, each job once
};

}  // namespace kernsweep::coordinator
