// The rows that describe a sweep, a host or a piece of software: written by the Store, read by both sides.
#pragma once

#include <optional>
#include <string>

#include "results/sqlite/sqlite.hpp"
#include "results/store/records.hpp"
#include "shared/base/digest.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// The one row of the table `file_identity`.
Result<std::optional<Digest>> file_identity(sqlite::Connection& database);
// The newest sweep of this identity.
Result<std::optional<SweepId>> find_sweep(sqlite::Connection& database, const Digest& identity);
// Whether a sweep has just these columns.
bool has_columns(sqlite::Connection& database, SweepId id, const std::vector<std::string>& columns);
// Adds its rows, the columns of `outcome` that it needs, and its views; within the caller's batch.
Result<SweepId> add_sweep(sqlite::Connection& database, const SweepRecord& record);
// Makes sure that `outcome` has the columns a1 ... a<wanted>, and the views know them.
Status widen(sqlite::Connection& database, int wanted);
// Makes all views anew, as they are in this version, for the columns that `outcome` has; within the
// caller's batch. Views that people have made stay.
Status make_views(sqlite::Connection& database);
// The same for a reader of a file of an older version: temporary views, and tables where it lacks columns.
Status see_as_newest(sqlite::Connection& database, std::int64_t version);
// A client has submitted a sweep that is there already: it is continued from now on, with this priority,
// and files that it lacks are added; within the caller's batch.
Status submit_again(sqlite::Connection& database, SweepId id, const SweepRecord& record);
// The newest sweep, restricted to `name` (when not empty) and `id` (when given). `counted`: with the
// numbers of jobs, which means stepping over all of them (0.1 s for a million).
enum class Counted : bool { no, yes };
Result<std::optional<StoredSweep>> stored_sweep(sqlite::Connection& database, const std::string& name,
                                                std::optional<SweepId> id, Counted counted);

}  // namespace kernsweep
