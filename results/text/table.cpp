#include "results/text/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/text/units.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

bool continues(char c) {
  return (static_cast<unsigned char>(c) & 0xC0) == 0x80;
}

// The number of code points, which is the width in a terminal for European and Greek letters.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return !continues(c); }));
}

std::string clipped(std::string text, std::size_t max) {
  text = one_line(text, std::string::npos);
  if (width_of(text) <= max || max == 0) return text;
  std::size_t at = 0;
  for (std::size_t shown = 0; at < text.size(); ++at)
    if (!continues(text[at]) && ++shown == max) break;
  return text.substr(0, at) + "…";
}

bool is_time(const std::string& column) {
  return column.size() > 2 && column.ends_with("_s");
}

bool is_moment(const std::string& column) {
  return column.ends_with("unix_s");
}

bool is_ratio(const std::string& column) {
  return column.starts_with("times_better") || column == "at_least" || column == "speedup" ||
         column == "least" || column == "most";
}

std::string shown(const std::string& column, const Value& value) {
  if (value.is_null()) return "-";
  if (is_moment(column)) return value.to_text();
  if (is_time(column) && value.number()) return text_of_seconds(*value.number());
  if (is_ratio(column) && value.number()) return fmt::format("{:.2f}x", *value.number());
  if (const auto* real = value.real()) return text_of_number(*real);
  return value.to_text();
}

void append_padded(std::string& line, const std::string& cell, std::size_t width, bool right) {
  const std::string space(width - std::min(width, width_of(cell)), ' ');
  line += right ? space + cell : cell + space;
}

}  // namespace

std::string text_table(const RowSet& rows, const TableStyle& style) {
  const std::size_t count = std::min(rows.rows.size(), style.rows_max);
  std::vector<std::vector<std::string>> lines(count + 1);
  std::vector<std::size_t> widths;
  std::vector<char> right;
  for (std::size_t c = 0; c < rows.columns.size(); ++c) {
    const std::string& name = rows.columns[c];
    const auto empty = [&](const auto& row) { return row[c].is_null(); };
    if (style.drop_empty_columns && !rows.rows.empty() && std::ranges::all_of(rows.rows, empty)) continue;
    const bool suffix = is_time(name) && !is_moment(name);
    lines[0].push_back(clipped(suffix ? name.substr(0, name.size() - 2) : name, style.cell_max));
    std::size_t width = width_of(lines[0].back());
    bool numbers = false, texts = false;
    for (std::size_t r = 0; r < count; ++r) {
      const Value& value = rows.rows[r][c];
      numbers = numbers || value.number();
      texts = texts || value.text();
      lines[r + 1].push_back(clipped(shown(name, value), style.cell_max));
      width = std::max(width, width_of(lines[r + 1].back()));
    }
    widths.push_back(width);
    right.push_back(numbers && !texts ? 1 : 0);
  }
  std::string out;
  for (const auto& cells : lines) {
    std::string line;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      if (c > 0) line += "  ";
      append_padded(line, cells[c], widths[c], right[c] != 0);
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out += line + "\n";
  }
  if (const std::size_t more = rows.rows.size() - count + style.rows_more; more > 0)
    out += fmt::format("... and {}\n", counted(more, "more row", "more rows"));
  return out;
}

std::string wrapped(std::string_view text, std::size_t columns) {
  std::string out;
  std::size_t used = 0;  // columns used in the current line
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" \n", from), text.size());
    const std::string word(text.substr(from, end - from));
    const std::size_t width = width_of(word);
    const bool fresh = out.empty() || out.back() == '\n';
    if (!fresh && used + 1 + width > columns) {
      out += '\n';
      used = 0;
    } else if (!fresh) {
      out += ' ';
      ++used;
    }
    out += word;
    used += width;
    if (end < text.size() && text[end] == '\n') {
      out += '\n';
      used = 0;
    }
    from = end + 1;
  }
  return out;
}

std::string text_list(const std::vector<std::pair<std::string, Value>>& entries,
                      const std::string& indent) {
  std::size_t width = 0;
  for (const auto& [name, value] : entries) width = std::max(width, width_of(name));
  std::string out;
  for (const auto& [name, value] : entries) {
    std::string line = indent;
    append_padded(line, name, width + 2, false);
    const std::string text = value.text() ? *value.text() : shown(name, value);
    for (std::size_t from = 0; from <= text.size();) {
      const std::size_t end = std::min(text.find('\n', from), text.size());
      if (from > 0 && end == from && end == text.size()) break;
      out += (from == 0 ? line : indent + std::string(width + 2, ' ')) +
             clipped(text.substr(from, end - from), 0) + "\n";
      from = end + 1;
    }
  }
  return out;
}

}  // namespace kernsweep
