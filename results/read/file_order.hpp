// Sorts the rows of a sweep in the order in which its file lists the points.
//
// The numbers of jobs follow the order of measuring, which is random by default. Answers list points in the
// order of the file, and take the first one as the baseline, so that they do not depend on chance.
#pragma once

#include <string>

#include "results/sqlite/sqlite.hpp"
#include "shared/base/ids.hpp"

namespace kernsweep {

// What to sort rows of `outcome o` by (Connection::each_row), so that they come in blocks of all points,
// one for each process and cache, each as the file lists the points. Empty when they lie so anyway: then
// nothing needs to be sorted. Error: the database cannot be read.
Result<std::string> file_order(sqlite::Connection& database, SweepId sweep);

}  // namespace kernsweep
