// Replacements as text: a database stores what the command line has changed, and `resume` applies it again.
#pragma once

#include <string>

#include "language/space/expansion.hpp"

namespace kernsweep {

// One per line, in the order given: "axis threads=[1,2]", "set measure.processes=5", "left_out
// RULE<tab>WHY", "only ...", "sample 10%", "quick", "decide", "point 7". The last lines are "order shuffle"
// if that is the default order, "small_sweeps" and "decide_small" if small sweeps have more processes, and
// "order_seed 5" after the order was drawn.
std::string text_of(const Replacements& replacements);
// The text without what was drawn, and without small_sweeps and decide_small, whose effect is visible in
// the jobs: if two sweeps have the same text and the same jobs, the second one continues the first.
std::string as_asked(const std::string& text);
// Unknown lines are ignored: a newer version wrote them. A text without the order, small_sweeps or
// decide_small is from a version that took the points in the order of the file and gave 3 processes to each
// sweep, or 12 to small ones. It is read with these rules, so that the numbers of its jobs do not change.
Replacements replacements_of(const std::string& text);

}  // namespace kernsweep
