// Formats rows as a text table: aligned columns, numbers to the right, times with a suitable unit.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "results/read/rows.hpp"

namespace kernsweep {

struct TableStyle {
  std::size_t rows_max = static_cast<std::size_t>(-1);  // the others are counted: "... and 12 more rows"
  std::size_t rows_more = 0;  // number of rows that the caller has left out; added to that count
  std::size_t cell_max = 60;  // longer texts end in "…", unless texts that differ would look alike
  bool drop_empty_columns = false;
  std::size_t settings = 0;  // number of first columns with names of the user, such as `tile_s`
};

// Lines end in '\n'. Our own columns named *_s (but not *unix_s) are shown as times, without the suffix;
// the columns times_better*, at_least, speedup, least and most as "2.14x"; other real numbers by
// text_of_number(). Values of settings are shown so that they read back exactly, and up to 4 * cell_max
// long, as the column `runner_up` is. NULL is "-"; control characters are shown as spaces.
std::string text_table(const RowSet& rows, const TableStyle& style);
inline std::string text_table(const RowSet& rows) {
  return text_table(rows, TableStyle{});
}

// Columns on a terminal: two for characters of East Asian scripts and emoji, none for combining marks.
std::size_t text_width(const std::string& text);
// On one line, without control characters, at most `columns` code points; a text that was cut ends in "…".
std::string shortened(const std::string& text, std::size_t columns_max);

// The texts, shortened unless two different ones would look alike.
std::vector<std::string> shortened_apart(const std::vector<std::string>& texts, std::size_t columns_max);

// Breaks lines at spaces so that no line is wider than `columns`; a longer word is not broken.
std::string wrapped(std::string_view text, std::size_t columns);

// "label  value" lines with aligned values; further lines of a value are aligned with its first one.
std::string text_list(const NamedValues& entries, const std::string& indent);

// "everywhere: m=1 n=2", each name and value on one line and not too long; empty: nothing is.
std::string everywhere_in_words(const NamedValues& everywhere);

}  // namespace kernsweep
