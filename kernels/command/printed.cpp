#include "kernels/command/printed.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "shared/base/try.hpp"
#include "shared/text/pattern.hpp"
#include "shared/text/unit_scale.hpp"

namespace kernsweep::command {
namespace {

constexpr std::size_t kShown = 100;
constexpr double kShortest_s = 1e-12;

// "12.5", "1,234.5" with commas between thousands, "+3"; nothing if it is not a finite number.
std::optional<double> printed_number(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '+')) text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  std::string digits(text);
  if (const auto comma = digits.find(','); comma != std::string::npos) {
    const auto point = std::min(digits.find('.'), digits.size());
    for (std::size_t at = comma; at < point; at += 4)
      if (digits[at] != ',' || at > comma + 4 * 10) return std::nullopt;
    if ((point - comma) % 4 != 0 || comma == 0 || comma > 3) return std::nullopt;
    std::erase(digits, ',');
  }
  double number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size() || !std::isfinite(number))
    return std::nullopt;
  return number;
}

// The amount whose time represents a rate: the same for all prefixes, and large enough for a printable
// time.
double amount_of_rate(std::string_view base) {
  if (base == "flop") return 1e9;
  return base == "B" || base == "bit" || base == "op" ? 1e6 : 1;
}

// 9 ms are 0.009 s: a thousandth is not an exact float, a thousand is.
double scaled(double number, double factor) {
  return factor < 1 ? number / std::round(1 / factor) : number * factor;
}

