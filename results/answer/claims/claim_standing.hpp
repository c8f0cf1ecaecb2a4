// What the evidence says about a claim: its verdict, what speaks against it, what is open.
#pragma once

#include <cstddef>
#include <functional>

#include "results/answer/claims/claims.hpp"

namespace kernsweep {

// Of a pair by its index in ClaimEvidence::pairs, or of a point of a claim with one side: its words and
// results.
using DescribePair = std::function<Disagreement(std::size_t)>;

// Sets verdict, against, disagreements, open and needed by `out.evidence`.
void take_evidence(JudgedClaim& out, const DescribePair& describe);

}  // namespace kernsweep
