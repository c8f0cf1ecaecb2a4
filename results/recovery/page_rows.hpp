// Reads the rows of one page of an SQLite file without SQLite; see results/sqlite/pages.hpp.
//
// A page of a table consists of cells: the length of a row, its row number (if the table has them), and the
// row, whose end may be on overflow pages. Only rows of cells that are complete and well-formed are passed
// on; the other cells are counted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "results/sqlite/pages.hpp"
#include "results/sqlite/sqlite.hpp"

namespace kernsweep {

// One value as it is stored. SQLite stores a whole number in a column of type real as an integer.
struct StoredField {
  sqlite::Cell::Kind kind = sqlite::Cell::Kind::null;
  std::int64_t integer = 0;
  double real = 0;
  std::string bytes;  // of a text or a blob
};

struct StoredRow {
  bool numbered =
      false;  // true: of a table with row numbers; false: of an index or a table `without rowid`
  std::int64_t number = 0;
  std::vector<StoredField> fields;
};

struct PageContent {
  bool tree = false;                    // its header is that of a page of a table or an index
  std::uint64_t rows = 0;               // rows that were passed on
  std::uint64_t unreadable = 0;         // cells that could not be read
  std::vector<std::uint32_t> children;  // page numbers; only of an inner page
  std::vector<std::uint32_t> overflow;  // page numbers of the overflow pages of its rows
};

// Calls `each` with every row of page `number` (from 1). Inner pages of tables have no rows.
PageContent read_page_rows(const PageFile& file, std::uint32_t number,
                           const std::function<void(const StoredRow&)>& each);

}  // namespace kernsweep
