// Counts of points, which all pictures print below. Private to results/plot.
#pragma once

#include <cstddef>
#include <string>

#include "results/plot/picture.hpp"

namespace kernsweep {

struct DrawnTally {
  std::size_t disturbed = 0, without_bounds = 0;
  std::size_t beyond = 0;  // intervals that go beyond the picture

  // The point without bounds that are extremely far away, which mean that nothing is known, as in a table.
  PlotPoint drawn(PlotPoint point);
  // The range of the y values; lines include their intervals, unless these would compress the points into
  // one line (intervals of bars are text). At least one point. `logarithmic`: all are above 0.
  Interval range_of(const Plot& plot, bool logarithmic);
  // `where`: the form that has the numbers, "--json" or "the table".
  void add_notes(Picture& picture, const std::string& where, const BestAnswer& about) const;
};

// The line about the number of jobs that were left out.
std::string first_line_of_left_out(const BestAnswer& about);

}  // namespace kernsweep
