#include "results/recovery/row_shapes.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "results/store/events.hpp"
#include "results/store/records.hpp"

namespace kernsweep {

namespace {

using Kind = sqlite::Cell::Kind;

bool fits(const StoredField& field, std::string_view type) {
  if (field.kind == Kind::null) return type.find("not null") == std::string_view::npos;
  switch (field.kind) {
    case Kind::integer:
      return type.starts_with("integer") || type.starts_with("real");
    case Kind::real:
      return type.starts_with("real");
    case Kind::text:
      return type.starts_with("text");
    default:
      return type.starts_with("blob");
  }
}

bool is_flag(const StoredField& field) {
  return field.kind != Kind::integer || field.integer == 0 || field.integer == 1;
}

// True if the bytes are plausible times of calls in seconds; random bytes practically never are.
bool are_times(std::string_view bytes) {
  if (bytes.size() % sizeof(double) != 0) return false;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(double)) {
    double seconds = 0;
    std::memcpy(&seconds, bytes.data() + at, sizeof seconds);
    if (seconds != 0 && !(seconds > 1e-15 && seconds < 1e9)) return false;
  }
  return true;
}

// Checks the value of a column that allows only certain values; true for all other columns.
bool makes_sense(const schema::ColumnText& text, const StoredField& field) {
  const std::string_view column = text.name;
  if (field.kind == Kind::null) return true;
  if (column == "identity" && field.kind == Kind::blob) return field.bytes.size() == 16;
  if (column == "fingerprint" || column == "key") return field.bytes.size() == 16;
  if (column == "status") return outcome_named(field.bytes).has_value();
  if (column == "state") return sweep_state_named(field.bytes).has_value();
  if (column == "what") return event_kind_named(field.bytes).has_value();
  if (column == "cache") return field.bytes == "hot" || field.bytes == "cold";
  if (column == "grade")
    return field.bytes.size() == 1 &&
           std::string_view("ABCX").find(field.bytes[0]) != std::string_view::npos;
  if (column == "seconds") return are_times(field.bytes);
  for (const std::string_view flag : {"quick", "reused", "final", "repeatable", "has_null", "problem"})
    if (column == flag) return is_flag(field);
  if (column == "derived") return field.integer >= 0 && field.integer <= 4;
  // Seeds use all 64 bits.
  const bool counts = text.type.starts_with("integer") && column != "seed" && column != "priority";
  return !counts || field.integer >= 0;
}

}  // namespace

const std::vector<RowShape>& row_shapes() {
  static const std::vector<RowShape> shapes = [] {
    std::vector<RowShape> all;
    for (const schema::TableText& table : schema::tables()) {
      RowShape shape;
      shape.table = &table;
      shape.numbered = table.key.find("without rowid") == std::string_view::npos;
      shape.number_is_column = table.columns[0].type == "integer primary key";
      all.push_back(shape);
    }
    return all;
  }();
  return shapes;
}

bool fits(const StoredRow& row, const RowShape& shape) {
  const auto columns = shape.table->columns;
  const std::size_t count = row.fields.size();
  if (row.numbered != shape.numbered || count < columns.size()) return false;
  // In `outcome` the values of the point follow the fixed columns.
  if (count > columns.size() && shape.table->name != "outcome") return false;
  if (shape.number_is_column && (row.fields[0].kind != Kind::null || row.number < 1)) return false;
  for (std::size_t i = 0; i < std::min(count, columns.size()); ++i) {
    if (!fits(row.fields[i], columns[i].type)) return false;
    if (!makes_sense(columns[i], row.fields[i])) return false;
  }
  return true;
}

const RowShape* shape_named(std::string_view table) {
  for (const RowShape& shape : row_shapes())
    if (shape.table->name == table) return &shape;
  return nullptr;
}

const RowShape* shape_of(const StoredRow& row) {
  for (const RowShape& shape : row_shapes())
    if (fits(row, shape)) return &shape;
  return nullptr;
}

bool is_entry_of_index(const StoredRow& row) {
  return !row.numbered && row.fields.size() <= 4 && row.fields.back().kind == Kind::integer;
}

bool is_entry_of_schema(const StoredRow& row) {
  if (!row.numbered || row.fields.size() != 5 || row.fields[3].kind != Kind::integer) return false;
  for (const int text : {0, 1, 2})
    if (row.fields[static_cast<std::size_t>(text)].kind != Kind::text) return false;
  const std::string& what = row.fields[0].bytes;
  return what == "table" || what == "index" || what == "view";
}

}  // namespace kernsweep
