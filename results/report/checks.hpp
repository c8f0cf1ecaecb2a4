// An answer as a list of checks, for programs that read it: a JUnit report, annotations of GitHub.
//
// One check is one pair of a comparison, or one claim.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/answer/claims.hpp"
#include "results/answer/compare.hpp"

namespace kernsweep {

enum class CheckState : std::uint8_t {
  passed = 1,     // same, faster; confirmed
  failed,         // slower; refuted
  undecided,      // undecided; without a number
  not_comparable  // nothing was compared
};

struct Check {
  std::string name;     // "m=64 threads=2", "two threads pay"
  std::string message;  // one line: the number, how sure it is, what is missing
  CheckState state = CheckState::passed;
  std::string file;  // where it is claimed; empty: nowhere
  int line = 0;      // of that, from 1; 0: not known
};

struct Checks {
  std::string name;  // of the whole: "compare gemm@2 with gemm@1"
  std::vector<Check> checks;
};

// A comparison that found no pair has one check, not_comparable.
Checks checks_of(const CompareAnswer& answer);
Checks checks_of(const ClaimsAnswer& answer);

// A document of JUnit's form: one test suite with a test case for each check. failed: `failure`; undecided:
// `skipped`; not_comparable: `error`. Characters that XML does not allow are replaced.
std::string junit_of(const Checks& checks);
// Commands of GitHub's workflows, a line each: error for failed and not_comparable, warning for undecided;
// nothing for what passed. GitHub shows the first ten of a kind, so failed ones come first.
std::string annotations_of(const Checks& checks);

}  // namespace kernsweep
