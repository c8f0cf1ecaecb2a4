// Lines for the operator, on stderr, with time and level. What a user must act on is an Error, not a line
// here.
#pragma once

#include <string>

namespace kernsweep {

enum class LogLevel { debug, info, warning, error };

// Default: warnings and errors.
void set_log_level(LogLevel least);
void log_line(LogLevel level, const std::string& text);

}  // namespace kernsweep
