// Writes the new file of a recovery: copies the readable rows, then makes the tables consistent. Only for
// recovery.cpp.
#pragma once

#include <string>

#include "results/recovery/recovery.hpp"
#include "results/sqlite/schema.hpp"
#include "results/sqlite/sqlite.hpp"

namespace kernsweep {

class RecoveryWriter {
 public:
  RecoveryWriter(sqlite::Connection& database, Recovery& recovery)
      : database_(database), recovery_(recovery) {}
  // Begins, and inserts every plausible row. Of rows with the same key only the first is kept.
  Status copy_rows(sqlite::Connection& copy);
  // Removes contradicting rows, adds placeholders for lost rows, creates the views, then commits.
  Status finish();

 private:
  Status copy_table(sqlite::Connection& copy, const schema::TableText& table);
  Status leave_out(std::initializer_list<std::string_view> tables, const std::string& where);
  Status leave_out_contradictions();
  Status compare_samples();
  Status collect_missing();
  Status stand_in_for_attempts();
  Status stand_in(const std::string& table, const std::string& ids);
  Status stand_in_for_columns();
  Status make_all_views();
  Recovery::Table& counts_of(std::string_view table);  // a table of the schema
  Result<std::uint64_t> run(const std::string& sql);   // returns the number of changed rows

  sqlite::Connection& database_;
  Recovery& recovery_;
  std::size_t values_ = 0;  // how many columns a1, a2, ... `outcome` has
};

}  // namespace kernsweep
