// Reads the numbers that `metrics` of a sweep asks for out of what a run has printed or written.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shared/printed/candidates.hpp"
#include "kernels/command/report.hpp"
#include "shared/lists/printed_values.hpp"

namespace kernsweep::command {

// Puts the numbers of `text` into `report`: the time into `seconds`, a rate as the time of 1 MB, Mbit, Mop,
// GFLOP or of one of another word; of several samples their median, and all of them into `samples`. Returns
// what is wrong, with the value, `source` as the name of the text, and `hint`; empty: nothing.
std::string read_printed(const PrintedValues& printed, std::string_view text, const std::string& source,
                         const WantedRow& row, const std::string& hint, Report& report,
                         std::vector<double>& samples);

}  // namespace kernsweep::command
