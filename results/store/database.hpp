// Opens a results database: checks that it is an SQLite file, a Kernsweep database, and of a known version.
//
// Both functions check the file before SQLite opens it, so that a file that is refused is left unchanged.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "results/sqlite/sqlite.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// Creates the file when there is none (or an empty one), migrates an older version. The caller holds the
// WriterLock.
Result<sqlite::Connection> open_database_for_writing(const std::string& path, bool survive_power_loss,
                                                     WhileLocked while_locked = {});
// Works beside a writer, and on a medium that cannot be written.
Result<sqlite::Connection> open_database_for_reading(const std::string& path);
// Brings a database of version `from` up to date: steps[n - 1] holds the statements that make version n + 1
// of version n. Then its views are made anew. All of it or nothing is done.
Status migrate(sqlite::Connection& database, std::int64_t from, std::span<const std::string_view> steps);
// Whether a file at `path` may be opened for writing at all; touches nothing.
Status check_database_file(const std::string& path, bool may_be_missing);

}  // namespace kernsweep
