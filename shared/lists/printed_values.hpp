// Which numbers a program prints, and where: `metrics` of a sweep file, by which the pack `command` reads
// them. Passed as text, in the column "command.metrics". The selected row and the file that is read may
// differ between points, and have columns of their own.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kernsweep {

inline constexpr std::string_view kMetricsColumn = "command.metrics";
inline constexpr std::string_view kMetricsHintColumn =
    "command.hint";  // for messages; not part of a job's key
inline constexpr std::string_view kMetricsRowColumn = "command.row";  // words KEY=VALUE
inline constexpr std::string_view kMetricsFileColumn =
    "command.from";  // one word: "stdout", "stderr", a path

struct PrintedValue {
  enum class Form { regex, json, csv };
  std::string name;  // "seconds": the time; "flops", "bytes": the work; any other: a metric
  Form form = Form::regex;
  std::string where;       // the pattern, the pointer, the column
  std::string unit;        // "": a metric has none, the time is in seconds
  std::string unit_where;  // pointer or column of the unit; "": `unit`, or the group `unit` of a pattern
  std::string better;      // "larger", "smaller"; "": follows from the name
  bool optional = false;   // may be absent
  bool samples = false;    // only for a pattern: each match is a sample
};

struct PrintedValues {
  std::optional<std::string> rows;  // pointer to an array of rows
  std::string samples_of;           // rows with equal values here are samples of one process; "": none
  std::vector<PrintedValue> values;

  const PrintedValue* named(std::string_view name) const;
};

std::string text_of(const PrintedValues& printed);
// Unknown lines are ignored.
PrintedValues printed_values_of(std::string_view text);

}  // namespace kernsweep
