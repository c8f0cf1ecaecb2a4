// Evaluates an expression for all values of its columns, to find out in advance whether it can fail.
#pragma once

#include "language/plan/plan.hpp"

namespace kernsweep {

enum class Trial : std::uint8_t {
  never_fails,
  may_fail,      // fails for some values, or not all values were tried
  always_fails,  // for every value that it can read
};

// The result for `condition`, which reads axes, included columns and the derived columns made so far.
// Evaluates at most kTrialsMax times. A failure is ignored if a column that the condition reads is null.
// `message`: that of the first failure.
inline constexpr std::uint64_t kTrialsMax = 8192;
Trial try_out(const Plan& plan, const std::vector<std::size_t>& wheel_of, const Condition& condition,
              std::string& message);

}  // namespace kernsweep
