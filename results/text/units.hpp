// Formats numbers for the user: rounded, with a unit of suitable size. Files and JSON have plain units.
#pragma once

#include <cstdint>
#include <string>

namespace kernsweep {

// Three significant digits below 1000 s: "812 ns", "12.3 µs", "4.56 ms", "1.23 s"; "-" if not finite.
std::string text_of_seconds(double seconds);
// For waiting times: "812 ms", "12.3 s", "4 min 05 s", "3 h 20 min"; "-" if negative or not finite.
std::string text_of_wait(double seconds);
// For estimates of remaining time, in whole seconds, at least one: "1 s", "27 s", "4 min 05 s", "12 days",
// "more than a year".
std::string text_of_rest(double seconds);
// Events per second with three significant digits: "1.58/s", "0.0123/s", "12,300/s".
std::string text_of_rate(double per_second);
// Date and time in UTC, "2026-11-21T04:51:58Z", from seconds since 1970-01-01 UTC.
std::string text_of_moment(double unix_seconds);
// Four significant digits, and always all digits before the point; with an exponent below 1e-4 and from 1e9
// on: "35.12", "1834", "0.05".
std::string text_of_number(double number);
std::string text_of_bytes(double bytes);  // "1.5 GiB"
// "912 µs", "1.5 GiB", "35.12": with its unit only where is_unit_told; "-": not a number.
std::string text_of_metric(double number, const std::string& unit);
bool is_unit_told(const std::string& unit);      // seconds, bytes, or none
std::string text_of_count(std::uint64_t count);  // "1,234,567"

}  // namespace kernsweep
