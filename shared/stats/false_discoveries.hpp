// Correction for many tests at once: at 1 %, one of a hundred true hypotheses is rejected by chance. Pure.
#pragma once

#include <span>
#include <vector>

namespace kernsweep {

// The p-values adjusted after Benjamini and Hochberg (1995): rejecting all whose adjusted p is at most q
// keeps the expected share of false ones among the rejected at q or below, for independent or positively
// dependent tests. In the order given; adjusted(i) = min over j with p(j) >= p(i) of p(j) * count /
// rank(j), at most 1. Requires 0 <= p <= 1.
std::vector<double> benjamini_hochberg(std::span<const double> p);

}  // namespace kernsweep
