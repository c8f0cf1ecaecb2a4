#include "results/plot/svg_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "results/text/table.hpp"
#include "results/text/xml_text.hpp"
#include "shared/text/utf8.hpp"

namespace kernsweep {

namespace {

// Colours that people with any colour vision can distinguish (Okabe and Ito 2008), without the yellow one.
constexpr const char* kSvgColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                       "#56b4e9", "#e69f00", "#000"};
constexpr const char* kSvgDashes[] = {"", "6 3", "2 2", "8 3 2 3", "12 4"};
// Centred, in the order of the terminal's marks: circle, triangle, square, diamond.
constexpr const char* kSvgShapes[] = {"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", "m0 -4.5l4.5 8h-9z",
                                      "m-3.5 -3.5h7v7h-7z", "m0 -5l5 5l-5 5l-5 -5z"};
constexpr const char* kSvgStrokes[] = {"m0 -4.5v9m-4.5 -4.5h9", "m-3.5 -3.5l7 7m0 -7l-7 7"};

const char* svg_colour(std::size_t series) {
  return kSvgColours[series % std::size(kSvgColours)];
}

}  // namespace

std::string svg_number(double number) {
  std::string text = fmt::format("{:.1f}", number);
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text == "-0" ? "0" : text;
}

std::string svg_text(SvgPoint at, SvgAnchor anchor, const std::string& text, int size) {
  constexpr const char* kAnchors[] = {"", "", " text-anchor=\"middle\"", " text-anchor=\"end\""};
  if (text.empty()) return "";
  return fmt::format("<text x=\"{}\" y=\"{}\"{}{}>{}</text>\n", svg_number(at.x), svg_number(at.y),
                     kAnchors[static_cast<std::size_t>(anchor)],
                     size == 12 ? "" : fmt::format(" font-size=\"{}\"", size), xml_text(one_line(text)));
}

std::string svg_text_upwards(SvgPoint middle, const std::string& text) {
  return fmt::format("<text transform=\"translate({} {}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     svg_number(middle.x), svg_number(middle.y), xml_text(one_line(text)));
}

std::string svg_line(const std::vector<SvgPoint>& points, std::size_t series) {
  std::string places;
  for (const SvgPoint& point : points)
    places += fmt::format("{}{},{}", places.empty() ? "" : " ", svg_number(point.x), svg_number(point.y));
  const std::string dashes = kSvgDashes[series % std::size(kSvgDashes)];
  return fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"{}/>\n",
                     places, svg_colour(series),
                     dashes.empty() ? "" : " stroke-dasharray=\"" + dashes + "\"");
}

std::string svg_path(const std::string& path, std::size_t series) {
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\"/>\n", path, svg_colour(series));
}

std::string svg_mark(SvgPoint at, std::size_t series) {
  const std::string start = fmt::format("M{} {}", svg_number(at.x), svg_number(at.y));
  constexpr std::size_t kShapes = 2 * std::size(kSvgShapes);  // each filled and hollow
  if (series < kShapes)
    return fmt::format("<path d=\"{}{}\" fill=\"{}\" stroke=\"{}\" stroke-width=\"1.5\"/>\n", start,
                       kSvgShapes[series / 2], series % 2 == 0 ? svg_colour(series) : "#fff",
                       svg_colour(series));
  if (series < kShapes + std::size(kSvgStrokes))
    return fmt::format("<path d=\"{}{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\"/>\n", start,
                       kSvgStrokes[series - kShapes], svg_colour(series));
  const auto letter = static_cast<char>('A' + (series - kShapes - std::size(kSvgStrokes)) % 26);
  return fmt::format("<path d=\"{}{}\" fill=\"#fff\"/>\n", start, kSvgShapes[0]) +
         svg_text({at.x, at.y + 4}, SvgAnchor::middle, {letter}, 12);
}

std::string svg_dot(SvgPoint at, std::size_t series, bool hollow) {
  return fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"3.5\" fill=\"{}\" stroke=\"{}\"/>\n",
                     svg_number(at.x), svg_number(at.y), hollow ? "#fff" : svg_colour(series),
                     svg_colour(series));
}

std::string svg_bar(SvgPoint top_left, double width, double height, std::size_t series) {
  return svg_box(top_left, width, height, svg_colour(series));
}

std::string svg_box(SvgPoint top_left, double width, double height, const char* fill) {
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
                     svg_number(top_left.x), svg_number(top_left.y), svg_number(width), svg_number(height),
                     fill);
}

std::string svg_frame(const std::string& path, const char* colour) {
  if (path.empty()) return "";
  return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"{}\"/>\n", path, colour);
}

SvgTicks svg_ticks(const PlotAxis& axis, double left, double right, double bottom) {
  SvgTicks ticks;
  double free_from = 0;
  for (const PlotTick& tick : axis.ticks) {
    const double x = left + axis.share(tick.at) * (right - left),
                 half = kSvgCharacter * static_cast<double>(tick.text.size()) / 2;
    ticks.marks += fmt::format("M{} {}v5", svg_number(x), svg_number(bottom));
    if (x - half < free_from) continue;
    free_from = x + half + kSvgCharacter;
    ticks.texts += svg_text({x, bottom + 18}, SvgAnchor::middle, tick.text, 12);
  }
  return ticks;
}

void SvgSheet::add_lines(const std::string& text, int size) {
  constexpr std::size_t kTextColumns = 96;
  const std::string lines = wrapped(text, kTextColumns * 12 / static_cast<std::size_t>(size));
  for (std::size_t from = 0; from <= lines.size();) {
    const std::size_t end = std::min(lines.find('\n', from), lines.size());
    const std::string line = lines.substr(from, end - from);
    if (const std::size_t columns = text_width(line);
        columns > kTextColumns * 12 / static_cast<std::size_t>(size))
      width = std::max(width, 2 * kSvgMargin + kSvgCharacter * static_cast<double>(columns) * size / 12);
    down += kSvgLine * size / 12;
    body += svg_text({kSvgMargin, down - 4}, SvgAnchor::start, line, size);
    from = end + 1;
  }
}

std::string SvgSheet::document(const std::string& title) const {
  const std::string across = svg_number(width), height = svg_number(down + kSvgMargin);
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\" font-size=\"12\" direction=\"ltr\">\n<title>{2}</title>\n"
      "<rect width=\"{0}\" height=\"{1}\" fill=\"#fff\"/>\n{3}</svg>\n",
      across, height, xml_text(one_line(title)), body);
}

}  // namespace kernsweep
