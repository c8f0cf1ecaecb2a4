// The time of day, for people and for what is stored. Durations are measured by instant.hpp.
#pragma once

#include <string>

namespace kernsweep {

double unix_now();  // seconds since 1970-01-01 UTC, as this machine's clock says now
// "2026-11-21T16:43:05Z", with `decimals` of a second cut off behind; empty: not within the years 1970 to
// 9999, or no number.
std::string utc_text(double unix_s, int decimals = 0);

}  // namespace kernsweep
