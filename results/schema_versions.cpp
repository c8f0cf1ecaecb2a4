// How a file of an older version becomes, or is read as, one of this version.
#include <fmt/format.h>

#include <algorithm>

#include "results/schema.hpp"

namespace kernsweep::schema {

namespace {

// Before version 2 only the slot's own words told it.
constexpr std::string_view kSaidNotRepeatable =
    "grade_reasons in (select id from text where content like '%repeated runs gave different bits%')";

std::string view_named(std::string_view name, bool temporary) {
  const auto view = std::ranges::find(views(), name, &TableText::name);
  return create_view(*view, temporary);
}

std::string table_named(std::string_view name) {
  const auto table = std::ranges::find(tables(), name, &TableText::name);
  return create_table(*table);
}

std::string to_2() {
  return fmt::format(
      "alter table attempt_row add column noise real; alter table attempt_row add column warmup_s real; "
      "alter table attempt_row add column repeatable integer; "
      "alter table conditions add column metric text; "
      "alter table conditions add column error_element real; "
      "update attempt_row set repeatable = 0 where {}; drop view result; {}",
      kSaidNotRepeatable, view_named("result", false));
}

std::string to_3() {
  return fmt::format(
      "alter table sweep add column priority integer not null default 0; "
      "alter table sweep add column submitted integer not null default 0; "
      "alter table attempt_row add column sent_unix_s real; "
      "alter table attempt_row add column session integer; "
      "{}; {}; {}; {}; {}; drop view attempt; {}; {}",
      table_named("sweep_file"), table_named("event"), kEventOfJob, table_named("file_identity"),
      kNewIdentity, view_named("attempt", false), view_named("attempt_history", false));
}

// Nodes of a cluster that are alike have one fingerprint and are hosts of their own. SQLite cannot take a
// constraint away from a table.
std::string to_4() {
  return fmt::format(
      "create temp table host_3 as select * from main.host; drop table main.host; {}; "
      "insert into host select * from host_3; drop table host_3",
      table_named("host"));
}

std::string to_5() {
  return fmt::format("alter table attempt_row add column gpus integer; {}; drop view result; {}",
                     table_named("metric"), view_named("result", false));
}

// A table that an older file does not have: its columns, and no row.
std::string without_rows(std::string_view name) {
  const auto table = std::ranges::find(tables(), name, &TableText::name);
  std::string columns;
  for (const ColumnText& column : table->columns)
    columns += fmt::format("{}null as {}", columns.empty() ? "" : ", ", quoted(column.name));
  return fmt::format("create temp view {} as select {} where 0", quoted(name), columns);
}

}  // namespace

std::span<const std::string> migrations() {
  static_assert(kVersion == 5);
  // Tables are named as they were then; views are made as they are now, because no step reads them.
  static const std::string steps[] = {to_2(), to_3(), to_4(), to_5()};
  return steps;
}

std::vector<std::string> seen_as_newest(std::int64_t version) {
  if (version >= 5) return {};
  std::string attempts = "select *";
  std::vector<std::string> statements;
  if (version < 2) {
    attempts += fmt::format(", null as noise, null as warmup_s, case when {} then 0 end as repeatable",
                            kSaidNotRepeatable);
    statements.emplace_back(
        "create temp view conditions as select *, null as metric, null as error_element from "
        "main.conditions");
  }
  if (version < 3) {
    attempts += ", null as sent_unix_s, null as session";
    statements.emplace_back(
        "create temp view sweep as select *, 0 as priority, 0 as submitted from main.sweep");
    for (const std::string_view name : {"sweep_file", "event", "file_identity"})
      statements.push_back(without_rows(name));
  }
  // Version 4 has other rows than 3, not other columns.
  statements.push_back(without_rows("metric"));
  statements.push_back("create temp view attempt_row as " + attempts +
                       ", null as gpus from main.attempt_row");
  for (const std::string_view name : {"result", "attempt", "attempt_history"})
    statements.push_back(view_named(name, true));
  return statements;
}

}  // namespace kernsweep::schema
