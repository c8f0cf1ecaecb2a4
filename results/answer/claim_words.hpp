// limited_by and ends_as: claims that every job has a certain word, its class by the roofs or its outcome.
// No statistics: one job with another word refutes them.
#pragma once

#include "results/answer/claim_view.hpp"
#include "results/read/reader.hpp"

namespace kernsweep {

// Finds the class of every job that the claim is about and that counts for it, against the roofs of the
// same database. Three questions to the database for each job.
Status add_bounds(Reader& reader, const ClaimView& view, ClaimRows& rows);

void judge_words(const ClaimRows& rows, ClaimView& view, JudgedClaim& out);

}  // namespace kernsweep
