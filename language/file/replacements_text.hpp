// Replacements as text, so that a database can keep what the command line changed and `resume` can repeat
// it.
#pragma once

#include <string>

#include "language/space/expansion.hpp"

namespace kernsweep {

// One per line, in the order given: "axis threads=[1,2]", "set measure.processes=5", "only ...", "sample
// 10%", "quick", "point 7". Last "order shuffle", when that is the order of a file that names none.
std::string text_of(const Replacements& replacements);
// Lines that are not understood are left out: a newer version's. A text without the order is of a version
// that took the points as the file lists them, and is read so: the numbers of its jobs stay what they were.
Replacements replacements_of(const std::string& text);

}  // namespace kernsweep
