// An axis of a plot: its range, its scale, and its ticks. Pure.
#pragma once

#include <string>
#include <vector>

#include "shared/stats/intervals.hpp"

namespace kernsweep {

struct PlotTick {
  double at = 0;     // in the unit of the database
  std::string text;  // with its unit: "2.5 ms"
};

struct PlotAxis {
  bool logarithmic = false;
  double low = 0, high = 1;     // low < high; logarithmic: both above 0
  std::vector<PlotTick> ticks;  // ascending, from low to high

  // Position of `value`: 0 at `low`, 1 at `high`, less or more outside. A number without a logarithm is far
  // below a logarithmic axis.
  double share(double value) const;
};

// The axis of numbers in `unit` ("s", "B", any other, or empty) from values.low to values.high, which are
// finite; logarithmic: above 0. Its ends are a little outside. A linear axis includes 0 if values of one
// sign differ by more than a factor of two.
PlotAxis value_axis(const std::string& unit, const Interval& values, bool logarithmic);
// The axis of a setting's values: ascending and finite, at least two; logarithmic: above 0. Up to twelve
// values are all ticks.
PlotAxis setting_axis(const std::vector<double>& values, bool logarithmic);

}  // namespace kernsweep
