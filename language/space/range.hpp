// Ranges of an axis: both ends included, whole numbers exact.
#pragma once

#include <string>
#include <vector>

#include "language/space/axis.hpp"

namespace kernsweep {

// What `range`, `step`, `mul` and `pow2` of `spec` (a mapping with one of `range` and `pow2`) stand for, as
// one field called `name`. A range whose end is not met says so in `notes`.
Result<AxisField> read_range(const std::string& name, const Node& spec, std::vector<std::string>& notes);

}  // namespace kernsweep
