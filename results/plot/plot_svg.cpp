#include "results/plot/plot_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/plot/bar_lines.hpp"
#include "results/plot/svg_parts.hpp"
#include "results/text/table.hpp"

namespace kernsweep {

namespace {

// In pixels.
constexpr double kSvgPlotLeft = 84, kSvgPlotHeight = 280;
constexpr double kSvgPlotRight = kSvgWidth - 16;
constexpr double kSvgCap = 3;    // half the width of an interval's end
constexpr double kSvgApart = 7;  // between series at one x, at most
constexpr std::size_t kSvgMarksMax = 60, kSvgMarksOfMany = 20;

class SvgDrawing {
 public:
  explicit SvgDrawing(const Picture& picture) : picture_(picture) {}

  std::string drawn() {
    sheet_.add_lines(picture_.heading, 14);
    if (!picture_.everywhere.empty()) sheet_.add_lines(picture_.everywhere, 12);
    const auto lines = [](const Plot& plot) { return !plot.bars; };
    if (std::ranges::any_of(picture_.plots, lines)) legend();
    for (const Plot& plot : picture_.plots) {
      sheet_.down += kSvgLine / 2;
      if (!plot.title.empty()) sheet_.add_lines(plot.title, 12);
      if (plot.bars)
        bars(plot);
      else
        line_plot(plot);
    }
    sheet_.down += kSvgLine / 2;
    if (std::ranges::any_of(picture_.plots, has_intervals))
      sheet_.add_lines(fmt::format("Intervals: {:g} % confidence", 100 * picture_.confidence), 10);
    for (const PlotNote& note : picture_.notes) sheet_.add_lines(note.text, 10);
    if (!picture_.left_out.empty()) sheet_.add_lines(picture_.left_out, 10);
    return sheet_.document(picture_.sweep + ": " + picture_.heading);
  }

 private:
  void legend() {
    if (picture_.series.size() == 1 && picture_.series.front().empty()) return;
    std::size_t longest = 0;
    for (const std::string& name : picture_.series) longest = std::max(longest, text_width(name));
    const double width = 64 + kSvgCharacter * static_cast<double>(longest);
    sheet_.width = std::max(sheet_.width, width + kSvgMargin);
    const auto across =
        std::max<std::size_t>(static_cast<std::size_t>((kSvgWidth - kSvgMargin) / width), 1);
    for (std::size_t i = 0; i < picture_.series.size(); ++i) {
      if (i % across == 0) sheet_.down += kSvgLine;
      const double left = kSvgMargin + width * static_cast<double>(i % across), y = sheet_.down - 8;
      if (has_line(i)) sheet_.body += svg_line({{left, y}, {left + 34, y}}, i);
      sheet_.body += svg_mark({left + 17, y}, i);
      sheet_.body += svg_text({left + 40, y + 4}, SvgAnchor::start, picture_.series[i], 12);
    }
  }

  bool has_line(std::size_t name) const {
    const auto is_line = [&](const PlotSeries& series) { return series.name == name && series.line; };
    return std::ranges::any_of(picture_.plots,
                               [&](const Plot& plot) { return std::ranges::any_of(plot.series, is_line); });
  }

  double x_of(const Plot& plot, double x) const {
    return kSvgPlotLeft + plot.x.share(x) * (kSvgPlotRight - kSvgPlotLeft);
  }
  double y_of(const Plot& plot, double y) const {
    return top_ + (1 - std::clamp(plot.y.share(y), 0.0, 1.0)) * kSvgPlotHeight;
  }

  void line_plot(const Plot& plot) {
    top_ = sheet_.down + 10;
    axes(plot);
    const std::vector<std::size_t> places_of = places_beside(plot);
    const std::size_t count = *std::ranges::max_element(places_of) + 1;
    const double apart = apart_in(plot, count);
    for (std::size_t i = 0; i < plot.series.size(); ++i) {
      const PlotSeries& series = plot.series[i];
      const double beside =
          apart * (static_cast<double>(places_of[i]) - static_cast<double>(count - 1) / 2);
      std::vector<SvgPoint> places;
      std::string bounds;
      for (const PlotPoint& point : series.points) {
        places.push_back({x_of(plot, point.x) + beside, y_of(plot, point.y)});
        bounds += interval(plot, point, places.back().x);
      }
      if (series.line) sheet_.body += svg_line(places, series.name);
      if (!bounds.empty()) sheet_.body += svg_path(bounds, series.name);
      const bool many = series.line && places.size() > kSvgMarksMax;
      const std::size_t each = many ? places.size() / kSvgMarksOfMany : 1;
      for (std::size_t at = each / 2; series.marks && at < places.size(); at += each) {
        sheet_.body += svg_mark(places[at], series.name);
        if (series.points[at].disturbed)
          sheet_.body += svg_text({places[at].x, places[at].y - 7}, SvgAnchor::middle, "!", 12);
      }
    }
    sheet_.down = top_ + kSvgPlotHeight + 2.5 * kSvgLine;
  }

