// Rows as a table for people: columns aligned, numbers to the right, times in a fitting unit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "results/read/rows.hpp"

namespace kernsweep {

struct TableStyle {
  std::size_t rows_max = static_cast<std::size_t>(-1);  // then "... and 12 more rows"
  std::size_t rows_more = 0;  // rows that the caller has left out itself: they are counted at the end
  std::size_t cell_max = 60;  // longer texts end in "…"
  bool drop_empty_columns = false;
};

// Lines end in '\n'. Columns named *_s are shown as times and lose the suffix; times_better, speedup, least
// and most as "2.14x"; other fractions with four digits; NULL as "-". Control characters are shown as
// spaces.
std::string text_table(const RowSet& rows, const TableStyle& style);
inline std::string text_table(const RowSet& rows) {
  return text_table(rows, TableStyle{});
}

// `text` with a line break in place of the space before each word that would end beyond `columns`; longer
// words stay whole.
std::string wrapped(std::string_view text, std::size_t columns);

// "label  value" lines, values beginning in one column; the lines of a value stay below each other.
std::string text_list(const std::vector<std::pair<std::string, Value>>& entries, const std::string& indent);

}  // namespace kernsweep
