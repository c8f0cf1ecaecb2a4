// Replacements as text: a database stores what the command line has changed, and `resume` repeats it.
#pragma once

#include <string>

#include "language/space/expansion.hpp"

namespace kernsweep {

// One per line, in the order given: "axis threads=[1,2]", "set measure.processes=5", "left_out
// RULE<tab>WHY", "only ...", "sample 10%", "quick", "point 7". The last line is "order shuffle" if the
// default order is that.
std::string text_of(const Replacements& replacements);
// Unknown lines are ignored: a newer version wrote them. A text without the order is from a version that
// took the points as the file lists them, and is read with that order, so that the numbers of its jobs do
// not change.
Replacements replacements_of(const std::string& text);

}  // namespace kernsweep
