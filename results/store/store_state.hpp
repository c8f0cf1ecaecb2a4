// The private state of Store; only for store*.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "results/sqlite/schema.hpp"
#include "results/sqlite/sqlite.hpp"
#include "results/sqlite/text_pool.hpp"
#include "results/sqlite/writer_lock.hpp"
#include "results/store/store.hpp"

namespace kernsweep {

// gives_way() for the stored name of an outcome.
inline bool gives_way(std::string_view status) {
  const auto outcome = outcome_named(status);
  return outcome && gives_way(*outcome);
}

// Prepare the statements that insert rows. The lists of fields are in the source files of these functions.
Result<sqlite::Statement> prepare_outcomes(sqlite::Connection& database, std::span<const int> values);
Result<sqlite::Statement> prepare_conditions(sqlite::Connection& database);
Result<sqlite::Statement> prepare_events(sqlite::Connection& database);

struct Store::State {
  State(std::string where, WriterLock held, sqlite::Connection opened)
      : path(std::move(where)), lock(std::move(held)), database(std::move(opened)) {}

  // A sweep that this store has used, with the statement that inserts its outcomes.
  struct KnownSweep {
    std::vector<schema::StoredColumn> columns;
    std::vector<char> has_null;  // per column. 1: a NULL was recorded; 2: and sweep_column has that
    bool nulls_changed = false;
    int variant = -1;  // index of the column `variant`; -1: none
    sqlite::Statement insert;
  };

  Status begin();                                    // begins a batch, unless there is one
  tl::unexpected<Error> roll_back(std::string why);  // ends the batch without storing it; returns `why`
  Result<KnownSweep*> known(SweepId id);
  Status prepare();
  // Sets the id of a text, which is stored if it is new; leaves `id` unset for an empty text.
  Status place_text(std::string_view text, std::optional<std::uint64_t>& id);
  Result<Recorded> insert_outcome(KnownSweep& sweep, const AttemptRecord& record, ResultId result,
                                  bool reused);
  Result<bool> make_way(const JobId& job);
  Result<bool> repeated(const AttemptRecord& record);
  Status insert_conditions_of(const ConditionsRecord& record, ResultId result);
  Status insert_attempt(const AttemptRecord& record, ResultId result);
  Status write_nulls();

  std::string path;
  WriterLock lock;  // declared before the connection, so it is released after that is closed
  sqlite::Connection database;
  TextPool texts{1};
  std::uint64_t next_result = 1;
  bool in_batch = false;
  std::unordered_map<std::uint32_t, KnownSweep> sweeps;
  std::uint32_t last_id = 0;  // id of last_sweep: nearly all records are of the same sweep
  KnownSweep* last_sweep = nullptr;

  sqlite::Statement begin_batch, commit_batch;
  sqlite::Statement insert_row, insert_sample, insert_text, insert_conditions, insert_metric, insert_event;
  sqlite::Statement delete_outcome, demote_attempt, find_outcome, find_attempt;
};

}  // namespace kernsweep
