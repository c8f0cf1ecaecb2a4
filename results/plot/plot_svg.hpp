// A picture as SVG, for papers and slides.
#pragma once

#include <string>

#include "results/plot/picture.hpp"

namespace kernsweep {

// One SVG 1.1 document: the plots one below the other on white ground, a legend, and the notes. Lines
// differ by their marks and dashes as well as by colour; what is text in the picture stays text. The same
// picture has the same bytes. No scripts, no fonts, nothing from outside.
std::string svg_of(const Picture& picture);

}  // namespace kernsweep
