// A table of one metric over axes, as text for the user and as JSON.
#pragma once

#include <string>

#include "results/answer/pivot.hpp"
#include "results/text/heat.hpp"

namespace kernsweep {

// The metric with its unit and direction, the table, and the meaning of its marks. A table that is too wide
// for the screen is continued below with the remaining columns. Names have no control characters; with
// screen.colours the text has escape sequences of colours. Without any row: why, and what to do next.
std::string text_of(const PivotAnswer& answer, const Screen& screen, const std::string& database);

// {"sweep", "sweep_id", "metric", "unit", "better", "worst_grade", "rows": [names], "column", "values":
// [...], "everywhere": {...}, "not_compared", "best_of_settings": [names], "table": [{"row": {...},
// "verdict", "not_judged", "cells": [{"value", "low", "high", "mark", "disturbed", "points", "processes",
// "settings": {...}, "result"}, ...]}, ...], "jobs", "left_out": {...}}. A cell without a number is null.
std::string to_json(const PivotAnswer& answer);

}  // namespace kernsweep
