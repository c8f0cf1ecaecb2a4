// Tries an expression on everything that its columns can be, to know beforehand whether it can fail.
#pragma once

#include "language/plan/plan.hpp"

namespace kernsweep {

enum class Trial : std::uint8_t {
  never_fails,
  may_fail,      // fails for some, or there is too much to try
  always_fails,  // for every value that it can read
};

// What became of `condition`, which reads axes, included columns and the derived columns made so far. At
// most kTrialsMax evaluations; a failure where something read is null does not count. `message`: of the
// first failure.
inline constexpr std::uint64_t kTrialsMax = 8192;
Trial try_out(const Plan& plan, const std::vector<std::size_t>& wheel_of, const Condition& condition,
              std::string& message);

}  // namespace kernsweep
