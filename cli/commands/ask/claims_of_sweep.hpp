// Reads the claims of a stored sweep from its text, and evaluates them with its results.
#pragma once

#include <optional>

#include "results/report/claims_text.hpp"

namespace kernsweep {

// nullopt: the sweep has no claims. Errors: no such sweep, the claims or the database cannot be read.
Result<std::optional<ClaimsAnswer>> claims_of_sweep(Reader& reader, const ClaimsQuestion& question);

}  // namespace kernsweep
