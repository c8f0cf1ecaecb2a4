#include <fmt/format.h>

#include <unordered_map>

#include "language/file/keys.hpp"
#include "language/file/names.hpp"
#include "language/file/setting.hpp"
#include "language/space/axis.hpp"
#include "language/space/range.hpp"
#include "language/space/spelling.hpp"
#include "language/space/table.hpp"
#include "shared/base/try.hpp"
#include "shared/text/environment_column.hpp"
#include "shared/text/suggest.hpp"

namespace kernsweep {
namespace {

struct Reading {
  Axis axis;
  TableSource& tables;
  const PassedColumns& passed;
  std::vector<std::string>& notes;
  std::vector<std::string> written = {};  // the values of a list, as the file has them
};

Status add_field(Reading& reading, const Node& name, const std::vector<const Node*>& scalars) {
  AxisField field;
  field.name = name.scalar;
  field.place = name.source && name.source->has_lines ? name.place : Place{};
  // A label is text even if it looks like a number.
  field.kind = kind_of(scalars, is_environment(field.name) || field.name == "label");
  const bool keep_word = reading.passed.keep_word_of(field.name);
  PassedNotes passed(reading.passed, field.name);
  std::vector<Value> values;
  values.reserve(scalars.size());
  for (const Node* scalar : scalars) {
    KS_RETURN_IF_ERROR(check_exact(*scalar, field.name, field.kind, keep_word));
    KS_RETURN_IF_ERROR(reading.passed.check_nul(*scalar, field.name));
    auto value = value_in_kind(*scalar, field.kind);
    KS_ASSERT(value.has_value());
    values.push_back(keep_word ? with_word(scalar->scalar, *value) : std::move(*value));
    passed.look_at(*scalar, values.back());
  }
  passed.add_to(reading.notes);
  field.values = ValueList(std::move(values));
  reading.axis.fields.push_back(std::move(field));
  return Done{};
}

Status read_scalars(Reading& reading, const Node& name, const Node& list) {
  Axis& axis = reading.axis;
  std::vector<const Node*> scalars;
  for (const Node& item : list.items) {
    if (!item.is_scalar()) {
      return wrong(item,
                   fmt::format("axis '{}' lists scalars, so {} does not fit", axis.name, describe(item)));
    }
    scalars.push_back(&item);
    axis.rows_at.push_back(where(item));
    reading.written.push_back(item.scalar);
  }
  return add_field(reading, name, scalars);
}

Status check_record(const Axis& axis, const Node& first, const Node& item) {
  for (const auto& entry : item.entries) {
    if (!is_ignored_key(entry.key.scalar) && first.find(entry.key.scalar) == nullptr) {
      return wrong(entry.key, fmt::format("axis '{}': '{}' is not a column of the first record", axis.name,
                                          entry.key.scalar));
    }
    if (!entry.value.is_scalar()) {
      return wrong(entry.value, fmt::format("axis '{}': '{}' takes one value, not {}", axis.name,
                                            entry.key.scalar, describe(entry.value)));
    }
  }
  for (const auto& entry : first.entries) {
    if (item.find(entry.key.scalar) == nullptr) {
      return wrong(item, fmt::format("axis '{}': this record lacks '{}'; write null if it is not set",
                                     axis.name, entry.key.scalar));
    }
  }
  return Done{};
}

Status read_records(Reading& reading, const Node& list) {
  Axis& axis = reading.axis;
  axis.record = true;
  const Node& first = list.items.front();
  for (const Node& item : list.items) {
    if (!item.is_mapping()) {
      return wrong(item,
                   fmt::format("axis '{}' lists records, so {} does not fit", axis.name, describe(item)));
    }
    KS_RETURN_IF_ERROR(check_record(axis, first, item));
    axis.rows_at.push_back(where(item));
  }
  for (const auto& entry : first.entries) {
    if (is_ignored_key(entry.key.scalar)) continue;
    std::vector<const Node*> scalars;
    for (const Node& item : list.items) scalars.push_back(item.find(entry.key.scalar));
    KS_RETURN_IF_ERROR(add_field(reading, entry.key, scalars));
  }
  if (axis.fields.empty())
    return wrong(first, fmt::format("axis '{}': a record without columns", axis.name));
  return Done{};
}

Status read_list(Reading& reading, const Node& name, const Node& list) {
  if (list.items.empty()) {
    return wrong(list,
                 fmt::format("axis '{}' has no values; give one or remove the axis", reading.axis.name));
  }
  return list.items.front().is_mapping() ? read_records(reading, list) : read_scalars(reading, name, list);
}

Status read_rows(Reading& reading, const Node& path) {
  Axis& axis = reading.axis;
  if (!path.is_scalar() || path.is_null() || path.scalar.empty()) {
    return wrong(path, fmt::format("table takes the path of a CSV file, not {}", describe(path)));
  }
  KS_ASSIGN_OR_RETURN(const auto table, reading.tables.read(path));
  axis.record = true;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    std::vector<const Node*> scalars;
    for (const auto& row : table.rows) scalars.push_back(&row[c]);
    KS_RETURN_IF_ERROR(check_column_name(table.columns[c]));
    KS_RETURN_IF_ERROR(add_field(reading, table.columns[c], scalars));
    axis.fields.back().place = path.source->has_lines ? path.place : Place{};
  }
  for (const auto& row : table.rows) axis.rows_at.push_back(where(row.front()));
  return Done{};
}

Status read_spec(Reading& reading, const Node& name, const Node& spec) {
  Axis& axis = reading.axis;
  const auto keys = key_named(language(), "axes")->keys;
  for (const auto& entry : spec.entries) {
    const std::string& key = entry.key.scalar;
    if (is_ignored_key(key) || key_named(keys, key) != nullptr) continue;
    const auto near = nearest(key, names_of(keys));
    return wrong(entry.key,
                 fmt::format("axis '{}' has no key '{}'; {}", axis.name, key,
                             near ? fmt::format("did you mean '{}'?", *near)
                                  : fmt::format("a record is written as a list: [{{{}: ...}}]", key)));
  }
  std::vector<std::string> given;
  for (const char* source : {"values", "range", "pow2", "table"}) {
    if (spec.find(source) != nullptr) given.emplace_back(source);
  }
  if (given.size() != 1) {
    return wrong(spec,
                 fmt::format("axis '{}' needs one of values, range, pow2 and table, and has {}", axis.name,
                             given.empty() ? "none" : fmt::format("{}", fmt::join(given, " and "))));
  }
  if (const Node* when = spec.find("when")) axis.when = *when;
  const Node& source = *spec.find(given.front());
  if (given.front() != "range" && given.front() != "pow2") {
    for (const char* other : {"step", "mul"}) {
      if (const Node* misplaced = spec.find(other)) {
        return wrong(*misplaced,
                     fmt::format("`{}` belongs to `range`, and axis '{}' has none", other, axis.name));
      }
    }
  }
  if (given.front() == "table") return read_rows(reading, source);
  if (given.front() == "values") {
    if (source.is_sequence()) return read_list(reading, name, source);
    if (source.is_scalar()) {
      axis.rows_at.push_back(where(source));
      return add_field(reading, name, {&source});
    }
    return wrong(source,
                 fmt::format("axis '{}': values takes a list, not {}", axis.name, describe(source)));
  }
  KS_ASSIGN_OR_RETURN(auto field, read_range(axis.name, spec, reading.notes));
  field.place = axis.place;
  if (is_environment(axis.name)) {  // environment variables are text
    if (field.values.size() > kListedValuesMax)
      return wrong(source, "too many values for an environment variable");
    std::vector<Value> texts(field.values.size());
    for (std::uint64_t i = 0; i < texts.size(); ++i) {
      field.values.get(i, texts[i]);
      texts[i] = with_digits(texts[i]).to_text();
    }
    field.values = ValueList(std::move(texts));
    field.kind = ValueKind::text;
  }
  if (reading.passed.keep_word_of(axis.name) && field.kind == ValueKind::real) {
    std::vector<Value> computed = field.values.listed();
    for (Value& each : computed) each = with_digits(each);
    field.values = ValueList(std::move(computed));
  }
  axis.fields.push_back(std::move(field));
  return Done{};
}

// Error if two rows measure the same: they would be one job with two names.
Status check_rows_differ(const Axis& axis, const std::vector<std::string>& written) {
  if (axis.fields.front().values.is_range()) return Done{};
  std::unordered_map<std::string, std::uint64_t> met;
  std::string canonical;
  for (std::uint64_t row = 0; row < axis.size(); ++row) {
    canonical.clear();
    for (const auto& field : axis.fields) {
      if (!is_note(field.name)) append_identity(field.values.listed()[row], canonical);
    }
    const auto [found, fresh] = met.emplace(canonical, row);
    if (fresh) continue;
    const bool has_place = row < axis.rows_at.size();
    const std::string place = has_place ? axis.rows_at[row] : axis.where;
    if (!axis.record && !is_note(axis.name)) {
      const std::uint64_t first = found->second;
      if (row < written.size() && written[row] != written[first])
        return failure(fmt::format("{}: '{}' is the same value as '{}' in axis '{}'; remove one", place,
                                   written[row], written[first], axis.name));
      return failure(fmt::format("{}: value '{}' appears twice in axis '{}'; remove one", place,
                                 axis.fields.front().values.listed()[row].to_text(), axis.name));
    }
    return failure(
        fmt::format("{}: axis '{}': this row measures the same as the one at {} (`label` and `count` are "
                    "notes and do not distinguish points); remove one",
                    place, axis.name, has_place ? axis.rows_at[found->second] : axis.where));
  }
  return Done{};
}

}  // namespace

