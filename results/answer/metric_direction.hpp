// Whether a larger or a smaller value of a counted metric is better: as its results declare, or by its
// name.
#pragma once

#include <string>

#include "results/read/reader.hpp"
#include "shared/text/metric_name.hpp"

namespace kernsweep {

// Larger or smaller. Error: neither is known, with how to set it (`option`) or to declare it; or results
// declare both.
Result<Better> better_of_counted(Reader& reader, const std::string& name, const std::string& option);

}  // namespace kernsweep
