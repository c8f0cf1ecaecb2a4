// The output of a program as candidates for numbers: the cells of the selected rows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shared/base/result.hpp"
#include "shared/lists/printed_values.hpp"

namespace kernsweep {

// The selected row: each key has this value. Empty: any row.
using WantedRow = std::vector<std::pair<std::string, std::string>>;

// A number as it is printed, and its unit if that is printed, too.
struct Cell {
  std::string number, unit;
};

// What rows have in one key, and how many lack it.
struct RowKeys {
  std::vector<std::string> keys;
  std::size_t without = 0;
};

// The cells of one value: one for each selected row, or those of an array in one row. Empty: the selected
// rows do not have the value. Errors, without the name of the value: the text has another form; no row is
// selected.
class PrintedText {
 public:
  virtual ~PrintedText() = default;
  virtual Result<std::vector<Cell>> cells_of(const PrintedValue& value) const = 0;
  // The values of a key, column or group in the selected rows, in their order; `value` is one of theirs.
  virtual Result<RowKeys> keys_of(const std::string& key, const PrintedValue& value) const = 0;
};

struct ReadText {
  std::string_view text;
  const PrintedValues& printed;
  const WantedRow& row;
};
// For a JSON document, a table of CSV, and text with patterns. The texts that they read must outlive them.
Result<std::unique_ptr<PrintedText>> read_json(const ReadText& from);
Result<std::unique_ptr<PrintedText>> read_csv(const ReadText& from);
std::unique_ptr<PrintedText> read_lines(const ReadText& from);

// The values of the key in all rows. Error: the text has another form, no row has the key, or rows have the
// same value and are not samples.
Result<RowKeys> row_keys(const ReadText& from, const std::string& key);

// The rows, keys, columns and pointers that are read of a text of this form.
std::vector<std::string> places_in(const ReadText& from, PrintedValue::Form form);

// For messages: the selection, as "name=BM_a type=x"; the values that rows have instead, the first of them.
std::string text_of(const WantedRow& row);
std::string no_row(const WantedRow& wanted, const std::vector<std::string>& there);
// The error if all these rows are selected, by their values of the key `samples_of` ("": rows are not
// samples); empty: nothing.
std::string several_rows(const std::string& samples_of, const WantedRow& wanted,
                         const std::vector<std::string>& rows);
// Whether a cell equals the wanted value: the same text, or also the same number. Rows are compared as
// numbers only where no row has the text: 7 and 007 may be two rows.
enum class Spelling : std::uint8_t { exact, number };
bool is_same(std::string_view cell, std::string_view wanted, Spelling how);
// Likewise of all keys; both have the same ones, in the same order.
bool is_row(const WantedRow& has, const WantedRow& wanted, Spelling how);

}  // namespace kernsweep
