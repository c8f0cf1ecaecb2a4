// One line of the log file.
#pragma once

#include <string>
#include <vector>

#include "shared/base/log.hpp"

namespace kernsweep {

// One JSON object without a line's end: "time" (now, UTC, milliseconds), then the fields in their order.
// What is no UTF-8 is replaced; a number that JSON cannot say is null.
std::string json_line(const std::vector<LogField>& fields);

}  // namespace kernsweep
