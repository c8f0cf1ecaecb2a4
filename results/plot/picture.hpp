// What is drawn: plots with their axes, series with their points and intervals. The
// terminal (results/plot/plot_text.hpp) and SVG (results/plot/plot_svg.hpp) are two forms of it.
//
// Of a table over axes a plot has one problem, one state of the caches and one kind of host: columns of the
// problem that differ make separate plots. If x is a column of the problem or derived, others that have one
// value for each of its values (a label, the other side of a square) change along with it in one plot, and
// a note names them. Over numbers a plot has lines, over anything else bars; and bars as well where x has
// one value only. Which points there are and what their numbers are is the pivot's answer
// (results/answer/pivot.hpp).
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
  PlotLog log = PlotLog::automatic;  // that: y, if the largest value is more than 30 times the smallest
};

struct PlotPoint {
  double x = 0;  // bars: which of Plot::labels
  double y = 0;
  Interval bounds{kUnknown, kUnknown};  // confidence 1 - alpha; NaN: not known
  bool disturbed = false;               // measured only under disturbance
};

struct PlotSeries {
  std::size_t name = 0;            // which of Picture::series; it has the same mark in all plots
  std::vector<PlotPoint> points;   // by x
  bool line = true, marks = true;  // what is drawn of it
};

struct Plot {
  std::string title;  // "dtype=f32 label=cube"; empty: there is only one problem
  bool bars = false;
  std::vector<std::string> labels;  // bars: of x, in the order of the sweep
  PlotAxis x, y;                    // x: of lines
  std::vector<PlotSeries> series;   // in the order of Picture::series
  bool beside = true;               // lines: points of one x stand beside each other
};

// Of each series which of the places beside x it has, from 0 on: those of one name share it.
std::vector<std::size_t> places_beside(const Plot& plot);
// Whether the interval of any of its points is known.
bool has_intervals(const Plot& plot);

struct PlotNote {
  std::string text;     // for a figure, too
  std::string command;  // what the reader can type; stands behind it on a terminal
};

// All texts are on one line, without control characters, and not long.
struct Picture {
  std::string sweep;
  std::string heading;     // the metric with its unit and direction, and what is drawn
  std::string everywhere;  // the part of the problem that is the same; may be empty
  std::string x_name, y_name, unit;
  double confidence = 0.99;         // of the intervals
  std::vector<std::string> series;  // their names; a single one may be empty
  std::vector<Plot> plots;          // without those that are too many, which a note counts
  std::vector<PlotNote> notes;
  std::string left_out;  // for a figure; a terminal has it in full below
};

// Requires that the answer has rows, and x among its rows or as its column. Errors: --log for what is not
// above 0 or no number.
Result<Picture> picture_of(const PivotAnswer& answer, const PlotStyle& style);

}  // namespace kernsweep
