// A copy of a damaged database that SQLite can open, whatever its first page and its schema are like.
//
// The pages of the file are copied as they are. Those that cannot be read, or have lost a sector, become
// zeros, which SQLite reports as damage. Then SQLite copies the log into the copy. Finally the first page
// is replaced by a new one, whose schema has our tables: where the file's own schema says that they are, or
// where they are in a new database if that cannot be read.
#pragma once

#include <string>

#include "results/sqlite/sqlite.hpp"

namespace kernsweep {

// Writes the copy to `to`, replacing it, and opens it. `fresh`: a new database of this version. The tables
// have the columns of this version: those that rows of the file lack are NULL, or have their default.
// Errors: `from` or its log cannot be read, or the copy cannot be written.
Result<sqlite::Connection> make_readable_copy(const std::string& from, const std::string& to,
                                              sqlite::Connection& fresh);

}  // namespace kernsweep
