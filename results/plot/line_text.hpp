// Lines over numbers, drawn with characters. Private to results/plot.
#pragma once

#include <cstddef>
#include <string>

#include "results/plot/picture.hpp"
#include "results/text/heat.hpp"

namespace kernsweep {

// The mark of a series: one of 36 that differ without colours. Requires `series` < 36.
std::string mark_of_series(std::size_t series, const Screen& screen);
// The text in the colour of the series, if the screen has colours.
std::string in_series_colour(const std::string& text, std::size_t series, const Screen& screen);

struct LineText {
  std::string lines;       // each ends in a line feed
  std::size_t hidden = 0;  // marks behind those of other series
  bool sparse = false;     // only some of the points have a mark, and none an interval
};

// The axes with their ticks and the lines, at most `columns` wide (at least 30). The name of x is below.
LineText line_text(const Plot& plot, const std::string& x_name, std::size_t columns, const Screen& screen);

}  // namespace kernsweep
