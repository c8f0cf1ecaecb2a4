// What stands beside each bar of a plot. Private to results/plot.
#pragma once

#include <string>
#include <vector>

#include "results/plot/picture.hpp"

namespace kernsweep {

struct BarLine {
  std::string label;     // of x, at its first bar; empty: all bars have one, and names of their own
  std::string series;    // empty: there is only one, without a name
  std::string value;     // with its unit; "!" behind it: measured only under disturbance
  std::string interval;  // "2.19 ms to 2.99 ms"; empty: not known
  double number = 0;
  std::size_t name = 0;  // which of Picture::series
};

// By labels, then by series.
std::vector<BarLine> bar_lines(const Picture& picture, const Plot& plot);

}  // namespace kernsweep
