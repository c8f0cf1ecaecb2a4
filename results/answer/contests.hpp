// The contests of a sweep: of its problems and claims what is decided, and what could be measured further
// to decide the others.
#pragma once

#include <cstdint>
#include <vector>

#include "results/answer/claims/claims.hpp"
#include "results/read/reader.hpp"
#include "shared/stats/contest.hpp"

namespace kernsweep {

// The rules by which answers about this sweep decide. Where it was looked at while it ran, and ended by
// what was seen, each look errs with a share of alpha (kLookShare).
EvidenceRules rules_for(const SweepRecord& record, EvidenceRules rules);

// What is not decided, and may be by further processes.
struct Contest {
  // Positions of points: of a problem the leader first, then what it is not shown to be faster than; of a
  // claim both sides of each open pair.
  std::vector<std::uint64_t> points;
  std::size_t needed = 0;  // processes a point that would decide it; 0: more than can be foreseen
  double process_s = 0;    // what one process of each of these takes together, preparing included
};

struct SweepContests {
  std::uint64_t problems = 0;  // with two points or more that can be compared
  std::uint64_t claims = 0;
  std::uint64_t stuck = 0;  // claims that are undecided for another reason than the number of processes
  std::vector<Contest> open_problems, open_claims;
  // What the jobs have taken together, preparing included: of the processes that each point has, and of
  // those beyond them. Seconds.
  double first_s = 0, more_s = 0;
};

// By the time, as best() judges problems, and as judge() judges claims. Error: the database cannot be read.
Result<SweepContests> contests_of(Reader& reader, SweepId sweep, const std::vector<ClaimTask>& claims);

}  // namespace kernsweep
