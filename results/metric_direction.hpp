// Which way a counted metric is better.
#pragma once

#include <string>

#include "shared/metric_name.hpp"
#include "shared/result.hpp"

namespace kernsweep {

// Larger or smaller, as the end of its name says. Error: it says nothing, and what to do.
Result<Better> better_of_counted(const std::string& name);

}  // namespace kernsweep
