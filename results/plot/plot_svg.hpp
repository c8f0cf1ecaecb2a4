// A picture as SVG, for papers and slides.
#pragma once

#include <string>

#include "results/plot/picture.hpp"

namespace kernsweep {

// One SVG 1.1 document: the plots one below the other on white ground, a legend, and the notes. Lines
// differ by their marks and dashes as well as by colour; text in the picture is text elements. The same
// picture gives the same bytes. No scripts, no fonts, no external resources.
std::string svg_of(const Picture& picture);

}  // namespace kernsweep