Result<Axis> read_axis(const Node& name, const Node& value, TableSource& tables,
                       const PassedColumns& passed, std::vector<std::string>& notes) {
  KS_RETURN_IF_ERROR(check_column_name(name));
  Reading reading{Axis{}, tables, passed, notes};
  Axis& axis = reading.axis;
  axis.name = name.scalar;
  axis.place = name.source && name.source->has_lines ? name.place : Place{};
  axis.where = where(name);
  axis.text = text_of(value);
  Status read;
  if (value.is_mapping()) {
    read = read_spec(reading, name, value);
  } else if (value.is_sequence()) {
    read = read_list(reading, name, value);
  } else {
    axis.rows_at.push_back(where(value));
    read = add_field(reading, name, {&value});
  }
  KS_RETURN_IF_ERROR(read);
  for (const auto& field : axis.fields) {
    Node column = name;
    column.scalar = field.name;
    KS_RETURN_IF_ERROR(check_column_name(column));
  }
  if (axis.size() > kListedValuesMax && !axis.fields.front().values.is_range()) {
    return wrong(value, fmt::format("axis '{}' lists more than {} values", axis.name, kListedValuesMax));
  }
  KS_RETURN_IF_ERROR(check_rows_differ(axis, reading.written));
  return std::move(axis);
}

}  // namespace kernsweep
