// What all pictures count of their points, and say below. Private to results/plot.
#pragma once

#include <cstddef>
#include <string>

#include "results/plot/picture.hpp"

namespace kernsweep {

struct DrawnTally {
  std::size_t disturbed = 0, without_bounds = 0;
  std::size_t beyond = 0;  // intervals that go beyond the picture

  // As in a table, bounds that are extremely far away say that nothing is known: they are taken out.
  PlotPoint drawn(PlotPoint point);
  // The values of y; of lines with their intervals, as far as these do not press the points into one line
  // (bars have theirs as text). At least one point. `logarithmic`: all are above 0.
  Interval range_of(const Plot& plot, bool logarithmic);
  // `where`: what has the numbers, "--json" or "the table".
  void add_notes(Picture& picture, const std::string& where, const BestAnswer& about) const;
};

// The line that says how many jobs were left out.
std::string first_line_of_left_out(const BestAnswer& about);

}  // namespace kernsweep
