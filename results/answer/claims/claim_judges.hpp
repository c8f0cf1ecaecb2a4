// What fills in a judged claim. The kinds that need no statistics have a rule each, which fills in pairs,
// against, disagreements, verdict and the counts of `out`.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "results/answer/claims/claim_view.hpp"
#include "results/answer/outputs/bit_units.hpp"

namespace kernsweep {

// equal_bits: changing the named axes alone leaves the output as it is, bit by bit (BitUnits::compare).
void judge_bits(const OutputsOfResults& outputs, ClaimView& view, JudgedClaim& out);

// error_below: every job's error is below a bound. A wrong result whose error is within the bound is wrong
// for another reason, such as infinite elements: `error` is the largest error of the finite ones. It counts
// against the claim, but its error is not used. Also fills in wrong, lowest and highest.
void judge_errors(ClaimView& view, JudgedClaim& out);

// limited_by and ends_as: every job has a certain word, its class by the roofs or its outcome. One job with
// another word refutes them. Empty: the job has none.
void judge_words(const std::function<std::string_view(const SweepRows::Job&)>& word_of, ClaimView& view,
                 JudgedClaim& out);

// Of a pair by its index in ClaimEvidence::pairs, or of a point of a claim with one side: its words and
// results.
using DescribePair = std::function<Disagreement(std::size_t)>;

// Sets verdict, against, disagreements, open and needed by `out.evidence`.
void take_evidence(JudgedClaim& out, const DescribePair& describe);

}  // namespace kernsweep
