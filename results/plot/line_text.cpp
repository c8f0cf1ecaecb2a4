#include "results/plot/line_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "results/plot/character_canvas.hpp"
#include "results/text/table.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kLineRows = 16;
constexpr std::size_t kLineColumnsMin = 12;
constexpr const char* kMarks[] = {"●", "○", "▲", "△", "■", "□", "◆", "◇", "+", "x"};
constexpr const char* kAsciiMarks[] = {"o", "x", "+", "*", "#", "@", "%", "&", "$", "="};
constexpr int kSeriesColours[] = {33, 208, 35, 161, 99, 136};  // of 256
constexpr std::size_t kMarksOfMany = 8;  // of a series whose points have no room for a mark each

struct AxisCharacters {
  const char *up, *tick_up, *corner, *along, *tick_along, *bar, *bar_top, *bar_bottom;
};
constexpr AxisCharacters kLineDrawing = {"│", "┤", "└", "─", "┬", "│", "┬", "┴"};
constexpr AxisCharacters kAsciiDrawing = {"|", "+", "+", "-", "+", "|", "|", "|"};

std::size_t place_of(double share, std::size_t places) {
  return static_cast<std::size_t>(
      std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(places - 1)));
}

class LineDrawing {
 public:
  LineDrawing(const Plot& plot, std::size_t columns, const Screen& screen)
      : plot_(plot), screen_(screen), glyphs_(screen.ascii ? kAsciiDrawing : kLineDrawing) {
    for (const PlotTick& tick : plot.y.ticks) label_ = std::max(label_, text_width(tick.text));
    columns_ = std::max(columns - std::min(columns, label_ + 2), kLineColumnsMin);
    canvas_.emplace(columns_, kLineRows);
  }

  LineText drawn(const std::string& x_name) {
    find_places();
    for (std::size_t i = 0; i < plot_.series.size(); ++i) draw_line(i);
    for (std::size_t i = 0; i < plot_.series.size() && !text_.sparse; ++i) draw_bounds(i);
    for (std::size_t i = 0; i < plot_.series.size(); ++i) draw_marks(i);
    write_rows();
    write_x_axis(x_name);
    return std::move(text_);
  }

 private:
  CharacterCanvas::Dot dot_of(double x, double y, std::size_t series) const {
    const auto across = static_cast<long>(place_of(plot_.x.share(x), columns_ * CharacterCanvas::kAcross));
    const long last = static_cast<long>(columns_ * CharacterCanvas::kAcross) - 1;
    const long beside_it = beside(series) * static_cast<long>(CharacterCanvas::kAcross);
    return {static_cast<std::size_t>(std::clamp(across + beside_it, 0L, last)),
            place_of(1 - plot_.y.share(y), kLineRows * CharacterCanvas::kDown)};
  }
  std::size_t row_of(double y) const {
    return place_of(1 - plot_.y.share(y), kLineRows * CharacterCanvas::kDown) / CharacterCanvas::kDown;
  }
  std::size_t column_of(double x, std::size_t series) const {
    return dot_of(x, plot_.y.low, series).x / CharacterCanvas::kAcross;
  }
  std::size_t tick_column(double x) const {
    return place_of(plot_.x.share(x), columns_ * CharacterCanvas::kAcross) / CharacterCanvas::kAcross;
  }
  // The offset of the points of a series, so that series do not hide each other.
  long beside(std::size_t series) const {
    return apart_ * static_cast<long>(places_[series]) - apart_ * (static_cast<long>(count_) - 1) / 2;
  }

  // Finds whether each point has room for a mark, and how far apart those of one x may be.
  void find_places() {
    std::vector<std::size_t> columns;
    for (const PlotSeries& series : plot_.series)
      for (const PlotPoint& point : series.points) columns.push_back(column_of(point.x, 0));
    std::ranges::sort(columns);
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
    std::size_t gap = 2 * std::min(columns.front(), columns_ - 1 - columns.back()) + 2, points = 0;
    for (std::size_t i = 1; i < columns.size(); ++i) gap = std::min(gap, columns[i] - columns[i - 1]);
    for (const PlotSeries& series : plot_.series)
      if (series.line) points = std::max(points, series.points.size());
    text_.sparse = points > columns_ / 2;
    apart_ = count_ < 2 || text_.sparse || !plot_.beside ? 0 : gap >= 2 * count_ ? 2 : gap > count_ ? 1 : 0;
  }

