#include "results/report/export.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/answer/best/chosen_rows.hpp"
#include "results/report/columns.hpp"
#include "results/report/json.hpp"
#include "results/sqlite/schema.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kPieceBytes = 1 << 16;

}  // namespace

void append_csv(const Value& value, std::string& out) {
  const auto* text = value.text();
  if (value.is_null()) return;
  if (!text) return value.append_text(out);
  if (!text->empty() && text->find_first_of(",\"\r\n") == std::string::npos) {
    out += *text;
    return;
  }
  out.push_back('"');
  for (const char c : *text) out.append(c == '"' ? 2 : 1, c);
  out.push_back('"');
}

Status export_query(Reader& reader, const std::string& sql, ExportFormat format, const Sink& sink) {
  if (format == ExportFormat::columns) return export_columns(reader, sql, sink);
  std::string piece;
  std::vector<std::string> names;  // as JSON keys
  std::vector<char> raw;           // 1: the column holds JSON text (`params`)
  Status written = Done{};
  const auto flush = [&](std::size_t least) {
    if (piece.size() < least || piece.empty()) return true;
    written = sink(piece);
    piece.clear();
    return written.has_value();
  };
  const auto on_columns = [&](const std::vector<std::string>& columns) {
    for (const std::string& column : columns) {
      names.emplace_back();
      append_json(Value(column), names.back());
      raw.push_back(column == "params" ? 1 : 0);
      if (format != ExportFormat::csv) continue;
      if (names.size() > 1) piece.push_back(',');
      append_csv(Value(column), piece);
    }
    if (format == ExportFormat::csv) piece += "\r\n";
  };
  const auto on_row = [&](std::span<const Value> row) {
    const bool csv = format == ExportFormat::csv;
    if (!csv) piece.push_back('{');
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) piece.push_back(',');
      if (csv) {
        append_csv(row[i], piece);
        continue;
      }
      piece += names[i];
      piece.push_back(':');
      if (raw[i] && row[i].text() && is_json_object(*row[i].text()))
        piece += *row[i].text();
      else
        append_json(row[i], piece);
    }
    piece += csv ? "\r\n" : "}\n";
    return flush(kPieceBytes);
  };
  KS_RETURN_IF_ERROR(reader.query(sql, on_columns, on_row));
  if (written) flush(0);
  return written;
}

Status export_rows(Reader& reader, const ExportQuestion& question, const Sink& sink) {
  if (question.all_sweeps) return export_query(reader, "select * from results", question.format, sink);
  KS_ASSIGN_OR_RETURN(const auto sweep, reader.find_sweep(question.sweep));
  const std::string view = fmt::format("{}@{}", schema::view_name_of(sweep.record.name), sweep.id.value);
  KS_ASSIGN_OR_RETURN(const auto columns, reader.columns(sweep.id));
  const auto has_words = [](const SweepColumn& column) { return is_number_word(column.stands_for); };
  std::string selected = "*";
  if (question.format == ExportFormat::columns && std::ranges::any_of(columns, has_words)) {
    selected.clear();  // programs compute with the numbers; the column `command` has the texts
    for (const schema::ColumnText& fixed : schema::result_columns())
      selected += ", " + schema::quoted(fixed.name);
    for (const SweepColumn& column : columns) {
      const std::string name = schema::quoted(column.view_name);
      if (column.stored != "variant") selected += ", " + number_in_sql(column, name) + " as " + name;
    }
    selected.erase(0, 2);
  }
  return export_query(reader, "select " + selected + " from " + schema::quoted(view), question.format,
                      sink);
}

}  // namespace kernsweep