  // An end outside of the axis has no cap. Empty: not known, or lower than a pixel.
  std::string interval(const Plot& plot, const PlotPoint& point, double x) const {
    if (std::isnan(point.bounds.low) || std::isnan(point.bounds.high)) return "";
    const double high = y_of(plot, point.bounds.high), low = y_of(plot, point.bounds.low);
    if (low - high < 1) return "";
    std::string path = fmt::format("M{} {}V{}", svg_number(x), svg_number(high), svg_number(low));
    const auto cap = [&](double y) {
      path += fmt::format("M{} {}H{}", svg_number(x - kSvgCap), svg_number(y), svg_number(x + kSvgCap));
    };
    if (plot.y.share(point.bounds.high) <= 1) cap(high);
    if (plot.y.share(point.bounds.low) >= 0) cap(low);
    return path;
  }

  // The distance between the series of one x, so that they do not hide each other.
  double apart_in(const Plot& plot, std::size_t count) const {
    if (!plot.beside) return 0;
    std::vector<double> places = {kSvgPlotLeft, kSvgPlotRight};
    for (const PlotSeries& series : plot.series)
      for (const PlotPoint& point : series.points) places.push_back(x_of(plot, point.x));
    std::ranges::sort(places);
    double gap = kSvgPlotRight;
    for (std::size_t i = 1; i < places.size(); ++i)
      if (places[i] > places[i - 1]) gap = std::min(gap, places[i] - places[i - 1]);
    const double apart = std::min(kSvgApart, 0.7 * gap / static_cast<double>(count));
    return apart < 1 ? 0 : apart;
  }

  void axes(const Plot& plot) {
    const double bottom = top_ + kSvgPlotHeight;
    std::string grid, ticks;
    for (const PlotTick& tick : plot.y.ticks) {
      const double y = y_of(plot, tick.at);
      grid += fmt::format("M{} {}H{}", svg_number(kSvgPlotLeft), svg_number(y), svg_number(kSvgPlotRight));
      ticks += svg_text({kSvgPlotLeft - 8, y + 4}, SvgAnchor::end, tick.text, 12);
    }
    const SvgTicks across = svg_ticks(plot.x, kSvgPlotLeft, kSvgPlotRight, bottom);
    sheet_.body += svg_frame(grid, "#ddd");
    sheet_.body += svg_frame(fmt::format("M{} {}V{}H{}", svg_number(kSvgPlotLeft), svg_number(top_),
                                         svg_number(bottom), svg_number(kSvgPlotRight)) +
                                 across.marks,
                             "#333");
    sheet_.body += ticks + across.texts;
    sheet_.body +=
        svg_text({(kSvgPlotLeft + kSvgPlotRight) / 2, bottom + 36}, SvgAnchor::middle, picture_.x_name, 12);
    const bool told =
        picture_.unit.empty() || picture_.unit == "s" || picture_.unit == "B";  // the ticks show it
    sheet_.body += svg_text_upwards({kSvgMargin + 8, top_ + kSvgPlotHeight / 2},
                                    picture_.y_name + (told ? "" : " in " + picture_.unit));
  }

  // Horizontal bars, with their labels on the left and the numbers on the right.
  void bars(const Plot& plot) {
    const std::vector<BarLine> lines = bar_lines(picture_, plot);
    std::size_t label = 0, series = 0, number = 0;
    for (const BarLine& line : lines) {
      label = std::max(label, text_width(line.label));
      series = std::max(series, text_width(line.series));
      number = std::max(number, text_width(line.value) + text_width(line.interval) + 3);
    }
    const auto width_of = [](std::size_t characters) {
      return kSvgCharacter * static_cast<double>(characters);
    };
    const double of_series = kSvgMargin + (label > 0 ? width_of(label) + 10 : 0);
    const double left = of_series + (series > 0 ? width_of(series) + 10 : 0);
    const double right = std::max(kSvgWidth - kSvgMargin - width_of(number), left + 60);
    sheet_.width = std::max(sheet_.width, right + width_of(number) + kSvgMargin);
    const double zero = plot.y.logarithmic ? 0 : plot.y.share(0);
    const double top = sheet_.down + 4;
    for (const BarLine& line : lines) {
      sheet_.down += kSvgLine;
      const double share = plot.y.share(line.number), from = std::min(zero, share),
                   to = std::max(zero, share);
      sheet_.body += svg_text({kSvgMargin, sheet_.down}, SvgAnchor::start, line.label, 12);
      sheet_.body += svg_text({of_series, sheet_.down}, SvgAnchor::start, line.series, 12);
      sheet_.body += svg_bar({left + from * (right - left), sheet_.down - 11}, (to - from) * (right - left),
                             13, line.name);
      sheet_.body += svg_text({left + to * (right - left) + 6, sheet_.down}, SvgAnchor::start,
                              line.value + (line.interval.empty() ? "" : " (" + line.interval + ")"), 12);
    }
    const double x = left + zero * (right - left);
    sheet_.body += svg_frame(
        fmt::format("M{} {}V{}", svg_number(x), svg_number(top), svg_number(sheet_.down + 5)), "#333");
    sheet_.down += kSvgLine / 2;
  }

  const Picture& picture_;
  SvgSheet sheet_;
  double top_ = 0;  // of the plot that is drawn
};

}  // namespace

std::string svg_of(const Picture& picture) {
  return SvgDrawing(picture).drawn();
}

}  // namespace kernsweep