  void draw_line(std::size_t series) {
    if (!plot_.series[series].line) return;
    const auto& points = plot_.series[series].points;
    for (std::size_t i = 1; i < points.size(); ++i)
      canvas_->line(dot_of(points[i - 1].x, points[i - 1].y, series),
                    dot_of(points[i].x, points[i].y, series), plot_.series[series].name);
  }

  void draw_bounds(std::size_t series) {
    for (const PlotPoint& point : plot_.series[series].points) {
      if (std::isnan(point.bounds.low) || std::isnan(point.bounds.high)) continue;
      const std::size_t top = row_of(point.bounds.high), bottom = row_of(point.bounds.low);
      const std::size_t column = column_of(point.x, series);
      for (std::size_t row = top; row <= bottom && top < bottom; ++row) {
        const bool ends_above = row == top && plot_.y.share(point.bounds.high) <= 1;
        const bool ends_below = row == bottom && plot_.y.share(point.bounds.low) >= 0;
        canvas_->put(column, row,
                     ends_above   ? glyphs_.bar_top
                     : ends_below ? glyphs_.bar_bottom
                                  : glyphs_.bar,
                     plot_.series[series].name, false);
      }
    }
  }

  void draw_marks(std::size_t series) {
    if (!plot_.series[series].marks) return;
    const auto& points = plot_.series[series].points;
    const bool each_one = !text_.sparse || !plot_.series[series].line;
    const std::size_t each = !each_one ? std::max<std::size_t>(points.size() / kMarksOfMany, 1) : 1;
    const std::size_t name = plot_.series[series].name;
    for (std::size_t i = each / 2; i < points.size(); i += each) {
      const std::size_t column = column_of(points[i].x, series), row = row_of(points[i].y);
      text_.hidden += canvas_->put(column, row, mark_of_series(name, screen_), name, true) ? 0 : 1;
      if (points[i].disturbed) canvas_->put(column, row > 0 ? row - 1 : 1, "!", name, false);
    }
  }

  void write_rows() {
    std::vector<std::string> labels(kLineRows);
    for (const PlotTick& tick : plot_.y.ticks) labels[row_of(tick.at)] = tick.text;
    for (std::size_t row = 0; row < kLineRows; ++row) {
      const std::string& label = labels[row];
      text_.lines +=
          fmt::format("{:>{}} {}{}\n", label, label_, label.empty() ? glyphs_.up : glyphs_.tick_up,
                      canvas_->row_text(row, screen_));
    }
  }

  // The axis, those numbers below it that do not touch each other, and the name.
  void write_x_axis(const std::string& x_name) {
    std::vector<const char*> line(columns_, glyphs_.along);
    std::string numbers;
    for (const PlotTick& tick : plot_.x.ticks) {
      const std::size_t column = tick_column(tick.at), half = tick.text.size() / 2;
      line[column] = glyphs_.tick_along;
      const std::size_t from =
          std::min(column - std::min(column, half), columns_ - std::min(columns_, tick.text.size()));
      if (!numbers.empty() && from < numbers.size() + 2) continue;
      numbers += std::string(from - numbers.size(), ' ') + tick.text;
    }
    const std::string front(label_ + 1, ' ');
    text_.lines += front + glyphs_.corner + fmt::format("{}\n", fmt::join(line, ""));
    text_.lines += front + " " + numbers + "\n";
    const std::size_t name = text_width(x_name);
    text_.lines +=
        front + " " + std::string(name < columns_ ? (columns_ - name) / 2 : 0, ' ') + x_name + "\n";
  }

  const Plot& plot_;
  const Screen& screen_;
  const AxisCharacters& glyphs_;
  std::size_t label_ = 0, columns_ = 0;
  std::vector<std::size_t> places_ = places_beside(plot_);
  std::size_t count_ = *std::ranges::max_element(places_) + 1;  // number of places for one x
  long apart_ = 0;
  std::optional<CharacterCanvas> canvas_;
  LineText text_;
};

}  // namespace

std::string mark_of_series(std::size_t series, const Screen& screen) {
  if (series < std::size(kMarks)) return screen.ascii ? kAsciiMarks[series] : kMarks[series];
  return {static_cast<char>('A' + (series - std::size(kMarks)) % 26)};
}

std::string in_series_colour(const std::string& text, std::size_t series, const Screen& screen) {
  if (!screen.colours) return text;
  return fmt::format("\033[38;5;{}m{}\033[0m", kSeriesColours[series % std::size(kSeriesColours)], text);
}

LineText line_text(const Plot& plot, const std::string& x_name, std::size_t columns, const Screen& screen) {
  return LineDrawing(plot, columns, screen).drawn(x_name);
}

}  // namespace kernsweep
