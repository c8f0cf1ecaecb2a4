// An answer as a list of checks, for programs that read it: a JUnit report, annotations of GitHub.
//
// One check is one pair of a comparison, or one claim.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/answer/claims/claims.hpp"
#include "results/answer/compare/compare.hpp"

namespace kernsweep {

enum class AnswerCheckState : std::uint8_t {
  passed = 1,     // same, faster; confirmed
  failed,         // slower; refuted
  undecided,      // undecided; without a number
  not_comparable  // nothing was compared
};

struct AnswerCheck {
  std::string name;     // "m=64 threads=2", "two threads pay"
  std::string message;  // one line: the number, how sure it is, what is missing
  AnswerCheckState state = AnswerCheckState::passed;
  std::string file;  // the file of the claim; empty: none
  int line = 0;      // of the claim, from 1; 0: not known
};

struct AnswerChecks {
  std::string name;  // of the list: "compare gemm@2 with gemm@1"
  std::vector<AnswerCheck> checks;
};

// A comparison that found no pair has one check, not_comparable.
AnswerChecks checks_of(const CompareAnswer& answer);
AnswerChecks checks_of(const ClaimsAnswer& answer);

// A document of JUnit's form: one test suite with a test case for each check. failed: `failure`; undecided:
// `skipped`; not_comparable: `error`. Characters that XML does not allow are replaced.
std::string junit_of(const AnswerChecks& checks);
// Commands of GitHub's workflows, a line each: error for failed and not_comparable, warning for undecided;
// nothing for passed checks. GitHub shows the first ten of a kind, so failed ones come first.
std::string annotations_of(const AnswerChecks& checks);

}  // namespace kernsweep
