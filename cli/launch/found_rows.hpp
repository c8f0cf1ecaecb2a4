// Finds the rows that the programs of a sweep print, if `metrics.rows_by` makes each a point of its own.
#pragma once

#include <string>

#include "language/space/expansion.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// The value of an axis until its rows are known.
inline constexpr const char* kUnknownRow = "?";

// Runs each command of the sweep once on this machine, with its setup and cleanup, and returns the axis of
// its rows in the syntax of -a: "name=['sort/100', 'sort/1000']". `trial`: the sweep with `key` as an axis
// of kUnknownRow. Reports on stderr what was found. Errors: the command uses the key; too many commands; a
// run that fails or takes too long; output without rows.
Result<std::string> found_rows(const Expansion& trial, const std::string& key);

}  // namespace kernsweep
