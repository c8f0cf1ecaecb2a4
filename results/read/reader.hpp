// Opens a results database for reading. Works while a coordinator writes it, after a coordinator was
// killed, and on a read-only medium. A query sees the batches that were committed before it began, each of
// them complete. Used by one thread at a time; movable.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "results/read/rows.hpp"
#include "results/sqlite/sqlite.hpp"
#include "results/store/records.hpp"
#include "shared/base/result.hpp"

namespace kernsweep {

// One value of a sweep's points.
struct SweepColumn {
  std::string name;       // in the sweep file
  std::string view_name;  // in the view of the sweep
  std::string stored;     // the column of `outcome`
  bool derived = false;
  bool has_null = false;  // at least one stored point has no value in this column
  // Its texts are numbers as they were written: answers compute with the numbers and print the texts.
  StandsFor stands_for = StandsFor::itself;
  bool problem = false;  // part of the problem; false: a setting, or a note such as a derived value
};

// The sweep with this number in the form of Reader::find_sweep, even if the name of another one is this
// number.
inline std::string name_by_number(SweepId id) {
  return "@" + std::to_string(id.value);
}

class Reader {
 public:
  static Result<Reader> open(const std::string& path);

  // `which`: "" is the newest sweep, "gemm" the newest one of that name, "gemm@3" or "3" the sweep with
  // that number. The counts of jobs are not filled in (sweeps() does that). Error: there is no such sweep.
  Result<StoredSweep> find_sweep(const std::string& which);
  Result<std::vector<StoredSweep>> sweeps();  // newest first
  // True if every stored outcome of the sweep is `ok`; jobs without an outcome do not count.
  Result<bool> all_accepted(SweepId sweep);
  // True if each problem that has outcomes has one that is `ok`.
  Result<bool> all_answered(SweepId sweep);
  Result<std::vector<SweepColumn>> columns(SweepId sweep);
  Result<std::vector<SweepColumn>> axis_columns(SweepId sweep);  // without derived ones

  // Runs one statement that only reads; any other statement is an error and changes nothing. `on_columns`
  // is called once, even if there are no rows. `on_row` is called for each row; the span is valid until it
  // returns, and returning false ends the query.
  using OnColumns = std::function<void(const std::vector<std::string>&)>;
  using OnRow = std::function<bool(std::span<const Value>)>;
  Status query(const std::string& sql, const OnColumns& on_columns, const OnRow& on_row);
  Result<RowSet> query(const std::string& sql);
  // As the first query(), for millions of rows: sqlite::Connection::each_row. No `explain`.
  Status each_row(const std::string& sql, const OnColumns& on_columns,
                  const std::function<void(const sqlite::Row&)>& on_row);

  sqlite::Connection& connection() { return connection_; }  // only for queries of the room `results`

 private:
  // Prepares a statement that only reads, and passes its columns to `on_columns`.
  Result<sqlite::Statement> question(const std::string& sql, const OnColumns& on_columns);
  explicit Reader(sqlite::Connection connection) : connection_(std::move(connection)) {}
  sqlite::Connection connection_;
};

}  // namespace kernsweep
