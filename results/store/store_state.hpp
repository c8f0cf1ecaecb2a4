// What Store is made of; only for store*.cpp.
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

// Of an outcome as it is stored.
inline bool gives_way(std::string_view status) {
  const auto outcome = outcome_named(status);
  return outcome && gives_way(*outcome);
}

// Statements that insert a row, of lists of fields that are named where the rows are made.
Result<sqlite::Statement> prepare_outcomes(sqlite::Connection& database, std::span<const int> values);
Result<sqlite::Statement> prepare_conditions(sqlite::Connection& database);
Result<sqlite::Statement> prepare_events(sqlite::Connection& database);

struct Store::State {
  State(std::string where, WriterLock held, sqlite::Connection opened)
      : path(std::move(where)), lock(std::move(held)), database(std::move(opened)) {}

  // A sweep that this store has met, with the statement that stores its jobs.
  struct KnownSweep {
    std::vector<schema::StoredColumn> columns;
    std::vector<char> has_null;  // 1: seen, 2: seen and written down
    bool nulls_changed = false;
    int variant = -1;  // position among the columns; -1: none
    sqlite::Statement insert;
  };

  Status begin();                                    // a batch, unless one runs
  tl::unexpected<Error> roll_back(std::string why);  // the batch is gone, the store goes on
  Result<KnownSweep*> known(SweepId id);
  Status prepare();
  // The number of a text; none for an empty one.
  Status place_text(std::string_view text, std::optional<std::uint64_t>& id);
  Result<Recorded> insert_outcome(KnownSweep& sweep, const AttemptRecord& record, ResultId result,
                                  bool reused);
  Result<bool> make_way(const JobId& job);
  Result<bool> repeated(const AttemptRecord& record);
  Status insert_conditions_of(const ConditionsRecord& record, ResultId result);
  Status insert_attempt(const AttemptRecord& record, ResultId result);
  Status write_nulls();

  std::string path;
  WriterLock lock;  // freed after the connection is closed
  sqlite::Connection database;
  TextPool texts{1};
  std::uint64_t next_result = 1;
  bool in_batch = false;
  std::unordered_map<std::uint32_t, KnownSweep> sweeps;
  std::uint32_t last_id = 0;  // of the sweep below: nearly every record is of the same sweep
  KnownSweep* last_sweep = nullptr;

  sqlite::Statement begin_batch, commit_batch;
  sqlite::Statement insert_row, insert_sample, insert_text, insert_conditions, insert_metric, insert_event;
  sqlite::Statement delete_outcome, demote_attempt, find_outcome, find_attempt;
};

}  // namespace kernsweep
