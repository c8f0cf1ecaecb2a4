// The kinds of claims that need no statistics, each judged by its rule.
#pragma once

#include "results/answer/claims/claim_view.hpp"
#include "results/read/reader.hpp"

namespace kernsweep {

// equal_bits: changing the named axes alone leaves the output as it is, bit by bit. In each group of points
// that agree in everything else, all are compared with the first. Parameters that are NULL for some values
// of a named axis and not for others do not count as a difference, as in results/answer/bits.hpp. Points
// whose own repetitions or processes differ say nothing about an axis and are left out, unless the axis is
// `process`. `software` compares the jobs of one point that were measured by different kinds of software
// (results/read/software_classes.hpp).
// Fills pairs, against, disagreements, verdict and the counts of `out`.
void judge_bits(const ClaimRows& rows, ClaimView& view, JudgedClaim& out);

// error_below: every job's error is below a bound. A wrong result whose error is within the bound is wrong
// for another reason, such as infinite elements: `error` is the largest error of the finite ones. It counts
// against the claim, but its error is not used. Fills pairs, against, wrong, lowest, highest,
// disagreements, verdict and the counts of `out`.
void judge_errors(const ClaimRows& rows, ClaimView& view, JudgedClaim& out);

// Finds, for limited_by, the class of every job that the claim is about and that counts for it, by the
// roofs of the same database. Needs three queries for each job.
Status add_bounds(Reader& reader, const ClaimView& view, ClaimRows& rows);

// limited_by and ends_as: every job has a certain word, its class by the roofs or its outcome. One job with
// another word refutes them.
void judge_words(const ClaimRows& rows, ClaimView& view, JudgedClaim& out);

}  // namespace kernsweep
