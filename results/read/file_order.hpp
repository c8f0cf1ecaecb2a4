// The rows of a sweep as its file lists the points, in whatever order they were measured.
//
// The numbers of jobs follow the order of measuring, which is a random one by default. What people are told
// first, and what the rest is held against, must not be drawn by lot: it is what the file names first.
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
