#include "results/answer/outputs/bits.hpp"

#include <fmt/format.h>

#include "results/answer/best/chosen_rows.hpp"
#include "results/answer/outputs/bit_units.hpp"
#include "results/roofs/implausible.hpp"
#include "shared/base/try.hpp"

namespace kernsweep {

namespace {

class Matrix {
 public:
  Matrix(const SweepRows& rows, BitsAnswer& answer) : rows_(rows), units_(rows, false), out_(answer) {}

  void fill(const OutputsOfResults& outputs, char worst_grade) {
    out_.jobs = rows_.read;
    out_.failed = rows_.not_ok;
    for (const SweepRows::Job& job : rows_.jobs) {
      const auto output = outputs.find(job.result);
      if (job.grade > worst_grade)
        ++out_.graded_below;
      else if (output == outputs.end())
        ++out_.without_hash;
      else
        units_.add(job, output->second);
    }
    out_.axes.columns = {"axis", "changes_bits", "pairs", "different", "other_inputs", "example"};
    add_processes();
    for (std::size_t c = 0; c < rows_.columns.size(); ++c)
      if (!rows_.columns[c].derived) add_axis(c, rows_.columns[c].name);
    for (const BitUnits::Place place : {BitUnits::kCache, BitUnits::kHost, BitUnits::kSoftware})
      add_axis(units_.column_of(place), std::string(BitUnits::kPlaceNames[place]));
    add_variants();
  }

 private:
  static Value count(std::uint64_t number) { return static_cast<std::int64_t>(number); }

  void add_row(const std::string& axis, std::uint64_t pairs, std::uint64_t different,
               std::uint64_t other_inputs, const std::string& example) {
    out_.axes.rows.push_back({axis, pairs == 0 ? Value() : Value(different > 0 ? "yes" : "no"),
                              count(pairs), count(different), count(other_inputs),
                              example.empty() ? Value() : Value(example)});
  }

  void add_processes() {
    std::uint64_t pairs = 0, different = 0;
    std::string example;
    for (const BitUnit& unit : units_.units()) {
      pairs += unit.processes - 1;
      different += unit.other_hashes;
      if (unit.other_hashes > 0 && example.empty())
        example = fmt::format("results {} and {}", unit.result, unit.other_result);
    }
    if (pairs > 0) add_row("process", pairs, different, 0, example);
  }

  void add_axis(std::size_t column, const std::string& name) {
    if (units_.is_constant(column)) return;  // an axis that never changes says nothing
    const auto text_of_value = [&](const BitUnit& unit) {
      const Value value = units_.value(unit, column);
      return value.is_null() ? "unset" : value.to_text();
    };
    std::uint64_t pairs = 0, different = 0;
    std::string example;
    const auto left = units_.compare({column}, [&](const BitUnit& first, const BitUnit& other) {
      ++pairs;
      if (other.output.hash == first.output.hash) return;
      ++different;
      if (example.empty())
        example = fmt::format("{} and {}: results {} and {}", text_of_value(first), text_of_value(other),
                              first.result, other.result);
    });
    add_row(name, pairs, different, left.other_inputs, example);
  }

  void add_variants() {
    struct Count {
      std::uint64_t points = 0, not_repeatable = 0, example = 0;
    };
    const auto& variants = rows_.values[rows_.variant].values();
    std::vector<Count> counts(variants.size());
    for (const BitUnit& unit : units_.units()) {
      Count& of = counts[rows_.code(unit.point, rows_.variant)];
      ++of.points;
      if (!unit.output.repeatable && of.not_repeatable++ == 0) of.example = unit.result;
    }
    out_.variants.columns = {"variant", "repeatable", "points", "not_repeatable", "example"};
    for (std::size_t v = 0; v < counts.size(); ++v) {
      if (counts[v].points == 0) continue;
      const bool repeatable = counts[v].not_repeatable == 0;
      out_.variants.rows.push_back({variants[v], repeatable ? "yes" : "no", count(counts[v].points),
                                    count(counts[v].not_repeatable),
                                    repeatable ? Value() : count(counts[v].example)});
    }
  }

  const SweepRows& rows_;
  BitUnits units_;
  BitsAnswer& out_;
};

}  // namespace

Result<BitsAnswer> bits(Reader& reader, const BitsQuestion& question) {
  const sqlite::Snapshot snapshot(reader.connection());
  KS_ASSIGN_OR_RETURN(const auto sweep, reader.find_sweep(question.sweep));
  KS_ASSIGN_OR_RETURN(const auto columns, reader.columns(sweep.id));
  KS_ASSIGN_OR_RETURN(const auto rows, read_graded_rows(reader, sweep, variant_first(columns)));
  KS_ASSIGN_OR_RETURN(const auto outputs, read_output_bits(reader, sweep));
  BitsAnswer answer;
  answer.sweep = sweep.record.name;
  answer.id = sweep.id;
  Matrix(rows, answer).fill(outputs, question.worst_grade);
  return answer;
}

}  // namespace kernsweep
