// Reads the numbers of a sweep's `metrics` from the output of a run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/command/report.hpp"
#include "shared/lists/printed_values.hpp"
#include "shared/printed/candidates.hpp"

namespace kernsweep::command {

// Adds the numbers of `text` to `report`: the time to `seconds`; a rate as the time of 1 MB, Mbit, Mop,
// GFLOP or of one unit of another word; for several samples their median, and all of them to `samples`.
// Returns what is wrong, with the value, `source` as the name of the text, and `hint`; empty: nothing.
std::string read_printed(const PrintedValues& printed, std::string_view text, const std::string& source,
                         const WantedRow& row, const std::string& hint, Report& report,
                         std::vector<double>& samples);

}  // namespace kernsweep::command
