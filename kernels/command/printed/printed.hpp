// Reads the numbers that `metrics` of a sweep asks for out of what a run has printed or written.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/command/printed/candidates.hpp"
#include "kernels/command/report.hpp"
#include "shared/lists/printed_values.hpp"

namespace kernsweep::command {

// Puts the numbers of `text` into `report`: the time into `seconds`, a rate as the time of 1 MB, Mbit, Mop,
// GFLOP or one of another word; of several samples their median, and all of them into `samples`. `source`
// names the text in messages. Returns what is wrong, which names the value; empty: nothing.
std::string read_printed(const PrintedValues& printed, std::string_view text, const std::string& source,
                         const WantedRow& row, Report& report, std::vector<double>& samples);

}  // namespace kernsweep::command
