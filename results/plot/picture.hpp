// A picture: plots with their axes, series with their points and intervals. The terminal
// (results/plot/plot_text.hpp) and SVG (results/plot/plot_svg.hpp) are its two forms.
//
// A plot of a table over axes has one problem, one cache state and one kind of host: columns of the problem
// that differ make separate plots. If x is a column of the problem or derived, others that have one value
// for each of its values (a label, the other side of a square) change along with it in one plot, and a note
// names them. If x is numeric with at least two values, a plot has lines, otherwise bars. The points and
// their numbers come from the pivot's answer (results/answer/pivot.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "results/answer/pivot.hpp"
#include "results/plot/axis.hpp"

namespace kernsweep {

enum class PlotLog : std::uint8_t { automatic = 1, none, x, y, xy };

struct PlotStyle {
  std::string x;                     // a row or the column of the pivot
  PlotLog log = PlotLog::automatic;  // automatic: y, if the largest value is over 30 times the smallest
};

struct PlotPoint {
  double x = 0;  // bars: index in Plot::labels
  double y = 0;
  Interval bounds{kUnknown, kUnknown};  // confidence 1 - alpha; NaN: not known
  bool disturbed = false;               // measured only under disturbance
};

struct PlotSeries {
  std::size_t name = 0;            // index in Picture::series; it has the same mark in all plots
  std::vector<PlotPoint> points;   // by x
  bool line = true, marks = true;  // what is drawn of it
};

struct Plot {
  std::string title;  // "dtype=f32 label=cube"; empty: there is only one problem
  bool bars = false;
  std::vector<std::string> labels;  // bars: the values of x, in the order of the sweep
  PlotAxis x, y;                    // x: only for lines
  std::vector<PlotSeries> series;   // in the order of Picture::series
  bool beside = true;               // lines: points of one x are drawn next to each other
};

// The place of each series at an x, from 0: series of one name share it.
std::vector<std::size_t> places_beside(const Plot& plot);
// Whether the interval of any of its points is known.
bool has_intervals(const Plot& plot);

struct PlotNote {
  std::string text;     // also for a figure
  std::string command;  // what the reader can type; a terminal prints it after the text
};

// All texts are on one line, without control characters, and short.
struct Picture {
  std::string sweep;
  std::string heading;     // the metric with its unit and direction, and what is drawn
  std::string everywhere;  // the part of the problem that is equal in all plots; may be empty
  std::string x_name, y_name, unit;
  double confidence = 0.99;         // of the intervals
  std::vector<std::string> series;  // their names; a single one may be empty
  std::vector<Plot> plots;          // without those beyond the limit, which a note counts
  std::vector<PlotNote> notes;
  std::string left_out;  // for a figure; a terminal prints it in full below
};

// Requires that the answer has rows, and x among its rows or as its column. Errors: --log for values that
// are not numbers above 0.
Result<Picture> picture_of(const PivotAnswer& answer, const PlotStyle& style);

}  // namespace kernsweep
