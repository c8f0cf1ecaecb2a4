#include "results/text/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "results/text/units.hpp"
#include "shared/text/counted.hpp"
#include "shared/text/metric_name.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

struct CodePoints {
  std::uint32_t first, last;
};
// Blocks of wide characters (all or nearly all), and of marks that combine with other characters: Unicode
// 15, EastAsianWidth.txt and the general category Mn.
constexpr CodePoints kWide[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},  {0xA960, 0xA97C}, {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},  {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FC}, {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD}};
constexpr CodePoints kNoWidth[] = {{0x0300, 0x036F}, {0x0483, 0x0487}, {0x0591, 0x05BD}, {0x064B, 0x065F},
                                   {0x200B, 0x200D}, {0x20D0, 0x20F0}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};

// Terminal columns of the first character, which has `length` bytes.
std::size_t columns_of(std::string_view text, std::size_t length) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  if (length < 2) return 1;
  std::uint32_t point = byte(0) & (0xFFU >> (length + 1));
  for (std::size_t at = 1; at < length; ++at) point = point << 6U | (byte(at) & 0x3FU);
  const auto holds = [&](const CodePoints& block) { return block.first <= point && point <= block.last; };
  return std::ranges::any_of(kNoWidth, holds) ? 0 : std::ranges::any_of(kWide, holds) ? 2 : 1;
}

// Calls each(place, bytes, columns) for each character, until it returns false. A byte that is not UTF-8
// counts as one.
template <typename Each>
void each_character(std::string_view text, const Each& each) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = std::max<std::size_t>(utf8_length(text.substr(at)), 1);
    if (!each(at, length, columns_of(text.substr(at), length))) return;
    at += length;
  }
}

std::size_t width_of(const std::string& text) {
  std::size_t width = 0;
  each_character(text, [&](std::size_t, std::size_t, std::size_t columns) {
    width += columns;
    return true;
  });
  return width;
}

std::string clipped(std::string text, std::size_t max) {
  text = one_line(text, std::string::npos);
  if (width_of(text) <= max || max == 0) return text;
  std::size_t shown = 0, end = 0;
  each_character(text, [&](std::size_t at, std::size_t length, std::size_t columns) {
    if (shown + columns > max - 1) return false;
    shown += columns;
    end = at + length;
    return true;
  });
  return text.substr(0, end) + "…";
}

bool is_moment(const std::string& column) {
  return column.ends_with("unix_s");
}

bool is_ratio(const std::string& column) {
  return column.starts_with("times_better") || column == "at_least" || column == "speedup" ||
         column == "least" || column == "most";
}

std::string shown(const std::string& column, const Value& value) {
  if (is_moment(column) || value.word() != nullptr) return value.to_text();
  if (is_in_seconds(column) && value.number()) return text_of_seconds(*value.number());
  if (is_ratio(column) && value.number()) return fmt::format("{:.2f}x", *value.number());
  if (const auto* real = value.real()) return text_of_number(*real);
  return value.to_text();
}

// Shortens texts, except those that would then look like another one.
class Apart {
 public:
  explicit Apart(std::size_t columns_max) : max_(columns_max) {}

  void add(const std::string& text) {
    if (text.size() <= max_) return;  // no text has more columns than bytes
    const auto [known, fresh] = text_of_.try_emplace(clipped(text, max_), text);
    if (!fresh && known->second != text) alike_.insert(known->first);
  }
  std::string shown(const std::string& text) const {
    std::string shortened = clipped(text, max_);
    return alike_.contains(shortened) ? clipped(text, 0) : shortened;
  }

 private:
  std::size_t max_;
  std::map<std::string, std::string> text_of_;
  std::set<std::string> alike_;
};

void append_padded(std::string& line, const std::string& cell, std::size_t width, bool right) {
  const std::string space(width - std::min(width, width_of(cell)), ' ');
  line += right ? space + cell : cell + space;
}

}  // namespace

