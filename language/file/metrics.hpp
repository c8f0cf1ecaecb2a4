// `metrics`: which numbers of a program count, and where it prints them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "language/program.hpp"
#include "language/space/expansion.hpp"

namespace kernsweep {

struct ReadMetrics {
  std::vector<BesideCommand> columns;  // for the pack (shared/lists/printed_values.hpp)
  bool has_time = false;               // `seconds` is one of them
  bool reads_stdout = false;
  std::string rows_by;  // empty: none
};

// `metrics: PRESET`, or a mapping. Errors, with the place: a pattern, pointer, unit or preset that is none;
// a row that nothing can choose.
Result<ReadMetrics> read_metrics(const Node& node);

// The key `rows_by` of the sweep file `root`, if no axis has its values. Nothing else: it has, or is not
// there.
std::optional<std::string> missing_rows_axis(const Node& root);
// The same of the sweep file `path` with these replacements. Nothing also where it cannot be read.
std::optional<std::string> missing_rows_axis(const std::string& path, const Replacements& replacements);

// Words with places in `metrics`: the file and the values of the row. What cannot be read is left out.
std::vector<std::string> words_of_metrics(const Node& node);

// The presets, by name, with the text of each as in a sweep file (language/file/metric_presets.cpp).
struct MetricPreset {
  std::string_view name, text;
};
std::vector<MetricPreset> metric_presets();

}  // namespace kernsweep
