#include "results/plot/plot_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/plot/bar_lines.hpp"
#include "results/plot/line_text.hpp"
#include "results/text/table.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kPlotColumns = 80, kPlotColumnsMin = 30, kPlotColumnsMax = 120;
constexpr std::size_t kBarColumnsMin = 8;

std::string with_blanks(const std::string& text, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width, text_width(text)), ' ');
  return right ? blanks + text : text + blanks;
}

// A bar from the share `from` to `to` of `columns` characters, in eighths of one at its end; `from` below
// `to`.
std::string text_of_bar(double from, double to, std::size_t columns, bool ascii) {
  constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double eighths = 8 * static_cast<double>(columns);
  const auto place = [&](double share) {
    return static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * eighths));
  };
  const std::size_t begin = place(from) / 8;
  const std::size_t length = std::max<std::size_t>(place(to) - 8 * begin, to > from ? 1 : 0);
  std::string bar(begin, ' ');
  if (ascii) return bar + std::string((length + 7) / 8, '#');
  for (std::size_t i = 0; i < length / 8; ++i) bar += "█";
  return bar + kEighths[length % 8];
}

// A line for each point: its label, the bar, the number and its interval.
std::string bar_text(const Picture& picture, const Plot& plot, std::size_t columns, const Screen& screen) {
  const std::vector<BarLine> lines = bar_lines(picture, plot);
  std::size_t label = 0, series = 0, value = 0, interval = 0;
  for (const BarLine& line : lines) {
    label = std::max(label, text_width(line.label));
    series = std::max(series, text_width(line.series));
    value = std::max(value, text_width(line.value));
    interval = std::max(interval, text_width(line.interval));
  }
  const std::size_t used = label + series + value + interval + 8;
  const std::size_t room = std::max(columns - std::min(columns, used), kBarColumnsMin);
  const double zero = plot.y.logarithmic ? 0 : plot.y.share(0);
  std::string out;
  for (const BarLine& line : lines) {
    std::string text = label > 0 ? with_blanks(line.label, label, false) + "  " : "";
    if (series > 0) text += with_blanks(line.series, series, false) + "  ";
    const double share = plot.y.share(line.number);
    text += with_blanks(text_of_bar(std::min(zero, share), std::max(zero, share), room, screen.ascii), room,
                        false);
    const bool marked = line.value.ends_with('!');
    text += " " + with_blanks(line.value + (marked ? "" : " "), value + 1, true);
    if (!line.interval.empty()) text += " (" + line.interval + ")";
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  return out;
}

std::string legend_text(const Picture& picture, std::size_t columns, const Screen& screen) {
  if (picture.series.size() == 1 && picture.series.front().empty()) return "";
  std::string text;
  std::size_t used = 0;
  for (std::size_t i = 0; i < picture.series.size(); ++i) {
    const std::size_t width = 2 + text_width(picture.series[i]);
    if (used > 0) {
      const bool fits = used + 3 + width <= columns;
      text += fits ? "   " : "\n";
      used = fits ? used + 3 : 0;
    }
    text += in_series_colour(mark_of_series(i, screen), i, screen) + " " + picture.series[i];
    used += width;
  }
  return text + "\n";
}

// Replaces our own characters that are not ASCII: the sign of micro and the ellipsis.
std::string in_ascii(std::string text) {
  for (const auto& [from, to] : {std::pair{"µ", "u"}, std::pair{"…", "~"}})
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos;)
      text.replace(at, std::string(from).size(), to);
  return text;
}

}  // namespace

std::string text_of(const Picture& picture, const Screen& screen) {
  const std::size_t columns =
      screen.columns == 0 ? kPlotColumns : std::clamp(screen.columns, kPlotColumnsMin, kPlotColumnsMax);
  const auto line = [&](const std::string& text) { return wrapped(text, columns) + "\n"; };
  std::string out = line(picture.heading);
  if (!picture.everywhere.empty()) out += line(picture.everywhere);
  std::size_t hidden = 0;
  bool lines = false, error_bars = false, in_brackets = false, sparse = false;
  for (const Plot& plot : picture.plots) {
    out += "\n" + (plot.title.empty() ? "" : line(plot.title));
    if (plot.bars) {
      out += bar_text(picture, plot, columns, screen);
      in_brackets = in_brackets || has_intervals(plot);
    } else {
      const LineText drawn = line_text(plot, picture.x_name, columns, screen);
      out += drawn.lines;
      hidden += drawn.hidden;
      sparse = sparse || drawn.sparse;
      lines = true;
      error_bars = error_bars || has_intervals(plot);
    }
  }
  if (lines) out += legend_text(picture, columns, screen);
  out += "\n";
  const double confidence = 100 * picture.confidence;
  if (error_bars)
    out += line(fmt::format(
        "Error bars are {:g} % intervals, drawn where larger than a character{}; --json has all",
        confidence, sparse ? " and where there is room" : ""));
  if (in_brackets) out += line(fmt::format("In brackets: {:g} % intervals", confidence));
  if (hidden > 0)
    out += line(fmt::format("{} behind another one", counted(hidden, "mark lies", "marks lie")));
  for (const PlotNote& note : picture.notes)
    out += line(note.text + (note.command.empty() ? "" : "; " + note.command));
  return screen.ascii ? in_ascii(std::move(out)) : out;
}

}  // namespace kernsweep
