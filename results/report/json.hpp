// Answers as JSON, for --json and exports. NULL and numbers that are not finite become null; invalid UTF-8
// is replaced by U+FFFD.
#pragma once

#include <string>
#include <string_view>

#include "results/answer/best/best.hpp"
#include "results/answer/best/sweep_effects.hpp"
#include "results/answer/roof_shares.hpp"
#include "results/read/rows.hpp"
#include "results/read/show.hpp"

namespace kernsweep {

void append_json(const Value& value, std::string& out);
// Whether `text` is one whole JSON object.
bool is_json_object(std::string_view text);

// A list of objects, one per row. If several columns have one name, the last one keeps it; the others are
// `axis.NAME`.
std::string to_json(const RowSet& rows);
// [{"result", "reason"}, ...]
std::string to_json(const std::vector<Implausible>& all);
// {"sweep", "sweep_id", "by", "metric", "better", "worst_grade", "jobs", "left_out": {"failed", "without",
// "grade", "grade_cause", "with_this_cause"}, "problems_lost", "rows": [...]}. Also "rows_more" if
// BestQuestion::rows_max left groups out, "points_of_several_software" with "software_changed", and
// "implausible" if something is not.
std::string to_json(const BestAnswer& answer);
// The same with the rows of table_of(shares).
std::string to_json(const SweepShares& shares);
// {"best": ..., "effects": [...], "shortened"}
std::string to_json(const SweepEffects& effects);
// {"result": {...}, "point": {...}, ..., "samples_s": [...]}
std::string to_json(const Shown& shown);

}  // namespace kernsweep
