// The new file of a recovery: takes rows in any order, then makes them a whole again. Only for
// recovery.cpp.
#pragma once

#include <map>
#include <string>

#include "results/recovery/recovery.hpp"
#include "results/recovery/row_shapes.hpp"

namespace kernsweep {

class RecoveryWriter {
 public:
  RecoveryWriter(sqlite::Connection& database, Recovery& told) : database_(database), told_(told) {}
  Status begin();
  // The first row of a key counts; the next ones are left out.
  Status add(const RowShape& shape, const StoredRow& row);
  // Leaves out what disagrees, makes up for what is spoken of and lost, makes the views; then commits.
  Status finish();

 private:
  Status prepare(const RowShape& shape);
  Status leave_out_contradictions();
  Status compare_samples();
  Status collect_missing();
  Status stand_in_for_attempts();
  Status stand_in(const std::string& table, const std::string& ids);
  Status stand_in_for_columns();
  Status make_all_views();
  Result<std::uint64_t> run(const std::string& sql);  // rows changed

  sqlite::Connection& database_;
  Recovery& told_;
  std::map<const RowShape*, sqlite::Statement> inserts_;
  std::size_t values_ = 0;  // columns a1, a2, ... that `outcome` has
};

}  // namespace kernsweep
