// The part of a sweep that a question is about: columns by their names, rows by a condition.
#pragma once

#include <string>
#include <vector>

#include "results/read/sweep_rows.hpp"

namespace kernsweep {

// The columns of a sweep, and behind them the variant that computed, where it is none of them.
std::vector<SweepColumn> with_variant(std::vector<SweepColumn> columns);

// These columns, in this order. Error: the sweep has none of that name; with what may be meant.
Result<std::vector<SweepColumn>> columns_named(const std::vector<SweepColumn>& columns,
                                               const std::vector<std::string>& wanted,
                                               const std::string& sweep);

// `value`, an expression for the column, as the number that its words stand for.
std::string number_in_sql(const SweepColumn& column, const std::string& value);
// What rows_where calls the column as it is stored.
std::string stored_name(const SweepColumn& column);

// A `select` of a sweep's jobs with the column names that the view of the sweep has, so that `where` may
// use them; words of numbers are numbers there. `condition`: SQL over `outcome`; `where`: SQL as a user has
// written it; either may be empty.
std::string rows_where(SweepId sweep, const std::vector<SweepColumn>& columns, const std::string& condition,
                       const std::string& where);

// As read_graded_rows, without the jobs for which `where` does not hold (empty: all are read); `read` and
// `not_ok` count the others only. `known`: all columns of the sweep, which `where` may use. Errors:
// SQLite's, about `where` above all; no job fits.
Result<SweepRows> read_chosen_rows(Reader& reader, const StoredSweep& sweep,
                                   const std::vector<SweepColumn>& known, std::vector<SweepColumn> columns,
                                   const std::string& extra, const std::string& where);

// The name of the host of each spot (SweepRows::Place), with some digits of its fingerprint where another
// kind of host has the same name. Error: the database cannot be read.
Result<std::vector<std::string>> host_of_spots(Reader& reader, const SweepRows& rows);

}  // namespace kernsweep
