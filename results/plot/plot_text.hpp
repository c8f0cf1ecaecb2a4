// A picture as text for a terminal.
#pragma once

#include <string>

#include "results/plot/picture.hpp"
#include "results/text/heat.hpp"

namespace kernsweep {

// The heading, each plot, a legend with a mark for each series, and the notes. Lines have at most
// screen.columns characters (at least 30; 80 if the width is not known), unless a word is longer. With
// screen.ascii only names have characters that are not ASCII.
std::string text_of(const Picture& picture, const Screen& screen);

}  // namespace kernsweep
