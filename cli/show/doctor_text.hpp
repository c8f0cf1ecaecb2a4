// The findings of `kernsweep doctor` for a person.
#pragma once

#include <string>
#include <vector>

#include "worker/host/doctor/check_finding.hpp"

namespace kernsweep {

// One aligned line for each finding under its group's name, the bad ones in capitals; below those that are
// not good, why it matters and what to do (with `all`: below all). The last line counts the verdicts.
std::string doctor_text(const std::vector<CheckFinding>& findings, bool all);

}  // namespace kernsweep
