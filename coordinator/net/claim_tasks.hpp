// The claims of a sweep file, in the form that results/ evaluates.
#pragma once

#include <vector>

#include "language/file/claims.hpp"
#include "results/answer/claims/claims.hpp"

namespace kernsweep {

// In the order given. A claim whose `where` cannot be computed for a point is not about that point.
std::vector<ClaimTask> tasks_of(std::vector<ReadClaim> claims);

}  // namespace kernsweep
