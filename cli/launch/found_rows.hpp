// Finds the rows that the programs of a sweep print, if `metrics.rows_by` makes each a point of its own.
#pragma once

#include <string>

#include "language/space/expansion.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// The value of an axis until its rows are known.
inline constexpr const char* kUnknownRow = "?";

struct FoundRows {
  std::string axis;  // in the syntax of -a: "name=['sort/100', 'sort/1000']"
  std::string only;  // an expression for --only, without rows that a command does not print; empty: all
};

// Runs each command of the sweep once on this machine, with its setup and cleanup, and returns its rows.
// `trial`: the sweep with `key` as an axis of kUnknownRow. Reports on stderr what was found. Errors: the
// command uses the key; too many commands; a run that fails or takes too long; output without rows.
Result<FoundRows> found_rows(const Expansion& trial, const std::string& key);

}  // namespace kernsweep
