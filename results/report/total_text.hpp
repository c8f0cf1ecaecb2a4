// The time of a network, as text for the user and as JSON.
#pragma once

#include <string>

#include "results/answer/network/total.hpp"

namespace kernsweep {

// For each network a line about each layer, the totals, and whether mixing saves time. Without any layer:
// why, and what to do next.
std::string text_of(const TotalAnswer& answer, const std::string& database);

// {"sweep", "sweep_id", "worst_grade", "layer": [names], "same": [names], "layers": how many a network has
// or null, "networks": [{"of": {...}, "layers": [{"layer": {...}, "count", "share", "verdict", "best":
// POINT, "single": POINT or null, "shown"}, ...], "best": TIME, "choices": [{"same": {...}, "layers",
// "time": TIME or null, "slower": RATIO or null}, ...], "best_saves": RATIO or null, "mixed": TIME or null,
// "mixed_saves": RATIO or null, "layers_with_another_best", "layers_shown"}, ...], "jobs", "left_out":
// {...}}. POINT: {"setting", "median_s", "processes", "result", "disturbed"}; TIME: {"seconds", "low",
// "high"}; RATIO: {"ratio", "low", "high", "shown"}.
std::string to_json(const TotalAnswer& answer);

}  // namespace kernsweep
