// Plays back the recorded side of a coordinator to a worker.
#pragma once

#include <string>
#include <vector>

#include "shared/base/result.hpp"
#include "tests/recorded/recording.hpp"

namespace kernsweep::recorded {

// Prints the address once it listens. Welcomes the worker, gives it every job of the recording, releases
// what comes back and dismisses it. Error: a job had another outcome than the recorded one, or none.
Status play_coordinator(const std::vector<Line>& lines, const std::string& endpoint);

}  // namespace kernsweep::recorded
