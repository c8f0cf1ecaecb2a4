// Whether every job's error is below a bound. Errors are no measurements that vary: each is what it is.
//
// A wrong result whose error is within the bound is wrong in something that the error does not tell, such
// as infinite elements: `error` is the largest of the finite ones. It is against the claim, and its error
// is no number of it.
#pragma once

#include "results/answer/claim_view.hpp"

namespace kernsweep {

// Fills pairs, against, wrong, lowest, highest, disagreements, verdict and the counts of `out`.
void judge_errors(const ClaimRows& rows, ClaimView& view, JudgedClaim& out);

}  // namespace kernsweep
