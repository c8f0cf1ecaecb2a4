// The rules by which times are compared, as the command line gives them.
#pragma once

#include <cstdint>
#include <string>

#include "shared/base/result.hpp"
#include "shared/stats/comparison.hpp"

namespace kernsweep {

// `threshold` as --threshold has it, `seed` as --seed. Error: a threshold that is no share above 0.
Result<ComparisonRules> comparison_rules(const std::string& threshold, std::uint64_t seed);

// What --help and docs promise of the verdict on times.
constexpr int kExitSameOrFaster = 0;
constexpr int kExitSlower = 1;
constexpr int kExitAmbiguous = 2;
constexpr int kExitNotComparable = 3;
int exit_status_of(TimeVerdict verdict);

}  // namespace kernsweep
