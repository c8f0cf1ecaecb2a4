// Answers as JSON, for --json and exports. Numbers are numbers, NULL and what is not finite are null, text
// that is not UTF-8 has U+FFFD where it is not.
#pragma once

#include <string>
#include <string_view>

#include "results/answer/best.hpp"
#include "results/answer/sweep_effects.hpp"
#include "results/read/rows.hpp"
#include "results/read/show.hpp"

namespace kernsweep {

void append_json(const Value& value, std::string& out);
// Whether `text` is one whole JSON object.
bool is_json_object(std::string_view text);

// A list of objects.
std::string to_json(const RowSet& rows);
// {"sweep", "sweep_id", "by", "metric", "worst_grade", "jobs", "left_out": {"failed", "without", "grade"},
// "problems_lost", "rows": [...]}, and "rows_more" when BestQuestion::rows_max has left out so many.
std::string to_json(const BestAnswer& answer);
// {"best": ..., "effects": [...], "shortened"}
std::string to_json(const SweepEffects& effects);
// {"result": {...}, "point": {...}, ..., "samples_s": [...]}
std::string to_json(const Shown& shown);

}  // namespace kernsweep
