// The rows that describe sweeps, the identity of the file, and the views: used by Store and by readers.
#pragma once

#include <optional>
#include <string>

#include "results/sqlite/sqlite.hpp"
#include "results/store/records.hpp"
#include "shared/base/digest.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// The newest sweep of this identity; nullopt: there is none.
Result<std::optional<SweepId>> find_sweep(sqlite::Connection& database, const Digest& identity);
// True if a sweep has exactly these columns in this order; false also if the database cannot be read.
bool has_columns(sqlite::Connection& database, SweepId id, const std::vector<std::string>& columns);
// Adds a sweep's rows, the columns of `outcome` that it needs, and its views; within the caller's batch.
Result<SweepId> add_sweep(sqlite::Connection& database, const SweepRecord& record);
// Whether `problem` (as SweepRecord::problem) equals what is stored about the sweep's columns.
Result<bool> knows_problem(sqlite::Connection& database, SweepId id,
                           const std::vector<std::optional<bool>>& problem);
// Stores the known entries of `problem`, and keeps the others; within the caller's batch.
Status set_problem(sqlite::Connection& database, SweepId id,
                   const std::vector<std::optional<bool>>& problem);
// The number n of the columns a1 ... a<n> of `outcome`.
Result<std::int64_t> width_of(sqlite::Connection& database);
// Adds columns so that `outcome` has a1 ... a<wanted>, and then creates the views over all sweeps again.
Status widen(sqlite::Connection& database, int wanted);
// Creates all views of this version again, for the columns that `outcome` has; within the caller's batch.
// Views of users are kept.
Status make_views(sqlite::Connection& database);
// The same if a view of the file differs from the one of this build: a version between two releases wrote
// the file.
Status renew_views(sqlite::Connection& database);
// For a client that submits an existing sweep: sets it to submitted and running with the priority of
// `record`, and adds the files that it lacks; within the caller's batch.
Status submit_again(sqlite::Connection& database, SweepId id, const SweepRecord& record);
// The newest sweep of this name (if not empty) and this id (if given). `counted`: also counts its jobs,
// which reads all of its outcomes (0.1 s for a million).
enum class Counted : bool { no, yes };
Result<std::optional<StoredSweep>> stored_sweep(sqlite::Connection& database, const std::string& name,
                                                std::optional<SweepId> id, Counted counted);

}  // namespace kernsweep
