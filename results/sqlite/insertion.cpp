#include "results/sqlite/insertion.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/sqlite/schema.hpp"

namespace kernsweep {

Result<std::string> insertion(std::string_view table, std::span<const std::string_view> columns,
                              std::string_view behind, std::span<const int> values) {
  const auto wrong = [&](std::string_view column, std::string_view what) {
    return failure(fmt::format("rows of {} cannot be written: {} {}; this is a bug in Kernsweep", table,
                               column, what));
  };
  const auto known = std::ranges::find(schema::tables(), table, &schema::TableText::name);
  if (known == schema::tables().end()) return wrong("the table", "is not in the schema");
  for (const schema::ColumnText& column : known->columns)
    if (std::ranges::find(columns, column.name) == columns.end())
      return wrong(column.name, "is given no value");
  for (auto column = columns.begin(); column != columns.end(); ++column) {
    if (std::ranges::find(known->columns, *column, &schema::ColumnText::name) == known->columns.end())
      return wrong(*column, "is not one of its columns");
    if (std::find(columns.begin(), column, *column) != column) return wrong(*column, "is given two values");
  }
  std::string names, marks;
  const auto add = [&](const std::string& name) {
    names += (names.empty() ? "" : ", ") + name;
    marks += marks.empty() ? "?" : ", ?";
  };
  for (const std::string_view column : columns) add(schema::quoted(column));
  for (const int value : values) add(fmt::format("a{}", value));
  return fmt::format("insert into {} ({}) values ({}) {}", table, names, marks, behind);
}

}  // namespace kernsweep
