#include "language/space/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "language/file/text_file.hpp"
#include "language/space/axis.hpp"
#include "shared/base/try.hpp"
#include "shared/text/trimmed.hpp"

namespace kernsweep {
namespace {

constexpr std::size_t kTableBytesMax = 64u << 20;

bool is_number(const Node& cell) {
  return !cell.quoted && value_of_scalar(cell.scalar).number().has_value();
}

// A quoted cell: `at` is the opening quote, and afterwards the comma or the end of the line.
Result<Node> quoted_cell(std::string_view line, std::size_t& at, Node cell) {
  cell.quoted = true;
  for (++at; at < line.size(); ++at) {
    if (line[at] != '"') {
      cell.scalar += line[at];
    } else if (at + 1 < line.size() && line[at + 1] == '"') {
      cell.scalar += line[++at];
    } else {
      ++at;
      while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
      if (at < line.size() && line[at] != ',')
        return wrong(cell, "text after a closing quote; separate by commas");
      return cell;
    }
  }
  return wrong(cell, "a quote that is not closed in its line");
}

Result<std::vector<Node>> cells_of(std::string_view line, int number, const TextSourcePtr& source) {
  std::vector<Node> cells;
  for (std::size_t at = 0;;) {
    while (at < line.size() && (line[at] == ' ' || line[at] == '\t')) ++at;
    Node cell;
    cell.source = source;
    cell.place = {number, static_cast<int>(at) + 1};
    if (at < line.size() && line[at] == '"') {
      KS_ASSIGN_OR_RETURN(auto quoted, quoted_cell(line, at, std::move(cell)));
      cells.push_back(std::move(quoted));
    } else {
      const std::size_t end = std::min(line.find(',', at), line.size());
      cell.scalar = trimmed(line.substr(at, end - at));
      cells.push_back(std::move(cell));
      at = end;
    }
    if (at >= line.size()) return cells;
    ++at;  // the comma
  }
}

// A name has none of these characters.
Status check_separator(const std::vector<Node>& columns) {
  constexpr std::pair<char, std::string_view> kOthers[] = {
      {';', "semicolons"}, {'\t', "tabs"}, {'|', "'|'"}};
  for (const Node& column : columns)
    for (const auto& [other, name] : kOthers)
      if (!column.quoted && column.scalar.find(other) != std::string::npos)
        return wrong(column, fmt::format("the columns are separated by {}, not commas; save the table with "
                                         "commas (a cell that has one in double quotes)",
                                         name));
  return Done{};
}

Status check_columns(const std::vector<Node>& columns) {
  KS_RETURN_IF_ERROR(check_separator(columns));
  std::set<std::string> met;
  for (const Node& column : columns) {
    if (column.scalar.empty()) return wrong(column, "a column without a name");
    if (!met.insert(column.scalar).second)
      return wrong(column, "column '" + column.scalar + "' appears twice");
  }
  return Done{};
}

// A single cell that is not a number must not make a column of numbers text: it is an error.
Status check_numbers(const Table& table) {
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const std::string& name = table.columns[c].scalar;
    if (name == "label" || !is_number(table.rows.front()[c])) continue;
    for (const auto& row : table.rows) {
      if (row[c].is_null() || is_number(row[c])) continue;
      return wrong(
          row[c],
          fmt::format("column '{}' holds numbers, but {} is none; put its first value in quotes for text",
                      name, describe(row[c])));
    }
  }
  return Done{};
}

}  // namespace

Result<Table> parse_table(std::string_view text, const std::string& file) {
  const auto source = std::make_shared<const TextSource>(TextSource{file, true});
  Node start;
  start.source = source;
  start.place = {1, 1};
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (const auto flaw = flaw_of_text(text)) {
    start.place = flaw->place;
    return wrong(start, flaw->message);
  }
  Table table;
  int number = 0;
  while (!text.empty()) {
    const auto end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (table.columns.empty() && line.find('\r') != line.npos)
      return wrong(start,
                   "the lines end with a carriage return alone; save the table with line feeds (LF)");
    if (trimmed(line).empty() || trimmed(line).front() == '#') continue;
    KS_ASSIGN_OR_RETURN(auto cells, cells_of(line, number, source));
    if (table.columns.empty()) {
      table.columns = std::move(cells);
      KS_RETURN_IF_ERROR(check_columns(table.columns));
      continue;
    }
    if (cells.size() != table.columns.size()) {
      return wrong(cells.front(), fmt::format("{} cells, but the table has {} columns", cells.size(),
                                              table.columns.size()));
    }
    if (table.rows.size() >= kListedValuesMax) return wrong(cells.front(), "too many rows");
    table.rows.push_back(std::move(cells));
  }
  if (table.columns.empty()) return wrong(start, "an empty table; its first line names the columns");
  if (table.rows.empty()) return wrong(start, "a table without rows");
  KS_RETURN_IF_ERROR(check_numbers(table));
  return table;
}

Result<Table> TableSource::read(const Node& path) {
  const auto same = [&path](const TextFile& file) { return file.path == path.scalar; };
  if (given_) {
    const auto found = std::ranges::find_if(*given_, same);
    if (found == given_->end())
      return wrong(path, fmt::format("table {}: it was not sent or stored with the sweep", path.scalar));
    if (std::ranges::none_of(read_, same)) read_.push_back(*found);
    return parse_table(found->content, path.scalar);
  }
  if (!directory_) return wrong(path, "tables are read only for a sweep that is a file");
  namespace fs = std::filesystem;
  const fs::path named = path.scalar;
  fs::path file = fs::path(*directory_) / named;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    const fs::path beside = fs::path(*directory_) / named.filename();
    if (fs::exists(beside, ignored)) file = beside;
  }
  auto text = read_text_file(file.string(), kTableBytesMax);
  if (!text) return wrong(path, fmt::format("table {}: {}", file.string(), text.error().message));
  if (std::ranges::none_of(read_, same)) read_.push_back({path.scalar, *text});
  return parse_table(*text, file.string());
}

}  // namespace kernsweep
