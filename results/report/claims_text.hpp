// Evaluated claims as a table, as sentences, and as JSON.
#pragma once

#include <string>

#include "results/answer/claims/claims.hpp"

namespace kernsweep {

// The result and the claim, as one sentence.
std::string sentence_of(const JudgedClaim& claim);
// A table, a sentence for each claim, and the count of verdicts.
std::string text_of(const ClaimsAnswer& answer, const ClaimsQuestion& question);
std::string to_json(const ClaimsAnswer& answer);

}  // namespace kernsweep
