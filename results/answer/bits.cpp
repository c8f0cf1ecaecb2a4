#include "results/answer/bits.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "results/read/file_order.hpp"
#include "results/read/point_table.hpp"
#include "results/read/software_classes.hpp"
#include "results/read/value_codes.hpp"
#include "results/text/units.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {

using sqlite::Row;

namespace {

// Jobs that differ in the process only.
struct Unit {
  std::uint32_t hash = 0, inputs = 0;
  std::uint64_t result = 0;
  std::uint32_t processes = 1;
  std::uint32_t other_hashes = 0;  // processes whose output differs from the first's
  std::uint64_t other_result = 0;
  bool repeatable = true;
};

struct BitsColumn {
  enum : std::size_t { kStatus = 0, kGrade, kHash, kResult, kInputs, kRepeatable, kValues };
};

class Matrix {
 public:
  Matrix(Reader& reader, const BitsQuestion& question) : reader_(reader), question_(question) {}

  Result<BitsAnswer> answer() {
    const sqlite::Snapshot snapshot(reader_.connection());
    KS_ASSIGN_OR_RETURN(const auto sweep, reader_.find_sweep(question_.sweep));
    out_.sweep = sweep.record.name;
    out_.id = sweep.id;
    KS_RETURN_IF_ERROR(read());
    out_.axes.columns = {"axis", "changes_bits", "pairs", "different", "other_inputs", "example"};
    add_processes();
    for (std::size_t c = 0; c < names_.size(); ++c) add_axis(c);
    add_variants();
    return std::move(out_);
  }

 private:
  Status read() {
    KS_ASSIGN_OR_RETURN(const auto columns, reader_.columns(out_.id));
    names_ = {"variant"};
    std::vector<std::string> selected = {"o.status = 'ok'", "o.grade",  "o.output_hash",
                                         "o.result",        "r.inputs", "r.repeatable is 0",
                                         "o.variant"};
    for (const SweepColumn& column : columns) {
      if (column.derived || column.name == "variant") continue;
      names_.push_back(column.name);
      selected.push_back("o." + column.stored);
    }
    for (const auto& [name, stored] :
         {std::pair("cache", "o.cache"), {"host", "o.host_id"}, {"software", "o.software_id"}}) {
      names_.emplace_back(name);
      selected.emplace_back(stored);
    }
    KS_ASSIGN_OR_RETURN(software_classes_, software_classes(reader_));
    values_.resize(names_.size());
    PointTable table(names_.size());
    KS_ASSIGN_OR_RETURN(const auto order, file_order(reader_.connection(), out_.id));
    KS_RETURN_IF_ERROR(reader_.connection().each_row(
        selected,
        fmt::format("from outcome o left join attempt_row r on r.result = o.result where o.sweep_id = {}",
                    out_.id.value),
        [&](const Row& row) { take(row, table); }, order));
    codes_ = std::move(table).taken_codes();
    return Done{};
  }

  void take(const Row& row, PointTable& table) {
    ++out_.jobs;
    const std::string_view grade = row.text(BitsColumn::kGrade);
    if (row.integer(BitsColumn::kStatus) == 0) {
      ++out_.failed;
    } else if (!grade.empty() && grade[0] > question_.worst_grade) {
      ++out_.graded_below;
    } else if (row.text(BitsColumn::kHash).empty()) {
      ++out_.without_hash;
    } else {
      add(row, table);
    }
  }

  void add(const Row& row, PointTable& table) {
    Unit unit;
    unit.hash = hashes_.of(row.cell(BitsColumn::kHash));
    unit.inputs = static_cast<std::uint32_t>(row.integer(BitsColumn::kInputs));
    unit.result = static_cast<std::uint64_t>(row.integer(BitsColumn::kResult));
    unit.repeatable = row.integer(BitsColumn::kRepeatable) == 0;
    std::vector<std::uint32_t> codes;
    for (std::size_t c = 0; c < names_.size(); ++c) {
      sqlite::Cell cell = row.cell(BitsColumn::kValues + c);
      if (c + 1 == names_.size() && cell.kind == sqlite::Cell::Kind::integer)  // software
        cell.bits = static_cast<std::uint64_t>(software_classes_.at(static_cast<std::int64_t>(cell.bits)));
      codes.push_back(values_[c].of(cell));
    }
    const std::uint32_t known = table.number(codes, {});
    if (known == units_.size()) {
      units_.push_back(unit);
      return;
    }
    Unit& first = units_[known];
    ++first.processes;
    first.repeatable = first.repeatable && unit.repeatable && unit.hash == first.hash;
    if (unit.hash != first.hash) {
      ++first.other_hashes;
      if (first.other_result == 0) first.other_result = unit.result;
    }
  }

