#include "results/read/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "results/read/problem_of_earlier_files.hpp"
#include "results/store/database.hpp"
#include "results/store/stored_sweeps.hpp"
#include "shared/base/try.hpp"
#include "shared/text/number_text.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {

using sqlite::Step;

namespace {

// The first word of a statement, in lower case; comments before it are skipped.
std::string first_word(std::string_view sql) {
  while (!sql.empty()) {
    if (std::isspace(static_cast<unsigned char>(sql[0])) != 0) {
      sql.remove_prefix(1);
    } else if (sql.starts_with("--")) {
      sql.remove_prefix(std::min(sql.size(), sql.find('\n')));
    } else if (sql.starts_with("/*")) {
      const std::size_t end = sql.find("*/", 2);
      sql.remove_prefix(end == std::string_view::npos ? sql.size() : end + 2);
    } else {
      break;
    }
  }
  std::string word;
  for (const char c : sql) {
    if (std::isalpha(static_cast<unsigned char>(c)) == 0) break;
    word.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
  }
  return word;
}

}  // namespace

Result<Reader> Reader::open(const std::string& path) {
  KS_ASSIGN_OR_RETURN(auto connection, open_database_for_reading(path));
  return Reader(std::move(connection));
}

Result<StoredSweep> Reader::find_sweep(const std::string& which) {
  KS_ASSIGN_OR_RETURN(auto found, stored_sweep(connection_, which, {}, Counted::no));
  if (found) return std::move(*found);
  if (which.empty()) return failure(fmt::format("{}: holds no sweep yet", connection_.path()));
  const std::size_t at = which.rfind('@');
  const std::string name = at == std::string::npos ? "" : which.substr(0, at);
  if (const auto id = number_of<std::uint32_t>(at == std::string::npos ? which : which.substr(at + 1))) {
    KS_ASSIGN_OR_RETURN(found, stored_sweep(connection_, name, SweepId{*id}, Counted::no));
    if (found) return std::move(*found);
  }
  KS_ASSIGN_OR_RETURN(const auto known, query("select distinct name from sweep order by id desc"));
  std::vector<std::string> names;
  for (const auto& row : known.rows) names.push_back(row[0].to_text());
  return failure(
      fmt::format("{}: there is no sweep '{}'{}", connection_.path(), which, did_you_mean(which, names)));
}

Result<std::vector<StoredSweep>> Reader::sweeps() {
  KS_ASSIGN_OR_RETURN(const auto ids, query("select id from sweep order by id desc"));
  std::vector<StoredSweep> all;
  for (const auto& row : ids.rows) {
    const SweepId id{static_cast<std::uint32_t>(*row[0].integer())};
    KS_ASSIGN_OR_RETURN(auto sweep, stored_sweep(connection_, {}, id, Counted::yes));
    if (sweep) all.push_back(std::move(*sweep));
  }
  return all;
}

Result<bool> Reader::all_accepted(SweepId sweep) {
  KS_ASSIGN_OR_RETURN(
      const auto other,
      connection_.integer(fmt::format(
          "select exists (select 1 from outcome where sweep_id = {} and status <> 'ok')", sweep.value)));
  return other == 0;
}

Result<bool> Reader::all_answered(SweepId sweep) {
  KS_ASSIGN_OR_RETURN(const auto all, columns(sweep));
  std::string problem = "sweep_id";
  for (const SweepColumn& column : all)
    if (column.problem) problem += ", " + column.stored;
  KS_ASSIGN_OR_RETURN(
      const auto without,
      connection_.integer(fmt::format(
          "select exists (select 1 from outcome where sweep_id = {} group by {} having sum(status = "
          "'ok') = 0)",
          sweep.value, problem)));
  return without == 0;
}

Result<std::vector<SweepColumn>> Reader::columns(SweepId sweep) {
  KS_ASSIGN_OR_RETURN(auto rows, connection_.prepare("select name, view_name, storage, derived, has_null, "
                                                     "problem from sweep_column where sweep_id = ? "
                                                     "order by position"));
  rows.bind(1, sweep.value);
  std::vector<SweepColumn> all;
  while (rows.step() == Step::row) {
    const std::int64_t storage = rows.integer(2);
    all.push_back({std::string(rows.text(0)), std::string(rows.text(1)),
                   storage == 0 ? "variant" : fmt::format("a{}", storage), rows.integer(3) == 1,
                   rows.integer(4) != 0});
    if (rows.integer(3) > 1) all.back().stands_for = static_cast<StandsFor>(rows.integer(3));
    all.back().problem = rows.is_null(5) ? guessed_problem(all.back()) : rows.integer(5) != 0;
  }
  return all;
}

Result<std::vector<SweepColumn>> Reader::axis_columns(SweepId sweep) {
  auto all = columns(sweep);
  if (all) std::erase_if(*all, &SweepColumn::derived);
  return all;
}

Result<sqlite::Statement> Reader::question(const std::string& sql, const OnColumns& on_columns) {
  const std::string word = first_word(sql);
  static constexpr std::string_view kQuestions[] = {"select", "with", "values", "explain"};
  if (!word.empty() && std::ranges::find(kQuestions, word) == std::end(kQuestions))
    return failure(
        fmt::format("'{}' is not a query: only select, with, values and explain are answered here; results "
                    "are never changed",
                    word));
  KS_ASSIGN_OR_RETURN(auto statement, connection_.prepare(sql));
  if (!statement.only_reads())
    return failure(
        "this statement would change the database; results are never changed, only select from them");
  std::vector<std::string> columns;
  for (int i = 0; i < statement.columns(); ++i) columns.push_back(statement.column_name(i));
  on_columns(columns);
  return statement;
}

Status Reader::query(const std::string& sql, const OnColumns& on_columns, const OnRow& on_row) {
  KS_ASSIGN_OR_RETURN(auto statement, question(sql, on_columns));
  std::vector<Value> row(static_cast<std::size_t>(statement.columns()));
  Step step;
  while ((step = statement.step()) == Step::row) {
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = statement.value(static_cast<int>(i));
    if (!on_row(row)) {
      statement.reset();
      return Done{};
    }
  }
  if (step != Step::done) return failure(statement.why());
  return Done{};
}

Status Reader::each_row(const std::string& sql, const OnColumns& on_columns,
                        const std::function<void(const sqlite::Row&)>& on_row) {
  if (first_word(sql) == "explain") return failure("`explain` is answered as a table, --json or --csv");
  std::vector<std::string> names;
  KS_RETURN_IF_ERROR(question(sql, [&](const std::vector<std::string>& columns) {
    for (std::size_t i = 0; i < columns.size(); ++i) names.push_back(fmt::format("c{}", i));
    on_columns(columns);
  }));
  const std::size_t end = sql.find_last_not_of("; \t\r\n");
  return connection_.each_row(names,
                              fmt::format("from (with q({}) as ({}\n) select * from q)",
                                          fmt::join(names, ", "), sql.substr(0, end + 1)),
                              on_row);
}

Result<RowSet> Reader::query(const std::string& sql) {
  RowSet answer;
  KS_RETURN_IF_ERROR(query(
      sql, [&](const std::vector<std::string>& columns) { answer.columns = columns; },
      [&](std::span<const Value> row) {
        answer.rows.emplace_back(row.begin(), row.end());
        return true;
      }));
  return answer;
}

}  // namespace kernsweep
