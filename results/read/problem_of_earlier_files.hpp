// Which columns make up the problem of a sweep that an earlier version has stored, which did not say it.
#pragma once

#include "results/read/reader.hpp"

namespace kernsweep {

// A guess by the name of the column: for rows of `sweep_column` whose `problem` is NULL, and for no others.
bool guessed_problem(const SweepColumn& column);

}  // namespace kernsweep
