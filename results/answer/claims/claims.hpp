// Judges the claims of a sweep by its results: confirmed, refuted, undecided.
//
// docs/internals/claims.md describes rules and limits; results/answer/claims/claim_evidence.hpp does the
// statistics. Points are paired as in a comparison (results/answer/compare/pairs.hpp). The axes that a
// claim names may differ within a pair, and so may inputs, because a claim about data types compares
// different inputs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "results/answer/claims/claim_evidence.hpp"
#include "results/answer/compare/pair_outputs.hpp"
#include "results/read/reader.hpp"
#include "results/roofs/implausible.hpp"

namespace kernsweep {

// A claim, and its `where` as a function, because this room may not use expressions.
struct ClaimTask {
  Claim claim;
  std::vector<std::string> names;  // columns that `where` reads
  // Of their values, in that order; what cannot be decided is false. Empty: all points.
  std::function<bool(std::span<const Value>)> where;
  // Of a sweep that has not ended: how many points, in each state of the caches, it has for this claim.
  // Nothing: as many as have been measured, or, when `unfinished`, an unknown number.
  std::optional<std::uint64_t> points;
  bool unfinished = false;
};

struct ClaimsQuestion {
  std::string sweep;       // as Reader::find_sweep takes it
  char worst_grade = 'B';  // rows graded worse are left out
  EvidenceRules rules;
};

// A pair that speaks against a claim, or a point of a claim that has one side.
struct Disagreement {
  std::string point;  // what tells the pair from others: "m=64 threads=2"; empty: there is only one
  // ratio; of at_least, at_most and error_below: the metric, the error; of equal_bits: nothing
  double number = 1;
  Interval bounds{0, HUGE_VAL};
  std::uint64_t first = 0, second = 0;  // results to look at; 0: there is none
  std::string word;                     // limited_by, ends_as: what was found instead
};
inline constexpr std::size_t kDisagreementsMax = 1000;

struct JudgedClaim {
  Claim claim;
  ClaimVerdict verdict = ClaimVerdict::undecided;
  std::string reason;  // why it is undecided without a number; then only the counts below mean something
  // faster, less_memory: than / side. at_least, at_most: how far on the right side of the bound, 1 is the
  // bound. error_below: bound / error. Not for equal_bits, limited_by and ends_as.
  ClaimEvidence evidence;
  std::string unit;                // of the metric, as unit_in has it
  double lowest = 0, highest = 0;  // of the metric or the error, for claims with a bound
  std::uint64_t pairs = 0;         // or points, or jobs: what was looked at
  std::uint64_t against = 0;
  std::vector<Disagreement> disagreements;  // the worst first, at most kDisagreementsMax
  // Jobs that the claim is about; left out of them.
  std::uint64_t jobs = 0, failed = 0, graded_below = 0, without = 0;  // without: the metric, hash or error
  std::uint64_t alone = 0;                                            // points without a partner
  // Points that the claim is about (in one state of the caches); those of which every row was left out for
  // its grade; those that have no number for another reason, such as that they were never measured.
  std::uint64_t points = 0, lost = 0, no_result = 0;
  std::uint64_t unmeasured = 0;  // of those without a number: not tried
  std::uint64_t wrong =
      0;  // error_below: jobs with a wrong result of which no error above the bound is known
  // What is missing, if the results so far would confirm the claim: "3 of 8 points have no result". A claim
  // is not confirmed while results are missing, because they might refute it.
  std::string missing;
  std::uint64_t not_repeatable = 0;          // equal_bits: points that differ from themselves
  std::uint64_t other_inputs = 0;            // equal_bits: pairs left out, because their inputs differ
  std::vector<std::uint64_t> other_outputs;  // at_least, at_most: results whose output is not that of most
  // Undecided, and further processes may decide it: a result of each point of a pair that is open,
  // ascending, and how many processes a point would do; 0: more than can be foreseen.
  std::vector<std::uint64_t> open;
  std::size_t needed = 0;
  PairOutputs outputs;  // faster, less_memory: pairs whose outputs differ, where nothing says what is right
};

struct ClaimsAnswer {
  std::string sweep;
  std::string file;  // the sweep file, as it was given
  SweepId id;
  std::vector<JudgedClaim> claims;  // as given
  std::uint64_t confirmed = 0, refuted = 0, undecided = 0;
  std::vector<Implausible> implausible;  // of the sweep: graded X, and left out wherever grades count
};

// Errors: no such sweep, the database cannot be read, more pairs than pair_points takes.
Result<ClaimsAnswer> judge(Reader& reader, const std::vector<ClaimTask>& tasks,
                           const ClaimsQuestion& question);

}  // namespace kernsweep
