// Whether changing some axes alone leaves the output as it is, bit by bit.
//
// In each group of points that agree in everything but the named axes, all are held against the first.
// Parameters that are NULL for some values of a named axis and not for others do not count as a difference,
// as in results/answer/bits.hpp. Points whose own repetitions or processes differ say nothing about an axis
// and are left out, unless the axis is `process`. `software` holds the jobs of one point that were measured
// by one kind of software against those of another kind; what is one kind,
// results/read/software_classes.hpp says.
#pragma once

#include "results/answer/claim_view.hpp"

namespace kernsweep {

// Fills pairs, against, disagreements, verdict and the counts of `out`.
void judge_bits(const ClaimRows& rows, ClaimView& view, JudgedClaim& out);

}  // namespace kernsweep
