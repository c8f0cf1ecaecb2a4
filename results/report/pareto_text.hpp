// The Pareto front over several metrics, as text for the user and as JSON.
#pragma once

#include <string>

#include "results/answer/pareto.hpp"

namespace kernsweep {

// The points on the front and those that could be on it; the number of points behind it. Without any point:
// why, and what to do next.
std::string text_of(const ParetoAnswer& answer, const std::string& database);

// {"sweep", "sweep_id", "worst_grade", "metrics": [{"name", "unit", "better"}, ...], "everywhere": {...},
// "confidence", "problems": [{"problem": {...}, "points": [{"place", "settings": {...}, "numbers":
// [{"value", "low", "high"}, ...], "processes", "result", "disturbed"}, ...]}, ...], "without_a_metric",
// "jobs", "left_out": {...}}. `place`: "front", "may be on it" or "behind".
std::string to_json(const ParetoAnswer& answer);

}  // namespace kernsweep
