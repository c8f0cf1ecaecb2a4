// Numbers of attempts that an earlier life has stored for jobs that have no answer: of those that were lost
// or retried, and of outcomes that gave way. Neither they nor smaller ones may be gone on with.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "shared/base/ids.hpp"

namespace kernsweep::coordinator {

// Attempts of one sweep, told once, when it is submitted. Outcomes with the same number of jobs that follow
// each other take 24 bytes together, so that 10 million jobs that no host could take cost nothing to speak
// of; all others take 24 bytes each.
class StoredAttempts {
 public:
  StoredAttempts() = default;
  StoredAttempts(std::initializer_list<AttemptId> tried) {
    for (const AttemptId& attempt : tried) add_tried(attempt);
  }

  void add_tried(const AttemptId& attempt);
  // Of each job at most one.
  void add_outcome(const AttemptId& attempt);
  // After the last add, before the first question.
  void arrange();

  // This attempt of its job, or a later one, is stored.
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
