// The part of a sweep that a question is about: columns by their names, rows by a condition.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "results/read/rows.hpp"
#include "results/read/sweep_rows.hpp"

namespace kernsweep {

// The columns of a sweep, and behind them the variant that computed, where it is none of them.
std::vector<SweepColumn> with_variant(std::vector<SweepColumn> columns);
// The variant, and then the other columns.
std::vector<SweepColumn> variant_first(std::vector<SweepColumn> columns);

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

// Moves what all these rows have the same to `everywhere`, but null; of the last two values, the state of
// the caches and the host, it is only left out.
template <class Row>
void take_same(std::vector<Row>& rows, NamedValues Row::*of, NamedValues& everywhere) {
  if (rows.empty()) return;
  const std::size_t places = (rows.front().*of).size() - 2;
  for (std::size_t at = places + 2; at-- > 0;) {
    const auto value = (rows.front().*of)[at];
    if (!std::ranges::all_of(rows, [&](const Row& row) { return (row.*of)[at] == value; })) continue;
    if (at < places && !value.second.is_null()) everywhere.insert(everywhere.begin(), value);
    for (Row& row : rows) (row.*of).erase((row.*of).begin() + static_cast<std::ptrdiff_t>(at));
  }
}

// The name of the host of each spot (SweepRows::Place), with some digits of its fingerprint where another
// kind of host has the same name. Error: the database cannot be read.
Result<std::vector<std::string>> host_of_spots(Reader& reader, const SweepRows& rows);

}  // namespace kernsweep
