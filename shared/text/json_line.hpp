// One line of the log file.
#pragma once

#include <string>
#include <vector>

#include "shared/base/log.hpp"

namespace kernsweep {

// One JSON object without a newline: "time" (now, UTC, milliseconds), then the fields in their order. Bytes
// that are not UTF-8 are replaced; a number that is not finite is null.
std::string json_line(const std::vector<LogField>& fields);

}  // namespace kernsweep
