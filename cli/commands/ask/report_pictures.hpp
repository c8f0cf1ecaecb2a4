// The charts of a report as files, for papers and slides.
#pragma once

#include <string>
#include <vector>

#include "results/read/reader.hpp"

namespace kernsweep {

// Writes the charts of a sweep as SVG into `folder`, which is created if it is missing; files of these
// names are replaced: best.svg (the best of each variant), over-NAME.svg for each column of numbers,
// heat.svg (problems by variants), scaling.svg (over threads), roofline.svg (if the database has the roofs)
// and samples.svg (of each process). Returns a line for each. Errors: no such sweep; nothing to draw; a
// file cannot be written.
Result<std::string> write_report_pictures(Reader& reader, const std::string& sweep,
                                          const std::string& folder);

}  // namespace kernsweep