  void add_row(const std::string& axis, std::uint64_t pairs, std::uint64_t different,
               std::uint64_t other_inputs, const std::string& example) {
    const auto count = [](std::uint64_t number) { return Value(static_cast<std::int64_t>(number)); };
    out_.axes.rows.push_back({axis, pairs == 0 ? Value() : Value(different > 0 ? "yes" : "no"),
                              count(pairs), count(different), count(other_inputs),
                              example.empty() ? Value() : Value(example)});
  }

  void add_processes() {
    std::uint64_t pairs = 0, different = 0;
    std::string example;
    for (const Unit& unit : units_) {
      pairs += unit.processes - 1;
      different += unit.other_hashes;
      if (unit.other_hashes > 0 && example.empty())
        example = fmt::format("results {} and {}", unit.result, unit.other_result);
    }
    if (pairs > 0) add_row("process", pairs, different, 0, example);
  }

  // Columns that are set for some values of column c and not for others.
  std::vector<char> depends_on(std::size_t c) const {
    const std::size_t width = names_.size();
    std::vector<char> is_set(values_[c].values().size() * width, 0);
    for (std::size_t u = 0; u < units_.size(); ++u)
      for (std::size_t d = 0; d < width; ++d)
        if (!values_[d].values()[codes_[u * width + d]].is_null())
          is_set[codes_[u * width + c] * width + d] = 1;
    std::vector<char> depends(width, 0);
    for (std::size_t v = 1; v < values_[c].values().size(); ++v)
      for (std::size_t d = 0; d < width; ++d)
        if (d != c && is_set[v * width + d] != is_set[d]) depends[d] = 1;
    return depends;
  }

  std::string text_of_value(std::size_t column, std::size_t unit) const {
    const Value& value = values_[column].values()[codes_[unit * names_.size() + column]];
    return value.is_null() ? "unset" : value.to_text();
  }

  void add_axis(std::size_t c) {
    if (values_[c].values().size() < 2) return;  // an axis with one value shows nothing
    const auto depends = depends_on(c);
    std::vector<std::size_t> others;
    for (std::size_t d = 0; d < names_.size(); ++d)
      if (d != c && !depends[d]) others.push_back(d);
    RowNumbers groups(std::move(others));
    std::vector<std::size_t> first;  // unit of each group
    std::uint64_t pairs = 0, different = 0, other_inputs = 0;
    std::string example;
    for (std::size_t u = 0; u < units_.size(); ++u) {
      if (!units_[u].repeatable) continue;
      const std::uint32_t group = groups.number(&codes_[u * names_.size()]);
      if (group == first.size()) {
        first.push_back(u);
        continue;
      }
      const std::size_t base = first[group];
      if (codes_[u * names_.size() + c] == codes_[base * names_.size() + c]) continue;
      if (units_[u].inputs != units_[base].inputs) {
        ++other_inputs;
        continue;
      }
      ++pairs;
      if (units_[u].hash == units_[base].hash) continue;
      ++different;
      if (example.empty())
        example = fmt::format("{} and {}: results {} and {}", text_of_value(c, base), text_of_value(c, u),
                              units_[base].result, units_[u].result);
    }
    add_row(names_[c], pairs, different, other_inputs, example);
  }

  void add_variants() {
    struct Count {
      std::int64_t points = 0, not_repeatable = 0, example = 0;
    };
    std::vector<Count> counts(values_[0].values().size());
    for (std::size_t u = 0; u < units_.size(); ++u) {
      Count& count = counts[codes_[u * names_.size()]];
      ++count.points;
      if (units_[u].repeatable) continue;
      if (count.not_repeatable++ == 0) count.example = static_cast<std::int64_t>(units_[u].result);
    }
    out_.variants.columns = {"variant", "repeatable", "points", "not_repeatable", "example"};
    for (std::size_t v = 0; v < counts.size(); ++v)
      out_.variants.rows.push_back({values_[0].values()[v], counts[v].not_repeatable == 0 ? "yes" : "no",
                                    counts[v].points, counts[v].not_repeatable,
                                    counts[v].not_repeatable == 0 ? Value() : Value(counts[v].example)});
  }

  Reader& reader_;
  const BitsQuestion& question_;
  BitsAnswer out_;
  std::map<std::int64_t, std::int64_t> software_classes_;
  std::vector<std::string> names_;  // `software` is the last
  std::vector<ValueCodes> values_;
  std::vector<std::uint32_t> codes_;  // unit u, column c: codes_[u * names_.size() + c]
  std::vector<Unit> units_;
  ValueCodes hashes_;
};

}  // namespace

Result<BitsAnswer> bits(Reader& reader, const BitsQuestion& question) {
  return Matrix(reader, question).answer();
}

}  // namespace kernsweep
