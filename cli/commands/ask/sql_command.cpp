// The command `sql`: runs an SQL query on a results database.
#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <map>

#include "cli/grammar/command.hpp"
#include "cli/grammar/recurring_options.hpp"
#include "cli/show/output.hpp"
#include "results/read/reader.hpp"
#include "results/report/export.hpp"
#include "results/report/json.hpp"
#include "results/text/table.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {
namespace {

// Advice for a column that exists in another view, or whose name needs quotes.
std::string column_of_view(const std::string& name, const std::string& view) {
  const bool plain =
      name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") ==
      std::string::npos;
  if (!plain) return "; write it in double quotes: \"" + name + "\", from \"" + view + "\"";
  return "; it is a column of \"" + view + "\"";
}

// The first column whose name an earlier one also has; empty: there is none. A JSON object cannot have a
// name twice.
std::string name_twice(const std::vector<std::string>& columns) {
  for (auto name = columns.begin(); name != columns.end(); ++name)
    if (std::find(columns.begin(), name, *name) != name) return *name;
  return "";
}

// Adds advice to the message "no such column": the view that has it, or a similar name.
std::string with_known_columns(const std::string& complaint, Reader& reader) {
  constexpr std::string_view kNoColumn = "no such column: ";
  const auto at = complaint.find(kNoColumn);
  if (at == std::string::npos) return complaint;
  // The newest sweep's view first.
  const auto rows = reader.query(
      "select p.name, m.name from sqlite_master m, pragma_table_info(m.name) p where m.type = 'view' "
      "order by m.rowid desc");
  if (!rows) return complaint;
  const std::string word = complaint.substr(at + kNoColumn.size());
  std::vector<std::string> names;
  for (const auto& row : rows->rows) {
    if (row[0].to_text() == word) return complaint + column_of_view(word, row[1].to_text());
    names.push_back(row[0].to_text());
  }
  const auto near = nearest(word, names);
  const std::string newest = rows->rows.empty() ? "" : rows->rows.front()[1].to_text();
  const auto of =
      std::ranges::find_if(rows->rows, [&](const auto& row) { return near && row[0].to_text() == *near; });
  const bool elsewhere = of != rows->rows.end() && (*of)[1].to_text() != newest;
  return complaint + (near ? "; did you mean '" + *near + "'" +
                                 (elsewhere ? " of \"" + (*of)[1].to_text() + "\"?" : "?")
                           : "; `select * from results limit 1` shows those of the results");
}

// Whether the statement has this name outside of texts and of `cast(name as ...)`.
bool names_uncast(const std::string& statement, const std::string& name) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  bool in_text = false;
  for (std::size_t at = 0; at < statement.size(); ++at) {
    if (statement[at] == '\'') in_text = !in_text;
    if (in_text || statement.compare(at, name.size(), name) != 0) continue;
    const std::size_t end = at + name.size();
    if ((at > 0 && is_part(statement[at - 1])) || (end < statement.size() && is_part(statement[end])))
      continue;
    const auto before = statement.find_last_not_of(" \"", at == 0 ? 0 : at - 1);
    const bool is_cast = before != std::string::npos && before >= 4 && statement[before] == '(' &&
                         strncasecmp(statement.c_str() + before - 4, "cast", 4) == 0;
    if (!is_cast) return true;
  }
  return false;
}

// A note if the statement uses axes whose numbers are stored as texts: SQL sorts and compares them as
// texts.
std::string note_of_words(Reader& reader, const std::string& statement) {
  const auto rows = reader.query(
      "select distinct c.view_name, case c.derived when 2 then 'integer' else 'real' end, s.name "
      "from sweep_column c join sweep s on s.id = c.sweep_id where c.derived in (2, 3)");
  if (!rows) return "";
  std::map<std::string, std::string> casts;
  for (const auto& row : rows->rows) {
    const std::string name = row[0].to_text();
    if (statement.find(row[2].to_text()) != std::string::npos && names_uncast(statement, name))
      casts[name] = fmt::format("cast(\"{}\" as {})", name, row[1].to_text());
  }
  if (casts.empty()) return "";
  std::string names, all;
  for (const auto& [name, cast] : casts) {
    names += (names.empty() ? "'" : ", '") + name + "'";
    all += (all.empty() ? "" : ", ") + cast;
  }
  return fmt::format(
      "kernsweep: note: {} hold{} numbers as they were written, which SQL sorts and compares as text; "
      "write {}\n",
      names, casts.size() == 1 ? "s" : "", all);
}

class SqlCommand : public Command {
 public:
  void declare(Options& to) override {
    add_database(to, database_);
    to.option("statement", statement_, "One select statement").required();
    to.flag("--csv", csv_, "Answer as CSV");
    to.flag("--columns", columns_, "Binary columns behind a line of JSON, for programs");
    add_json(to, json_);
  }

  int run(const Invocation&) override {
    auto reader = Reader::open(database_);
    if (!reader) return report_error(reader.error().message);
    if (!columns_) std::fputs(note_of_words(*reader, statement_).c_str(), stderr);
    if (csv_ + json_ + columns_ > 1)
      return report_error("sql answers as one of --csv, --json and --columns");
    if (csv_ || columns_) {
      const auto format = csv_ ? ExportFormat::csv : ExportFormat::columns;
      const Status done = export_query(*reader, statement_, format, to_stdout);
      return done ? 0 : failed_answer(with_known_columns(done.error().message, *reader));
    }
    const auto rows = reader->query(statement_);
    if (!rows) return report_error(with_known_columns(rows.error().message, *reader));
    if (const std::string twice = json_ ? name_twice(rows->columns) : ""; !twice.empty())
      return report_error(
          "two columns are called '" + twice +
          "', and JSON could show only one of them; give each its own name: select 1 as one, 2 as two");
    std::printf("%s", json_ ? (to_json(*rows) + "\n").c_str()
                            : text_table(*rows, {.settings = rows->columns.size()}).c_str());
    return 0;
  }

 private:
  std::string database_, statement_;
  bool csv_ = false, json_ = false, columns_ = false;
};

}  // namespace

CommandEntry sql_command() {
  return {"sql", "Ask the database in SQL (read only)", kAnswerFooter, std::make_unique<SqlCommand>()};
}

}  // namespace kernsweep
