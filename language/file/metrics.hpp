// `metrics`: which numbers of a program count, and where it prints them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "language/program.hpp"

namespace kernsweep {

struct ReadMetrics {
  std::vector<BesideCommand> columns;  // for the pack (shared/lists/printed_values.hpp)
  bool has_time = false;               // `seconds` is one of them
  bool reads_stdout = false;
};

// `metrics: PRESET`, or a mapping. Errors, with the place: a pattern, pointer, unit or preset that is none;
// a row that nothing can choose.
Result<ReadMetrics> read_metrics(const Node& node);

// Words with places in `metrics`: the file and the values of the row. What cannot be read is left out.
std::vector<std::string> words_of_metrics(const Node& node);

// The presets, by name, with the text of each as in a sweep file (language/file/metric_presets.cpp).
struct MetricPreset {
  std::string_view name, text;
};
std::vector<MetricPreset> metric_presets();

}  // namespace kernsweep
