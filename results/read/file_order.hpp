// Sorts the rows of a sweep in the order in which the sweep file lists the points.
//
// Job numbers follow the order of measurement, which is random by default. Answers list the points in file
// order and use the first one as the baseline, so they do not depend on the random order.
#pragma once

#include <string>

#include "results/sqlite/sqlite.hpp"
#include "shared/base/ids.hpp"

namespace kernsweep {

// The sort expressions for rows of `outcome o` (`order` of Connection::each_row). Sorted by them, the rows
// form one block per process and cache state, and each block lists the points in file order. Returns an
// empty text if the table already has this order. Error: the database cannot be read.
Result<std::string> file_order(sqlite::Connection& database, SweepId sweep);

}  // namespace kernsweep
