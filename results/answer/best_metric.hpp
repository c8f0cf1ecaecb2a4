// The data that `best` reads from the database: the metric of its question. Private to results/.
#pragma once

#include <string>
#include <string_view>

#include "results/answer/best.hpp"

namespace kernsweep {

std::string name_in(const BestQuestion& question);
// SQL over the tables of read_rows; empty: the rows contain it.
std::string stored_in(const BestQuestion& question);
Better better_in(const BestQuestion& question);
// "s", "GFLOP/s", "GB/s", "J", "B"; for a counted metric as declared, or by the end of its name; empty: not
// known. Error: the database cannot be read.
Result<std::string> unit_in(Reader& reader, const BestQuestion& question);

// Why a job may lack a metric, to be printed after its name; empty: not known.
std::string reason_of_lack(std::string_view metric);

}  // namespace kernsweep
