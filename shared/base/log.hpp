// Log lines for the operator, on stderr, with time and level; and, for programs, a file of JSON lines. A
// failure that the user must act on is returned as an Error, not logged here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "shared/base/ids.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

enum class LogLevel { debug, info, warning, error };

// The lowest level that is printed to stderr. Default: warning.
void set_log_level(LogLevel least);
void log_line(LogLevel level, const std::string& text);
// Prints a line of level info to stderr, whatever level is set, because the user waits for it.
void announce(const std::string& text);

// The reason why this program ends: printed to stderr unchanged, and an error in the log file.
void complain(const std::string& text);
// Writes to the log file only; for text that the program prints in another way.
void log_quietly(LogLevel level, const std::string& text);

// From now on each line and each event is appended to `path` as one JSON object, whatever its level:
// {"time": "2026-11-21T16:43:05.094Z", "level": "warning", "text": ...} or {"time": ..., "event": "sent",
// "sweep": 1, "job": 17, "attempt": 1, ...}. To be called once, before other threads are started. Error:
// the file cannot be opened.
Status open_log_file(const std::string& path);
bool log_file_is_open();

struct LogField {
  std::string_view name;
  std::variant<std::uint64_t, double, std::string> value;
};
// The fields sweep, job and attempt; job_host with `hosts: each`; restarted if the point was restarted.
std::vector<LogField> fields_of(const AttemptId& attempt);
// Does nothing without a log file; check log_file_is_open() before fields are made.
void log_event(std::string_view event, const std::vector<LogField>& fields);

}  // namespace kernsweep
