// The time of day, for display and for the database. For durations use instant.hpp.
#pragma once

#include <string>

namespace kernsweep {

double unix_now();  // seconds since 1970-01-01 UTC, by this machine's clock
// "2026-11-21T16:43:05Z", with `decimals` digits of a second, truncated. Empty if `unix_s` is NaN or not
// within the years 1970 to 9999.
std::string utc_text(double unix_s, int decimals = 0);

}  // namespace kernsweep
