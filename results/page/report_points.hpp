// The points and processes of a report, as columns of JSON.
#pragma once

#include <string>

#include "results/read/reader.hpp"

namespace kernsweep {

struct ReportPoints {
  std::string axes, points, processes;  // JSON: report_data.hpp
};

// Every point of the sweep that has a time graded A or B, or that was measured only under disturbance (C).
// Medians and intervals are those of best(). Error: the database cannot be read.
Result<ReportPoints> report_points(Reader& reader, const StoredSweep& sweep);

}  // namespace kernsweep
