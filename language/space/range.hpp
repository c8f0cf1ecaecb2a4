// Ranges of an axis: both ends included, whole numbers exact.
#pragma once

#include <string>
#include <vector>

#include "language/space/axis.hpp"

namespace kernsweep {

// The values of `range`, `step`, `mul` and `pow2` in `spec` (a mapping with one of `range` and `pow2`), as
// one field called `name`. Adds a note to `notes` if the range misses its end.
Result<AxisField> read_range(const std::string& name, const Node& spec, std::vector<std::string>& notes);

}  // namespace kernsweep
