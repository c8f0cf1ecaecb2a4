// Reads the rows of a table of a damaged database through SQLite, around what cannot be read.
//
// Rows are read in the order of their keys. Where SQLite reports damage, reading is tried again behind the
// last key, first at the next key, then at ones further away: each step adds a quarter of the distance, so
// even 2^61 keys take 185 tries. Where a row can be read again, the rows before it are read backwards until
// the damage. The cost is a few seeks for each place that is damaged, however many keys are in it; where
// the rest of a first column cannot be read, 185 tries for each of 185 values of it.
//
// Not found: rows between two damaged places that are fewer than a quarter of the keys of the first one; of
// `metric`, whose keys begin with a text, all rows between two damaged places if the first one reaches into
// the next name. Rows whose keys are not in order count as a gap: an inner page leads to a wrong page,
// which SQLite does not report.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "results/sqlite/schema.hpp"
#include "results/sqlite/sqlite.hpp"

namespace kernsweep {

class TableRows {
 public:
  // Receives the columns of a row that is plausible, from column `first`, and returns whether it was not
  // read before. A damaged file can lead to the same pages without end: reading stops where no row is new.
  using Use = std::function<Result<bool>(const sqlite::Statement& row, int first)>;
  // `values`: how many columns a1, a2, ... the table `outcome` has.
  TableRows(sqlite::Connection& database, const schema::TableText& table, std::size_t values);
  const std::vector<std::string>& columns() const { return names_; }
  Status read(const Use& use);                                // error: that of `use`
  std::uint64_t gaps() const { return gaps_ + disordered_; }  // places that could not be read
  std::uint64_t senseless() const { return senseless_; }      // rows that were not plausible

 private:
  enum class End : std::uint8_t { whole = 1, broken, nothing };  // nothing: broken before the first new row
  Result<End> read_from(const std::vector<Value>& start, sqlite::Statement& rows);
  Result<End> skip(std::size_t level);
  bool is_plausible_row(const sqlite::Statement& row, int first);

  std::vector<std::string> names_;
  std::vector<schema::ColumnText> columns_;  // those of values without a type
  sqlite::Statement forward_, backward_;
  std::vector<Value> last_;  // the key of the last new row
  const Use* use_ = nullptr;
  std::uint64_t gaps_ = 0, disordered_ = 0, senseless_ = 0, stale_ = 0;
};

}  // namespace kernsweep
