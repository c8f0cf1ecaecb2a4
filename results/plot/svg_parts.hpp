// The SVG elements of a picture. Coordinates are pixels. Private to results/plot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "results/plot/axis.hpp"

namespace kernsweep {

inline constexpr double kSvgWidth = 640, kSvgMargin = 12, kSvgLine = 18;
inline constexpr double kSvgCharacter = 6.4;  // of a font of 12 pixels, approximately

struct SvgPoint {
  double x = 0, y = 0;
};
enum class SvgAnchor : std::uint8_t { start = 1, middle, end };

// At most one digit after the point: "12", "12.5".
std::string svg_number(double number);

// `text` (one line of any bytes) as a text element; nothing if it is empty.
std::string svg_text(SvgPoint at, SvgAnchor anchor, const std::string& text, int size);
std::string svg_text_upwards(SvgPoint middle, const std::string& text);

// In the colour of a series: the line with its dashes, and the mark of the terminal.
std::string svg_line(const std::vector<SvgPoint>& points, std::size_t series);
std::string svg_path(const std::string& path, std::size_t series);
std::string svg_mark(SvgPoint at, std::size_t series);
std::string svg_dot(SvgPoint at, std::size_t series, bool hollow);
std::string svg_bar(SvgPoint top_left, double width, double height, std::size_t series);

std::string svg_box(SvgPoint top_left, double width, double height, const char* fill);

// Axes and lines behind the series.
std::string svg_frame(const std::string& path, const char* colour);

// Below an axis from `left` to `right` at the height `bottom`: a mark for each tick, and the texts that fit
// next to each other.
struct SvgTicks {
  std::string marks;  // a path
  std::string texts;
};
SvgTicks svg_ticks(const PlotAxis& axis, double left, double right, double bottom);

// A document to which parts are added from top to bottom.
class SvgSheet {
 public:
  std::string body;
  double width = kSvgWidth;  // larger if names are long
  double down = kSvgMargin;  // top of the next part

  // Text of any length, wrapped.
  void add_lines(const std::string& text, int size);
  std::string document(const std::string& title) const;
};

}  // namespace kernsweep
