// The rows that stand on one page of an SQLite file, read without SQLite; see results/sqlite/pages.hpp.
//
// A page of a table holds cells: the length of a row, its number (tables that have one), and the row
// itself, whose long end may lie on further pages. A cell is given only when all of it could be read and
// makes sense as a row; the others are counted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "results/sqlite/pages.hpp"
#include "results/sqlite/sqlite.hpp"

namespace kernsweep {

// One value as it is stored. Whole numbers in a column of reals are stored as integers.
struct StoredField {
  sqlite::Cell::Kind kind = sqlite::Cell::Kind::null;
  std::int64_t integer = 0;
  double real = 0;
  std::string bytes;  // of a text or a blob
};

struct StoredRow {
  bool numbered = false;  // of a table with row numbers; else of an index or a table `without rowid`
  std::int64_t number = 0;
  std::vector<StoredField> fields;
};

struct PageContent {
  bool tree = false;                    // a page of a table or an index, as far as its head says
  std::uint64_t rows = 0;               // given
  std::uint64_t unreadable = 0;         // cells that were not
  std::vector<std::uint32_t> children;  // of an inner page
  std::vector<std::uint32_t> overflow;  // further pages of its rows
};

// `each` is called with the rows of page `number`; for inner pages of tables there are none.
PageContent read_page_rows(const PageFile& file, std::uint32_t number,
                           const std::function<void(const StoredRow&)>& each);

}  // namespace kernsweep
