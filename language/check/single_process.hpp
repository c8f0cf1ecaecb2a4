// The note that is printed before a sweep whose points have one process each.
#pragma once

#include <string>

#include "language/space/expansion.hpp"

namespace kernsweep {

// The note says that times will have no bounds and, unless each point is known to be a problem of its own,
// that no setting will be shown to be faster; and what to set. Empty if nothing is lost: if a point has
// more than one process, if there are no claims and fewer than two of `points` to compare, or if the sweep
// claims only what needs no statistics (bits, errors, outcomes, what limits).
std::string note_of_single_process(const Expansion& expansion, std::uint64_t points);

}  // namespace kernsweep