double middle_of(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

class Reading {
 public:
  Reading(const PrintedValues& printed, std::string_view text, std::string source, const WantedRow& row)
      : printed_(printed), from_{text, printed, row}, source_(std::move(source)) {}

  std::string read(Report& report, std::vector<double>& samples) {
    for (const PrintedValue& value : printed_.values) {
      Result<std::vector<Cell>> cells = cells_of(value);
      if (!cells) return about(value, cells.error().message);
      if (cells->empty() && value.optional) continue;
      std::string wrong = value.name == "seconds" ? take_time(value, *cells, report, samples)
                                                  : take_other(value, *cells, report);
      if (!wrong.empty()) return about(value, wrong);
    }
    return "";
  }

 private:
  std::string about(const PrintedValue& value, const std::string& what) const {
    return "metrics, " + value.name + ", from " + source_ + ": " + what;
  }

  Result<std::vector<Cell>> cells_of(const PrintedValue& value) {
    if (value.form == PrintedValue::Form::regex) return read_lines(from_)->cells_of(value);
    std::unique_ptr<PrintedText>& known = value.form == PrintedValue::Form::json ? json_ : csv_;
    if (!known) {
      KS_ASSIGN_OR_RETURN(known,
                          value.form == PrintedValue::Form::json ? read_json(from_) : read_csv(from_));
    }
    return known->cells_of(value);
  }

  static std::string way(const PrintedValue& value) {
    switch (value.form) {
      case PrintedValue::Form::regex:
        return "the pattern '" + value.where + "'";
      case PrintedValue::Form::json:
        return "the pointer '" + value.where + "'";
      case PrintedValue::Form::csv:
        break;
    }
    return "the column '" + value.where + "'";
  }

  std::string nothing(const PrintedValue& value) const {
    std::string_view text = from_.text;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
    const auto newline = text.rfind('\n');
    const std::string_view last = newline == std::string_view::npos ? text : text.substr(newline + 1);
    return way(value) + " finds nothing" +
           (last.empty() ? "; the text is empty"
                         : "; the last line is: " + std::string(last.substr(0, kShown)));
  }

  static std::string no_number(const PrintedValue& value, const Cell& cell) {
    return way(value) + " finds '" + cell.number.substr(0, kShown) +
           "', which is not a finite number; make it find one";
  }

  // The unit of a cell: the printed one, of the kind that the sweep says, or the one of the sweep.
  static Result<UnitScale> unit_of(const PrintedValue& value, const Cell& cell, std::string_view fallback) {
    const std::string_view kind = value.unit.empty() ? fallback : std::string_view(value.unit);
    const auto said = unit_scale(kind);
    if (cell.unit.empty()) {
      if (said) return *said;
      return failure("the unit '" + value.unit + "' is unknown");
    }
    const auto printed = unit_scale(cell.unit);
    if (said && printed && printed->base == said->base && printed->per_second == said->per_second)
      return *printed;
    const std::string shown = "the unit '" + cell.unit.substr(0, kShown) + "' ";
    if (!known_unit(cell.unit))
      return failure(
          shown + "is unknown; known are " + kTimeUnits +
          ", and B, bit, flop and op with k, M, G, T, Ki, Mi, Gi, also /s; another word per second "
          "if `unit` says it");
    if (!said) return *printed;
    if (value.unit.empty() && !printed->per_second)
      return failure(shown + "is neither a time nor a rate; known are " + kTimeUnits + ", and MB/s");
    const std::string key = value.unit_where.empty() ? "`unit: " : "`like: ";
    return failure(value.unit.empty() ? shown + "is no unit of time; if all runs print this kind, say " +
                                            key + cell.unit + "`"
                                      : shown + "is of another kind than " + key + value.unit + "`");
  }

  std::string take_time(const PrintedValue& value, const std::vector<Cell>& cells, Report& report,
                        std::vector<double>& samples) const {
    if (cells.empty()) return nothing(value);
    const bool may_be_many = value.samples || value.form != PrintedValue::Form::regex;
    if (cells.size() > 1 && !may_be_many) return too_many(value, cells);
    if (report.seconds) return "the program prints 'kernsweep: seconds=', too; one of both is the time";
    for (const Cell& cell : cells) {
      const auto number = printed_number(cell.number);
      const auto unit = unit_of(value, cell, "s");
      if (!number) return no_number(value, cell);
      if (!unit) return unit.error().message;
      if (*number <= 0)
        return way(value) + " finds '" + cell.number + "', which is not a time; make it find one above 0";
      const double of_base = scaled(*number, unit->factor);
      const double amount = amount_of_rate(unit->base);
      samples.push_back(unit->per_second ? amount / of_base : of_base);
      if (samples.back() < kShortest_s)
        return way(value) + " finds '" + cell.number.substr(0, kShown) + "' " +
               (cell.unit.empty() ? value.unit : cell.unit).substr(0, kShown) +
               ", less than a picosecond: nothing was measured there; leave the row out";
      if (unit->per_second && unit->base == "B") report.bytes = amount;
      if (unit->per_second && unit->base == "flop") report.flops = amount;
    }
    report.seconds = middle_of(samples);
    if (samples.size() == 1) samples.clear();
    return "";
  }

  std::string too_many(const PrintedValue& value, const std::vector<Cell>& cells) const {
    std::string out = way(value) + " finds " + std::to_string(cells.size()) + " values (" +
                      cells[0].number.substr(0, kShown) + ", " + cells[1].number.substr(0, kShown) +
                      (cells.size() > 2 ? ", ..." : "") + "); ";
    if (value.form != PrintedValue::Form::regex) return out + "only `seconds` has samples";
    for (const std::string& group : Pattern::of(value.where)->groups())
      if (group != "value" && group != "unit")
        return out + "`row: {" + group + ": ...}` selects one, `rows_by: " + group + "` makes each a point";
    return out +
           "make it find one, give it another group, for `row` or `rows_by`, or say `samples: true` if "
           "they are samples of one time";
  }

  std::string take_other(const PrintedValue& value, const std::vector<Cell>& cells, Report& report) const {
    if (cells.empty()) return nothing(value);
    if (cells.size() > 1 && printed_.samples_of.empty()) return too_many(value, cells);
    std::vector<double> numbers;
    std::string unit_text = value.unit;
    for (const Cell& cell : cells) {
      const auto number = printed_number(cell.number);
      if (!number) return no_number(value, cell);
      double factor = 1;
      if (!cell.unit.empty()) {
        const auto unit = unit_of(value, cell, "");
        if (!unit) return unit.error().message;
        factor = unit->factor;
        unit_text = unit->base + (unit->per_second ? "/s" : "");
      }
      numbers.push_back(scaled(*number, factor));
    }
    const double number = middle_of(numbers);
    if (value.name == "flops" || value.name == "bytes") {
      (value.name == "flops" ? report.flops : report.bytes) = number;
      return "";
    }
    const ks_better better = value.better == "larger"    ? KS_LARGER_IS_BETTER
                             : value.better == "smaller" ? KS_SMALLER_IS_BETTER
                                                         : KS_BETTER_BY_NAME;
    if (report.metrics.size() >= Report::kMetricsMax) return "there are too many metrics";
    report.metrics.push_back({value.name, number, better, unit_text.substr(0, KS_UNIT_MAX - 1)});
    return "";
  }

  const PrintedValues& printed_;
  ReadText from_;
  std::string source_;
  std::unique_ptr<PrintedText> json_, csv_;
};

}  // namespace

std::string read_printed(const PrintedValues& printed, std::string_view text, const std::string& source,
                         const WantedRow& row, const std::string& hint, Report& report,
                         std::vector<double>& samples) {
  samples.clear();
  const std::string wrong = Reading(printed, text, source, row).read(report, samples);
  return wrong.empty() || hint.empty() ? wrong : wrong + "; " + hint;
}

}  // namespace kernsweep::command