std::string text_table(const RowSet& rows, const TableStyle& style) {
  // A row must show which setting it is about.
  constexpr std::size_t kWhole = 4;
  Apart cells(style.cell_max), settings(kWhole * style.cell_max);
  std::vector<char> is_setting;
  const std::size_t count = std::min(rows.rows.size(), style.rows_max);
  std::vector<std::vector<std::string>> lines(count + 1);
  std::vector<std::size_t> widths;
  std::vector<char> right;
  for (std::size_t c = 0; c < rows.columns.size(); ++c) {
    const std::string& name = rows.columns[c];
    const auto empty = [&](const auto& row) { return row[c].is_null(); };
    if (style.drop_empty_columns && !rows.rows.empty() && std::ranges::all_of(rows.rows, empty)) continue;
    const bool ours = c >= style.settings;
    const bool suffix = ours && is_in_seconds(name) && !is_moment(name);
    lines[0].push_back(clipped(suffix ? name.substr(0, name.size() - 2) : name, style.cell_max));
    const std::size_t width = width_of(lines[0].back());
    is_setting.push_back(style.settings > 0 && (!ours || name == "runner_up") ? 1 : 0);
    bool numbers = false, texts = false;
    for (std::size_t r = 0; r < count; ++r) {
      const Value& value = rows.rows[r][c];
      numbers = numbers || value.number();
      texts = texts || value.text();
      lines[r + 1].push_back(value.is_null() ? "-" : ours ? shown(name, value) : value.to_text());
      (is_setting.back() != 0 ? settings : cells).add(lines[r + 1].back());
    }
    widths.push_back(width);
    right.push_back(numbers && !texts ? 1 : 0);
  }
  for (std::size_t r = 1; r < lines.size(); ++r)
    for (std::size_t c = 0; c < widths.size(); ++c) {
      lines[r][c] = (is_setting[c] != 0 ? settings : cells).shown(lines[r][c]);
      widths[c] = std::max(widths[c], width_of(lines[r][c]));
    }
  std::string out;
  for (const auto& line_of : lines) {
    std::string line;
    for (std::size_t c = 0; c < line_of.size(); ++c) {
      if (c > 0) line += "  ";
      append_padded(line, line_of[c], widths[c], right[c] != 0);
    }
    while (!line.empty() && line.back() == ' ') line.pop_back();
    out += line + "\n";
  }
  if (const std::size_t more = rows.rows.size() - count + style.rows_more; more > 0)
    out += fmt::format("... and {}\n", counted(more, "more row", "more rows"));
  return out;
}

std::size_t text_width(const std::string& text) {
  return width_of(text);
}

std::string shortened(const std::string& text, std::size_t columns_max) {
  return clipped(text, columns_max);
}

std::vector<std::string> shortened_apart(const std::vector<std::string>& texts, std::size_t columns_max) {
  Apart apart(columns_max);
  std::vector<std::string> all;
  for (const std::string& text : texts) apart.add(text);
  for (const std::string& text : texts) all.push_back(apart.shown(text));
  return all;
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

std::string text_list(const NamedValues& entries, const std::string& indent) {
  std::size_t width = 0;
  for (const auto& [name, value] : entries) width = std::max(width, width_of(name));
  std::string out;
  for (const auto& [name, value] : entries) {
    std::string line = indent;
    append_padded(line, name, width + 2, false);
    const std::string text = value.is_null() ? "-" : value.text() ? *value.text() : shown(name, value);
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

std::string everywhere_in_words(const NamedValues& everywhere) {
  constexpr std::size_t kBytesMax = 60;
  std::string text;
  for (const auto& [name, value] : everywhere)
    text += fmt::format(" {}={}", one_line(name, kBytesMax), one_line(value.to_text(), kBytesMax));
  return text.empty() ? "" : "everywhere:" + text;
}

}  // namespace kernsweep
