// Replacements as text, so that a database can keep what the command line changed and `resume` can repeat
// it.
#pragma once

#include <string>

#include "coordinator/sweep/expansion.hpp"

namespace kernsweep {

// One per line, in the order given: "axis threads=[1,2]", "set measure.processes=5", "only ...", "sample
// 10%", "quick". Empty for none.
std::string text_of(const Replacements& replacements);
// Lines that are not understood are left out: a newer version's.
Replacements replacements_of(const std::string& text);

}  // namespace kernsweep
