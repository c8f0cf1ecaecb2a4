// Lines over numbers, drawn with characters. Private to results/plot.
#pragma once

#include <cstddef>
#include <string>

#include "results/plot/picture.hpp"
#include "results/text/heat.hpp"

namespace kernsweep {

// The mark of a series: of 36 that differ without colours. `series` below that.
std::string mark_of_series(std::size_t series, const Screen& screen);
// In the colour of the series, where the screen has colours.
std::string in_series_colour(const std::string& text, std::size_t series, const Screen& screen);

struct LineText {
  std::string lines;       // each ends in a line feed
  std::size_t hidden = 0;  // marks behind those of other series
  bool sparse = false;     // only some of the points have a mark, and none an interval
};

// The axes with their ticks and the lines, at most `columns` wide (30 at least). The name of x stands
// below.
LineText line_text(const Plot& plot, const std::string& x_name, std::size_t columns, const Screen& screen);

}  // namespace kernsweep
