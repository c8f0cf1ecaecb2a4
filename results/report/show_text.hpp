// One result as text for people: the lines that matter, and everything else.
#pragma once

#include <string>

#include "results/read/show.hpp"

namespace kernsweep {

// At most ten lines, "label  value", each left out where nothing is known of it: which result it is, its
// point, status and grade with the reasons, its times, rates, share of the roof (after add_share()),
// output, library, and where it was measured; then `more`, the command that tells the rest, unless it is
// empty. Times are in a fitting unit; the moment is UTC.
std::string summary_of(const Shown& shown, const std::string& more);

// Every section with every entry; empty texts and counts of host and software that are not known are left
// out.
std::string text_of(const Shown& shown);

}  // namespace kernsweep
