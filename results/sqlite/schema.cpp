#include "results/sqlite/schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace kernsweep::schema {

namespace {

// SQL compares identifiers without regard to the case of ASCII letters.
std::string folded(std::string_view name) {
  std::string out(name);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string selected(std::span<const ColumnText> columns) {
  std::string sql;
  for (const ColumnText& column : columns) {
    if (!sql.empty()) sql += ", ";
    sql += fmt::format("{} as {}",
                       column.source.empty() ? schema::quoted(column.name) : std::string(column.source),
                       schema::quoted(column.name));
  }
  return sql;
}

// SQL: a number for JSON that reads back as the same float. By itself SQLite writes 15 digits. (Its own
// check of 16 digits accepts some that another reader takes for the float next to it.)
constexpr std::string_view kExactNumber =
    "case when typeof(v) <> 'real' or abs(v) > 1.7976931348623157e308 or "
    "cast(printf('%!.15g', v) as real) = v then v else json(printf('%!.17g', v)) end";

// SQL that builds a JSON object from a point's values; it costs time only in queries that select it.
std::string params(std::size_t values) {
  std::string which = "case c.storage when 0 then o.variant";
  for (std::size_t n = 1; n <= values; ++n) which += fmt::format(" when {0} then o.a{0}", n);
  which += " end";
  return fmt::format(
      "(select json_group_object(name, {}) filter (where v is not null) from "
      "(select c.name, {} as v from sweep_column c where c.sweep_id = o.sweep_id))",
      kExactNumber, which);
}

bool reserved(const std::string& name) {
  const std::string plain = folded(name);
  if (plain.starts_with("sqlite_") || plain.starts_with("sweep.") || plain.find('@') != std::string::npos)
    return true;
  const auto has = [&](const TableText& table) { return plain == table.name; };
  return std::ranges::any_of(tables(), has) || std::ranges::any_of(views(), has);
}

}  // namespace

std::string quoted(std::string_view identifier) {
  std::string out = "\"";
  for (const char c : identifier) {
    out.push_back(c);
    if (c == '"') out.push_back('"');
  }
  return out + "\"";
}

std::string literal(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    out.push_back(c);
    if (c == '\'') out.push_back('\'');
  }
  return out + "'";
}

std::string create_table(const TableText& table) {
  std::string sql = fmt::format("create table {} (", schema::quoted(table.name));
  for (const ColumnText& column : table.columns) {
    if (&column != table.columns.data()) sql += ", ";
    sql += fmt::format("{} {}", schema::quoted(column.name), column.type);
  }
  return sql + (table.key.empty() ? ")" : ", " + std::string(table.key));
}

std::vector<std::string> creation() {
  std::vector<std::string> statements;
  for (const TableText& table : tables()) statements.push_back(create_table(table));
  // A partial index costs nothing for rows that it leaves out: it contains only the few attempts whose job
  // was retried.
  statements.emplace_back(
      "create index attempt_tried_again on attempt_row (sweep_id, job, job_host) where final = 0");
  statements.emplace_back(kEventOfJob);
  statements.emplace_back(kNewIdentity);
  for (std::string& statement : views_over_all(0)) statements.push_back(std::move(statement));
  statements.push_back(fmt::format("pragma application_id = {}", kApplicationId));
  statements.push_back(fmt::format("pragma user_version = {}", kVersion));
  return statements;
}

std::vector<std::string> views_over_all(std::size_t values) {
  std::vector<std::string> statements;
  for (const TableText& view : views()) {
    std::string more;
    if (view.name == "results" || view.name == "point") more = params(values);
    if (view.name == "verdict")
      more = fmt::format(
          "(select {} from outcome o where o.sweep_id = v.sweep_id and o.job = v.job and o.job_host = "
          "v.job_host)",
          params(values));
    statements.push_back(fmt::format("drop view if exists {}", schema::quoted(view.name)));
    statements.push_back(fmt::format("create view {} as select {}{} from {}", schema::quoted(view.name),
                                     selected(view.columns),
                                     more.empty() ? more : fmt::format(", {} as params", more), view.key));
  }
  return statements;
}

std::vector<StoredColumn> place_columns(const std::vector<std::string>& names) {
  std::vector<StoredColumn> placed;
  std::vector<std::string> taken;
  for (const ColumnText& column : result_columns()) taken.emplace_back(column.name);
  int storage = 0;
  for (const std::string& name : names) {
    if (name == "variant") {
      placed.push_back({name, name, 0});
      continue;
    }
    std::string shown = name;
    for (int n = 1; shown.empty() || std::ranges::find(taken, folded(shown)) != taken.end(); ++n)
      shown = n == 1 ? "axis." + name : fmt::format("axis.{}.{}", name, n);
    taken.push_back(folded(shown));
    placed.push_back({name, shown, ++storage});
  }
  return placed;
}

std::string view_name_of(const std::string& sweep) {
  return reserved(sweep) ? "sweep." + sweep : sweep;
}

std::vector<std::string> sweep_views(const std::string& sweep, std::uint32_t id, const std::string& kernel,
                                     const std::vector<StoredColumn>& columns) {
  std::string sql;
  for (const ColumnText& column : result_columns()) {
    if (!sql.empty()) sql += ", ";
    std::string source(column.source);
    if (column.name == "sweep") source = literal(sweep);
    if (column.name == "kernel") source = literal(kernel);
    sql += fmt::format("{} as {}", source, schema::quoted(column.name));
  }
  for (const StoredColumn& column : columns)
    if (column.storage > 0)
      sql += fmt::format(", o.a{} as {}", column.storage, schema::quoted(column.view_name));
  const std::string name = schema::quoted(view_name_of(sweep));
  const std::string numbered = schema::quoted(fmt::format("{}@{}", view_name_of(sweep), id));
  return {
      fmt::format("drop view if exists {}", numbered),
      fmt::format("create view {} as select {} from outcome o where o.sweep_id = {}", numbered, sql, id),
      fmt::format("drop view if exists {}", name),
      fmt::format("create view {} as select * from {}", name, numbered),
  };
}

std::string markdown() {
  std::string text;
  const auto describe = [&](const TableText& table) {
    text += fmt::format("### {} `{}`\n\n{}\n\n| column | type | unit | meaning |\n|---|---|---|---|\n",
                        table.view ? "View" : "Table", table.name, table.sentence);
    for (const ColumnText& column : table.columns)
      text += fmt::format("| `{}` | {} | {} | {} |\n", column.name,
                          column.type.substr(0, column.type.find(' ')), column.unit, column.sentence);
    text += "\n";
  };
  for (const TableText& view : views()) describe(view);
  for (const TableText& table : tables()) describe(table);
  return text;
}

}  // namespace kernsweep::schema
