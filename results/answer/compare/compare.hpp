// Compares two sets of results, point by point: same, faster, slower, or undecided.
//
// The statistics are those of shared/stats/contest.hpp; docs/internals/comparing.md describes rules and
// limits. Ratios are B over A: above 1, B takes longer.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "results/answer/compare/operand.hpp"
#include "results/answer/compare/time_difference.hpp"
#include "results/roofs/implausible.hpp"

namespace kernsweep {

struct CompareQuestion {
  Side a, b;
  std::string sweep;          // for sides that name none; empty: the newest
  std::string where;          // SQL over the columns of the sweep's view; empty: all
  char worst_grade = 'B';     // rows graded worse are left out
  bool other_inputs = false;  // compare although the inputs differ
  EvidenceRules rules;
};

struct ComparedSide {
  std::string text;                                      // "first-look@2 in first-look.db, variant=blas"
  std::string imported_from;                             // as BestAnswer
  std::uint64_t jobs = 0, failed = 0, graded_below = 0;  // looked at; left out
  std::uint64_t disturbed = 0;           // results that count, with what a disturbance may have cost them
  std::vector<Implausible> implausible;  // of those graded below
  std::uint64_t points = 0, alone = 0;   // with a time; without a partner
};

// A point that both sides have, in one state of the caches, on one kind of host.
struct ComparedPair {
  std::vector<Value> parameters;          // of each of CompareAnswer::differing
  double a_median_s = 0, b_median_s = 0;  // of the processes' medians
  TimeDifference difference;              // of what the sides do not share
  double p = 1;                           // adjusted for the number of pairs
  TimeVerdict verdict = TimeVerdict::undecided;
  std::uint64_t a_result = 0, b_result = 0;  // one result of each side
  bool is_bounded() const { return std::isfinite(difference.bounds.high); }
  // Processes of each side that would decide it; 0: it is decided, or that is not known.
  std::size_t processes_needed() const {
    return verdict == TimeVerdict::undecided ? difference.processes_needed : 0;
  }
};

struct CompareAnswer {
  std::string not_comparable;  // why; then there is no number below. Empty: compared
  ComparedSide a, b;
  EvidenceRules rules;                 // by which it was judged
  NamedValues everywhere;              // parameters that are the same in all pairs
  std::vector<std::string> differing;  // parameters that are not
  std::vector<ComparedPair> rows;
  std::uint64_t pairs = 0;
  std::uint64_t other_inputs = 0;   // pairs left out, or with question.other_inputs kept, for their inputs
  std::uint64_t other_outputs = 0;  // pairs whose outputs differ, where nothing says which one is right
  std::uint64_t identical = 0;      // pairs that are the same stored measurements
  // Measurements that both sides of a pair hold, because one sweep took them over from the other, or one
  // file is a copy of the other. They are no evidence that the sides are alike, and are left out on both:
  // so many, of so many pairs that keep others; and pairs that are left out because one side has no others.
  std::uint64_t shared = 0, shared_pairs = 0, nothing_own = 0;
  std::uint64_t single = 0;    // pairs with too few processes on a side: UNDECIDED, whatever the times
  std::uint64_t compared = 0;  // pairs that were tested: what p is adjusted for
  std::uint64_t same = 0, faster = 0, slower = 0, undecided = 0;
  // Geometric mean over the pairs: shared/stats/mean_ratio.hpp. Of one pair its ratio and its bounds.
  double mean_ratio = 1;
  Interval mean_bounds{1, 1};
  std::vector<std::string> notes;  // what differs besides: hosts, software; each a sentence
  // SLOWER when any pair is; otherwise UNDECIDED, FASTER, SAME, the first of them that any pair is.
  TimeVerdict verdict = TimeVerdict::same;
};

// `a` and `b` may be one and the same reader. Errors: what find_side, read_side and pair_points say, and
// sides of which only one is a value of an axis.
Result<CompareAnswer> compare(Reader& a, Reader& b, const CompareQuestion& question);

}  // namespace kernsweep
