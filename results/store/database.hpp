// Opens a results database. Error: it is damaged, is not a Kernsweep database, or has a newer version.
// Callers of open_database_for_writing() must call check_database_file() before, so that SQLite does not
// change a file that is rejected.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "results/sqlite/sqlite.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// Creates the database if the file is missing or empty; migrates an older version. Requires the WriterLock.
Result<sqlite::Connection> open_database_for_writing(const std::string& path, bool survive_power_loss,
                                                     WhileLocked while_locked = {});
// Works while a writer uses the database, and on a medium that cannot be written.
Result<sqlite::Connection> open_database_for_reading(const std::string& path);
// Why a file of a version below schema::kOldestVersion is rejected.
std::string older_message(const std::string& path, std::int64_t version);
// Migrates a database from version `from` to the newest: steps[n] has the statements from version
// kOldestVersion + n to the next. Then creates all views again. Runs in one transaction: all or nothing.
Status migrate(sqlite::Connection& database, std::int64_t from, std::span<const std::string_view> steps);
// Checks the file by its type, its first bytes, its size and its permissions; changes nothing. With
// `may_be_missing` (for writers) it may be missing or empty, but it and its folder must be writable.
Status check_database_file(const std::string& path, bool may_be_missing);

}  // namespace kernsweep
