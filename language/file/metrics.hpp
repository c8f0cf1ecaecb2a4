// `metrics`: which numbers a program prints, and where.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "language/file/program.hpp"
#include "language/space/expansion.hpp"

namespace kernsweep {

struct ReadMetrics {
  std::vector<BesideCommand> columns;  // for the pack (shared/lists/printed_values.hpp)
  bool has_time = false;               // one of them is `seconds`
  bool reads_stdout = false;
  std::string rows_by;  // empty: none
};

// `metrics: PRESET`, or a mapping. Errors, with the place: an invalid pattern, pointer, unit or preset; a
// row that cannot be selected.
Result<ReadMetrics> read_metrics(const Node& node);

// The key `rows_by` of the sweep file `root` if no axis has its values. Nothing: an axis has them, or the
// key is missing.
std::optional<std::string> missing_rows_axis(const Node& root);
// The same for the sweep file `path` with these replacements. Nothing also if it cannot be read.
std::optional<std::string> missing_rows_axis(const std::string& path, const Replacements& replacements);

// Words with placeholders in `metrics`: the file and the values of the row. Words that cannot be read are
// skipped.
std::vector<std::string> words_of_metrics(const Node& node);

// The presets, by name, each with its text in the syntax of a sweep file
// (language/file/metric_presets.cpp).
struct MetricPreset {
  std::string_view name, text;
};
std::vector<MetricPreset> metric_presets();

}  // namespace kernsweep
