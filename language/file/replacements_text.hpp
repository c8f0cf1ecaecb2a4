// Replacements as text: a database stores what the command line has changed, and `resume` repeats it.
#pragma once

#include <string>

#include "language/space/expansion.hpp"

namespace kernsweep {

// One per line, in the order given: "axis threads=[1,2]", "set measure.processes=5", "only ...", "sample
// 10%", "quick", "point 7". The last lines are "order shuffle" if the default order is that, and "order_seed
// 5" once the order was drawn.
std::string text_of(const Replacements& replacements);
// The text without what was drawn: two sweeps of equal text are the same one.
std::string as_asked(const std::string& text);
// Unknown lines are ignored: a newer version wrote them. A text without the order is from a version that
// took the points as the file lists them, and is read with that order, so that the numbers of its jobs do
// not change.
Replacements replacements_of(const std::string& text);

}  // namespace kernsweep
