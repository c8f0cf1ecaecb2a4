// Opens a results database for reading: also while a coordinator writes it, after a coordinator has died,
// and on a read-only medium. A query sees what was committed when it began, always whole batches. One
// thread at a time; movable.
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
  bool has_null = false;  // some point has no value here
};

class Reader {
 public:
  static Result<Reader> open(const std::string& path);

  // "" means the newest sweep; "gemm" the newest of that name; "gemm@3" or "3" the sweep of that number.
  // Without the counts of jobs, which sweeps() has.
  Result<StoredSweep> find_sweep(const std::string& which);
  Result<std::vector<StoredSweep>> sweeps();  // newest first
  // Whether every job that has an outcome has an accepted result.
  Result<bool> all_accepted(SweepId sweep);
  // As Store::identity. Nothing: the file is of a version before 3, which had none.
  Result<std::optional<Digest>> identity();
  Result<std::vector<SweepColumn>> columns(SweepId sweep);

  // Runs one statement that only reads; anything else is refused with a message and changes nothing.
  // `on_row` gets views that end with its return; false ends the query. No row: `on_columns` is called
  // nevertheless.
  using OnColumns = std::function<void(const std::vector<std::string>&)>;
  using OnRow = std::function<bool(std::span<const Value>)>;
  Status query(const std::string& sql, const OnColumns& on_columns, const OnRow& on_row);
  Result<RowSet> query(const std::string& sql);

  sqlite::Connection& connection() { return connection_; }  // for the queries of this room

 private:
  explicit Reader(sqlite::Connection connection) : connection_(std::move(connection)) {}
  sqlite::Connection connection_;
};

}  // namespace kernsweep
