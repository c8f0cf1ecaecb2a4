// The texts next to each bar of a plot. Private to results/plot.
#pragma once

#include <string>
#include <vector>

#include "results/plot/picture.hpp"

namespace kernsweep {

struct BarLine {
  std::string label;     // of x, at its first bar; empty: each x has one bar, and a name of its own
  std::string series;    // empty: there is only one, without a name
  std::string value;     // with its unit; a final "!": measured only under disturbance
  std::string interval;  // "2.19 ms to 2.99 ms"; empty: not known
  double number = 0;
  std::size_t name = 0;  // index in Picture::series
};

// Sorted by label, then by series.
std::vector<BarLine> bar_lines(const Picture& picture, const Plot& plot);

}  // namespace kernsweep
