// Checks what `operands` and `input.NAME` say at the points that are measured: a shape of text, a negative
// extent or a distribution that is none would fail every such job on its host.
#pragma once

#include "language/space/expansion.hpp"

namespace kernsweep {

// Looks at all points, of more than kPointsTried (kind_check.hpp) at so many, evenly drawn. Error: the
// place of the operand, what is wrong, and the point.
Status check_operands(const Sweep& sweep, const Expansion& expansion);

}  // namespace kernsweep
