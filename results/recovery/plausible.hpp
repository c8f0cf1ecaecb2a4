// Recognises values that Kernsweep cannot have stored: rows of damaged pages can have any values.
#pragma once

#include "results/sqlite/schema.hpp"
#include "results/sqlite/sqlite.hpp"

namespace kernsweep {

// True if the value is of the column's type, and one of its words, in its range and of its length, where
// the column has such. The value of a point is in a column without a type.
bool is_plausible(const schema::ColumnText& column, const sqlite::Cell& cell);

}  // namespace kernsweep
