// The claims of a stored sweep, read from its text and judged from its results.
#pragma once

#include <optional>

#include "results/answer/claims.hpp"

namespace kernsweep {

// Nothing: the sweep has no claims. Errors: no such sweep, a database that cannot be read.
Result<std::optional<ClaimsAnswer>> claims_of_sweep(Reader& reader, const ClaimsQuestion& question);

}  // namespace kernsweep
