// The findings of `kernsweep doctor` as text.
#pragma once

#include <string>
#include <vector>

#include "worker/host/doctor/check_finding.hpp"

namespace kernsweep {

// One aligned line per finding below the name of its group; the verdict `bad` is in capitals. Findings that
// are not good (with `all`: all findings) are followed by why they matter and what to do. The last line
// counts the verdicts.
std::string doctor_text(const std::vector<CheckFinding>& findings, bool all);

}  // namespace kernsweep
