// To which table a row belongs, by what it looks like: for pages whose way from the root is lost.
//
// The tables differ in the number of their columns, or in the kinds of their values, so that a row that
// fits one fits no other. A row that fits none is damaged, or belongs to an index.
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
  bool numbered = true;           // has row numbers
  bool number_is_column = false;  // and they are its first column
  std::size_t least = 0;          // columns of a row that a version before this one wrote
};

// One for each of schema::tables(), in its order.
const std::vector<RowShape>& row_shapes();

// Kinds, NULLs and the words and lengths that are known: a row that passes is one that this program could
// have written.
bool fits(const StoredRow& row, const RowShape& shape);
const RowShape* shape_named(std::string_view table);  // none: no table of ours
const RowShape* shape_of(const StoredRow& row);
// Of the list of tables and indices that SQLite keeps, or of an index of ours.
bool is_entry_of_index(const StoredRow& row);
bool is_entry_of_schema(const StoredRow& row);

}  // namespace kernsweep
