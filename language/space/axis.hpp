// One axis of a sweep: its columns and their values, row by row.
//
// A list axis has one column. A record axis (a list of mappings, or a table) has one per field; the values
// of a row belong together. A range of whole numbers is stored as three numbers, so that an axis of 10^9
// values needs no memory.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "language/file/yaml_tree.hpp"
#include "shared/base/value.hpp"

namespace kernsweep {

class TableSource;     // language/space/table.hpp
struct PassedColumns;  // language/space/spelling.hpp

inline constexpr std::uint64_t kListedValuesMax = 1u << 20;
inline constexpr std::size_t kAxesMax = 200;

// The kind of a column's scalars, decided once for all of its values.
enum class ValueKind : std::uint8_t { integer, real, boolean, text };

std::string_view name_of(ValueKind kind);  // "integers", "numbers", "true and false", "text"

// The kind of these scalars: all whole numbers, all numbers, all true or false, otherwise text. null is
// ignored, and a scalar in quotes makes the column text. `environment`: always text.
ValueKind kind_of(const std::vector<const Node*>& scalars, bool environment);
// The value of `scalar` in a column of that kind; nothing if it does not fit the kind.
std::optional<Value> value_in_kind(const Node& scalar, ValueKind kind);

// Error if a column of this kind cannot hold `scalar`: a whole number would be rounded next to fractions,
// unless the column keeps the spelling (`keeps_word`).
Status check_exact(const Node& scalar, const std::string& column, ValueKind kind, bool keeps_word);

// The values of one column.
class ValueList {
 public:
  ValueList() = default;
  explicit ValueList(std::vector<Value> values) : values_(std::move(values)) {}
  // low, low + step, ...: `count` values.
  static ValueList arithmetic(std::int64_t low, std::int64_t step, std::uint64_t count);

  std::uint64_t size() const { return is_range_ ? count_ : values_.size(); }
  void get(std::uint64_t row, Value& out) const;
  bool holds_at(std::uint64_t row, const Value& value) const;
  bool is_range() const { return is_range_; }
  const std::vector<Value>& listed() const { return values_; }
  // The row of `value`; nothing if it is not among the values.
  std::optional<std::uint64_t> row_of(const Value& value) const;

 private:
  std::vector<Value> values_;
  std::int64_t low_ = 0, step_ = 1;
  std::uint64_t count_ = 0;
  bool is_range_ = false;
};

struct AxisField {
  std::string name;  // of the column
  ValueKind kind = ValueKind::text;
  ValueList values;
  Place place;
};

struct Axis {
  std::string name;
  bool record = false;               // has one column for each field of its records
  std::vector<AxisField> fields;     // one for a list axis, with the name of the axis
  std::vector<std::string> rows_at;  // the place of each row, for messages; empty for ranges
  std::optional<Node> when;          // the text of its condition
  Place place;
  std::string where;  // "gemm.yaml:9:3"
  std::string text;   // as written, shortened: "{pow2: [0, 4]}", for reports

  std::uint64_t size() const { return fields.front().values.size(); }
};

// Canonical text of the value with its spelling: values differ if their identities differ.
void append_identity(const Value& value, std::string& out);

// Whether the column is `label` or `count`: notes about a row that do not change what is measured.
bool is_note(std::string_view column);

// Reads the axis `name` of `axes:`. Adds notes for the user ("a range that misses its end") to `notes`.
// Columns of `passed` keep the spelling of their numbers.
Result<Axis> read_axis(const Node& name, const Node& value, TableSource& tables,
                       const PassedColumns& passed, std::vector<std::string>& notes);

}  // namespace kernsweep
