// Lets a reader see a file of an older version as one of this version, without changing the file.
#include <fmt/format.h>

#include <algorithm>

#include "results/sqlite/schema.hpp"

namespace kernsweep::schema {

namespace {

bool is_later(const ColumnText& column, std::int64_t version) {
  return column.since > version;
}

bool lacks_columns(const TableText& table, std::int64_t version) {
  return std::ranges::any_of(table.columns,
                             [&](const ColumnText& column) { return is_later(column, version); });
}

// A view without rows, in place of a table that the file does not have.
std::string without_rows(const TableText& table) {
  std::string columns;
  for (const ColumnText& column : table.columns)
    columns += fmt::format("{}null as {}", columns.empty() ? "" : ", ", schema::quoted(column.name));
  return fmt::format("create view temp.{} as select {} where 0", schema::quoted(table.name), columns);
}

// A view of a table that adds the columns which the file does not have (ColumnText::older).
std::string with_later_columns(const TableText& table, std::int64_t version) {
  std::string columns = "*";
  for (const ColumnText& column : table.columns)
    if (is_later(column, version))
      columns += fmt::format(", {} as {}", column.older, schema::quoted(column.name));
  return fmt::format("create view temp.{0} as select {1} from main.{0}", schema::quoted(table.name),
                     columns);
}

}  // namespace

std::vector<std::string> seen_as_newest(std::int64_t version, std::size_t values) {
  std::vector<std::string> statements;
  for (const TableText& table : tables()) {
    if (table.since > version)
      statements.push_back(without_rows(table));
    else if (lacks_columns(table, version))
      statements.push_back(with_later_columns(table, version));
  }
  const bool changed = !statements.empty() || std::ranges::any_of(views(), [&](const TableText& view) {
    return view.since > version || lacks_columns(view, version);
  });
  if (!changed) return statements;
  for (std::string& statement : views_over_all(values, Kept::no))
    statements.push_back(std::move(statement));
  return statements;
}

bool sweep_views_are_old(std::int64_t version) {
  return std::ranges::any_of(result_columns(),
                             [&](const ColumnText& column) { return is_later(column, version); });
}

}  // namespace kernsweep::schema
