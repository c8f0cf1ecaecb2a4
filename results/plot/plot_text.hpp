// A picture as text for a terminal.
#pragma once

#include <string>

#include "results/plot/picture.hpp"
#include "results/text/heat.hpp"

namespace kernsweep {

// The heading, each plot, a legend with a mark for each series, and the notes. Lines have at most
// screen.columns characters (30 at least; 80 where the width is not known), but for a word that is longer.
// With screen.ascii nothing but names has other characters.
std::string text_of(const Picture& picture, const Screen& screen);

}  // namespace kernsweep
