// One result as text for the user: a summary, and all entries.
#pragma once

#include <string>

#include "results/read/show.hpp"

namespace kernsweep {

// At most ten entries, "label  value": result, point, status and grade with the reasons, times, rates,
// share of the roof (after add_share()), output, library, and where it was measured; then `more`, the
// command that shows the rest. Entries without a value are left out. Times have a suitable unit; dates are
// in UTC.
std::string summary_of(const Shown& shown, const std::string& more);

// Every section with all entries. Left out: empty texts (but not in `point`), and unknown values of host
// and software.
std::string text_of(const Shown& shown);

}  // namespace kernsweep
