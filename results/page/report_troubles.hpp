// The parts of a report other than its points: failures, what was left out, and where it was measured.
#pragma once

#include <string>

#include "results/read/reader.hpp"

namespace kernsweep {

struct ReportTroubles {
  std::string failures, grades;  // JSON: report_data.hpp; the most frequent first, at most 100 of each
  std::string hosts, software;
};

// Error: the database cannot be read.
Result<ReportTroubles> report_troubles(Reader& reader, const StoredSweep& sweep);

}  // namespace kernsweep
