// The contests of a sweep: of each problem what is decided, and what could be measured further to decide
// it.
#pragma once

#include <cstdint>
#include <vector>

#include "results/read/reader.hpp"
#include "shared/stats/contest.hpp"

namespace kernsweep {

// The rules by which answers about this sweep decide. Where it was looked at while it ran, and ended by
// what was seen, each look errs with a share of alpha (kLookShare).
EvidenceRules rules_for(const SweepRecord& record, EvidenceRules rules);

struct ProblemContest {
  ContestVerdict verdict = ContestVerdict::alone;
  // leads: positions of the points, the leader first, then what it is not shown to be faster than.
  std::vector<std::uint64_t> open;
  std::size_t needed = 0;  // leads: ContestResult::processes_needed
  double process_s = 0;    // leads: what one process of each of these takes together, preparing included
};

struct SweepContests {
  std::vector<ProblemContest> problems;
  // What the jobs have taken together, preparing included: of the processes that each point has, and of
  // those beyond them. Seconds.
  double first_s = 0, more_s = 0;
};

// By the time, as best() judges it. Error: the database cannot be read.
Result<SweepContests> contests_of(Reader& reader, SweepId sweep);

}  // namespace kernsweep
