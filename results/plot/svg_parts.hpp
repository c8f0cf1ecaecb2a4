// The elements of SVG that a picture is made of. Coordinates are pixels. Private to results/plot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kernsweep {

struct SvgPoint {
  double x = 0, y = 0;
};
enum class SvgAnchor : std::uint8_t { start = 1, middle, end };

// At most one digit behind the point: "12", "12.5".
std::string svg_number(double number);

// `text` of any bytes of one line, as text; nothing if it is empty.
std::string svg_text(SvgPoint at, SvgAnchor anchor, const std::string& text, int size);
std::string svg_text_upwards(SvgPoint middle, const std::string& text);

// Of a series: in its colour. The line with its dashes; the mark is that of the terminal.
std::string svg_line(const std::vector<SvgPoint>& points, std::size_t series);
std::string svg_path(const std::string& path, std::size_t series);
std::string svg_mark(SvgPoint at, std::size_t series);
std::string svg_bar(SvgPoint top_left, double width, double height, std::size_t series);

// Axes and lines behind the series.
std::string svg_frame(const std::string& path, const char* colour);

std::string svg_document(double width, double height, const std::string& title, const std::string& body);

}  // namespace kernsweep
