// Makes the rules of a comparison from the options of the command line.
#pragma once

#include <cstdint>
#include <string>

#include "shared/base/result.hpp"
#include "shared/stats/comparison.hpp"

namespace kernsweep {

// `threshold` and `seed`: the words of --threshold and --seed. Error: `threshold` is not a share above 0.
Result<ComparisonRules> comparison_rules(const std::string& threshold, std::uint64_t seed);

// Exit statuses for the verdict on times; --help and the documentation list them.
constexpr int kExitSameOrFaster = 0;
constexpr int kExitSlower = 1;
constexpr int kExitAmbiguous = 2;
constexpr int kExitNotComparable = 3;
int exit_status_of(TimeVerdict verdict);

}  // namespace kernsweep
