// Makes the rules of a comparison from the options of the command line.
#pragma once

#include <string>

#include "results/answer/compare/time_difference.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// `margin`: the words of --margin. Error: it is not a share above 0 and below 1.
Result<EvidenceRules> comparison_rules(const std::string& margin);

// Exit statuses of commands that answer a question; --help and the documentation list them.
constexpr int kExitAsHoped = 0;     // same or faster; all claims are confirmed
constexpr int kExitNotAsHoped = 1;  // slower; a claim is refuted
constexpr int kExitNotComparable = 3;
constexpr int kExitUndecided = 4;
int exit_status_of(TimeVerdict verdict);

}  // namespace kernsweep
