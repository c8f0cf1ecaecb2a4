// Which columns are the problem of a sweep that an earlier version stored without this information.
#pragma once

#include "results/read/reader.hpp"

namespace kernsweep {

// A guess by the name of the column, only for rows of `sweep_column` whose `problem` is NULL.
bool guessed_problem(const SweepColumn& column);

}  // namespace kernsweep
