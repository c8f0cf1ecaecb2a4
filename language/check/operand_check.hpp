// Checks the texts of `operands` and `input.NAME` at the points that are measured: a shape of text, a
// negative extent or an unknown distribution would fail every such job on its host.
#pragma once

#include "language/space/expansion.hpp"

namespace kernsweep {

// Checks all points, or kPointsTried (kind_check.hpp) of them, evenly drawn, if there are more. Error: the
// place of the operand, what is wrong, and the point.
Status check_operands(const Sweep& sweep, const Expansion& expansion);

}  // namespace kernsweep
