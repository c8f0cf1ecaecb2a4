// How many points of a sweep its own rules reject (`exclude`, `constraints`, --only, --sample), and by
// which rule.
//
// Counting stops at a limit, so a space of 100 million points costs no more than a small one; the counts
// are then lower bounds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "language/check/explain.hpp"
#include "language/space/expansion.hpp"

namespace kernsweep {

struct Rejections {
  std::uint64_t raw_points = 0;  // before filters
  std::uint64_t rejected = 0;    // a lower bound, unless `exact`
  bool exact = false;
  std::vector<std::uint64_t> by_rule;  // of `rejected`; by position in Expansion::filters()
};

// The counts of rejected points in a report.
Rejections rejections_of(const CheckReport& report);

// "3 of 6 points are rejected: 2 by threads <= m (too many threads), 1 by --only m > 2", in one line,
// sorted by the number of rejected points; with "at least" if the counts are lower bounds. Empty if no
// point is known to be rejected. `verb`: are, or were.
std::string text_of(const Rejections& rejections, const Expansion& expansion, std::string_view verb);

// Error, with the rules, if every point is rejected. Checks points in the order of the jobs until one is
// not rejected or a limit is reached; no error if a limit is reached.
Status leaves_a_point(const Expansion& expansion, const CheckLimits& limits);

}  // namespace kernsweep
