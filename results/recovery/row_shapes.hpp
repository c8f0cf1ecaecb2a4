// Recognises the table of a row by the row's form. Needed for pages that no root reaches any more.
//
// The tables differ in the number of columns or in the types of values, so a row that fits one table fits
// no other. A row that fits no table is damaged, or belongs to an index.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "results/recovery/page_rows.hpp"
#include "results/sqlite/schema.hpp"

namespace kernsweep {

struct RowShape {
  const schema::TableText* table = nullptr;
  bool numbered = true;           // the table has row numbers
  bool number_is_column = false;  // the row number is the first column
};

// One shape per table, in the order of schema::tables().
const std::vector<RowShape>& row_shapes();

// True if the types, NULLs, words and lengths of the row are such that Kernsweep could have written it.
bool fits(const StoredRow& row, const RowShape& shape);
const RowShape* shape_named(std::string_view table);  // nullptr: there is no such table
const RowShape* shape_of(const StoredRow& row);       // nullptr: it fits no table
bool is_entry_of_index(const StoredRow& row);         // an entry of one of Kernsweep's indices
bool is_entry_of_schema(const StoredRow& row);        // a row of SQLite's own table `sqlite_schema`

}  // namespace kernsweep
