// Durations as people write them in sweep files and jobs.
#pragma once

#include <string>
#include <string_view>

#include "shared/base/instant.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// Reads "100ms", "3s", "2m", "4h", "500us", "1.5s", "0"; at most 366 days. Error: the message names no
// place.
Result<Duration> duration_of(std::string_view text);
// The reverse of duration_of(), exact: "100ms", "2s", "1500us", "0", in the largest unit up to s that
// divides it.
std::string exact_text(Duration duration);

}  // namespace kernsweep
