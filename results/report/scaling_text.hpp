// Speedup, efficiency and Amdahl's law, as text for the user and as JSON.
#pragma once

#include <string>

#include "results/answer/scaling.hpp"

namespace kernsweep {

// A table of all points, and one of the fits. Without any series: why, and what to do next.
std::string text_of(const ScalingAnswer& answer, const std::string& database);

// {"sweep", "sweep_id", "worst_grade", "axis", "everywhere": {...}, "series": [{"of": {...}, "points":
// [{"threads", "median_s", "speedup", "speedup_low", "speedup_high", "efficiency", "processes", "result",
// "disturbed"}, ...], "amdahl": {"serial", "low", "high", "largest_deviation"}}, ...],
// "series_of_one_point", "jobs", "left_out": {...}}. NULL: not known.
std::string to_json(const ScalingAnswer& answer);

}  // namespace kernsweep
