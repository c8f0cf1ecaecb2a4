// What a program has printed, as candidates for numbers: the cells of the rows that are meant.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared/base/result.hpp"
#include "shared/lists/printed_values.hpp"

namespace kernsweep {

// The row that is meant: each key has this value. Empty: any row.
using WantedRow = std::vector<std::pair<std::string, std::string>>;

// A number as it is printed, and its unit where that is printed too.
struct Cell {
  std::string number, unit;
};

// The cells of one value, one a row that fits, or of one row those of an array. Empty: rows fit, and have
// no such value. Errors, without the name of the value: the text is of another form; no row fits.
class PrintedText {
 public:
  virtual ~PrintedText() = default;
  virtual Result<std::vector<Cell>> cells_of(const PrintedValue& value) const = 0;
  // What the rows that fit have in this key, column or group, in their order; `value` is one of theirs.
  virtual Result<std::vector<std::string>> keys_of(const std::string& key,
                                                   const PrintedValue& value) const = 0;
};

struct ReadText {
  std::string_view text;
  const PrintedValues& printed;
  const WantedRow& row;
};
// Of a JSON document, a table of CSV, and text that patterns match. What they read must outlive them.
Result<std::unique_ptr<PrintedText>> read_json(const ReadText& from);
Result<std::unique_ptr<PrintedText>> read_csv(const ReadText& from);
std::unique_ptr<PrintedText> read_lines(const ReadText& from);

// What the rows have in the key. Error: the text is of another form, no row has the key, rows have the same
// and are no samples.
Result<std::vector<std::string>> row_keys(const ReadText& from, const std::string& key);

// For messages: "name=BM_a type=x"; what rows have in place of it, the first of them.
std::string text_of(const WantedRow& row);
std::string no_row(const WantedRow& wanted, const std::vector<std::string>& there);
// What is wrong if all these rows fit, by what they have in the key `samples_of` ("": rows are no samples);
// empty: nothing.
std::string several_rows(const std::string& samples_of, const WantedRow& wanted,
                         const std::vector<std::string>& rows);
// Whether a cell is what is wanted: the same text, or the same number.
bool is_same(std::string_view cell, std::string_view wanted);

}  // namespace kernsweep
