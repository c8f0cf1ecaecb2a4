#include "results/plot/process_strips.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <utility>

#include "results/plot/drawn_tally.hpp"
#include "results/plot/plot_points.hpp"
#include "results/plot/svg_parts.hpp"
#include "results/report/pivot_words.hpp"
#include "results/roofs/implausible.hpp"
#include "results/text/table.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kProcessesMax = 100;
constexpr double kStripLine = 14, kStripGap = 8;  // in pixels; the latter between settings
constexpr double kLogarithmicStripsFrom = 8;      // ratio of the longest and the shortest time
constexpr const char* kStripHeading = "time of a call in each process of the best settings";

class Strips {
 public:
  Strips(const PivotAnswer& answer, const SweepRows& rows, const SampleSpreads& spreads)
      : answer_(answer),
        titles_(answer),
        names_(labels_apart(answer.values)),
        jobs_(rows),
        rows_(rows),
        spreads_(spreads) {
    for (std::size_t c = 0; c < answer.rows.size(); ++c) columns_.push_back(c);
    NamedValues settings;
    for (const PivotRow& row : answer.table)
      for (const PivotCell& cell : row.cells)
        std::ranges::copy(cell.settings, std::back_inserter(settings));
    settings_ = labels_by_column(settings);
  }

  // Empty: no process of the problem has a spread.
  StripPlot of_problem(std::size_t number) {
    const PivotRow& row = answer_.table[number];
    std::vector<std::size_t> order;
    for (std::size_t at = 0; at < row.cells.size(); ++at)
      if (row.cells[at].number > 0) order.push_back(at);
    std::ranges::stable_sort(order, {}, [&](std::size_t at) { return row.cells[at].number; });
    StripPlot plot{.title = titles_.of(number, columns_), .strips = {}, .settings_left = 0};
    for (const std::size_t at : order) {
      if (plot.strips.size() < kProcessesMax)
        add_setting(plot, at, row.cells[at]);
      else
        ++plot.settings_left;
    }
    const auto is_known = [](const ProcessStrip& strip) { return strip.samples.max_s > 0; };
    if (std::ranges::none_of(plot.strips, is_known)) plot.strips.clear();
    return plot;
  }

 private:
  // The value of the column and the settings that differ within cells: "blas threads=2".
  std::string label_of_cell(std::size_t at, const PivotCell& cell) const {
    std::string label = names_[at];
    for (const auto& [name, value] : cell.settings)
      if (!value.is_null() && std::ranges::find(answer_.chosen, name) != answer_.chosen.end())
        label += fmt::format(" {}={}", word_of_pivot(name), settings_.at({name, value.to_text()}));
    return label;
  }

  void add_setting(StripPlot& plot, std::size_t at, const PivotCell& cell) {
    const std::uint32_t job = jobs_.next_of(cell.result);
    if (job == rows_.jobs.size()) return;
    std::string label = label_of_cell(at, cell);
    jobs_.each_beside(job, [&](const SweepRows::Job& each) {
      if (!(each.median_s > 0)) return;
      plot.strips.push_back({.label = std::exchange(label, ""),
                             .median_s = each.median_s,
                             .samples = spreads_.at(each.result),
                             .disturbed = each.grade > 'B'});
    });
  }

  const PivotAnswer& answer_;
  const RowTitles titles_;
  const std::vector<std::string> names_;  // of the values of the column
  LabelsByColumn settings_;
  std::vector<std::size_t> columns_;  // all columns of the rows
  JobsOfPoints jobs_;
  const SweepRows& rows_;
  const SampleSpreads& spreads_;
};

class StripSheet {
 public:
  explicit StripSheet(const StripPicture& picture) : picture_(picture) {
    for (const StripPlot& plot : picture.plots)
      for (const ProcessStrip& strip : plot.strips)
        left_ = std::max(left_, 2 * kSvgMargin + kSvgCharacter * double(text_width(strip.label)));
    right_ = std::max(kSvgWidth - 2 * kSvgMargin, left_ + kSvgWidth / 2);
    sheet_.width = right_ + 2 * kSvgMargin;
  }

  std::string drawn() {
    sheet_.add_lines(kStripHeading, 14);
    if (!picture_.everywhere.empty()) sheet_.add_lines(picture_.everywhere, 12);
    for (const StripPlot& plot : picture_.plots) {
      sheet_.down += kSvgLine / 2;
      const PlotAxis axis = axis_of(plot);
      const char* scale = axis.logarithmic ? "logarithmic scale"
                          : axis.low > 0   ? "the scale does not begin at 0"
                                           : "";
      std::string title = plot.title;
      if (*scale != 0) title += (title.empty() ? "" : ": ") + std::string(scale);
      if (!title.empty()) sheet_.add_lines(title, 12);
      draw(plot, axis);
      if (plot.settings_left > 0)
        sheet_.add_lines(
            counted(plot.settings_left, "slower setting is", "slower settings are") + " not drawn", 10);
    }
    sheet_.add_lines(
        "Mark: the median of the samples of a process; thick: their quartiles; thin: from the "
        "smallest to the largest; hollow: graded C or X",
        10);
    if (picture_.plots_left > 0)
      sheet_.add_lines(counted(picture_.plots_left, "more problem is", "more problems are") + " not drawn",
                       10);
    if (!picture_.left_out.empty()) sheet_.add_lines(picture_.left_out, 10);
    return sheet_.document(picture_.sweep + ": " + kStripHeading);
  }

 private:
  static PlotAxis axis_of(const StripPlot& plot) {
    Interval range{HUGE_VAL, 0};
    for (const ProcessStrip& strip : plot.strips) {
      range.high = std::max({range.high, strip.median_s, strip.samples.max_s});
      const double low = strip.samples.min_s > 0 ? strip.samples.min_s : strip.median_s;
      range.low = std::min({range.low, strip.median_s, low});
    }
    return value_axis("s", range, range.high > kLogarithmicStripsFrom * range.low);
  }

  void draw(const StripPlot& plot, const PlotAxis& axis) {
    const double top = sheet_.down, right = right_;
    const auto x_of = [&](double seconds) { return left_ + axis.share(seconds) * (right - left_); };
    std::string strips;
    for (const ProcessStrip& strip : plot.strips) {
      const bool first = !strip.label.empty();
      sheet_.down += kStripLine + (first ? kStripGap : 0);
      const double y = sheet_.down - kStripLine / 2;
      if (first) strips += svg_text({left_ - 8, y + 4}, SvgAnchor::end, strip.label, 12);
      const auto bar = [&](double from, double to, double height) {
        if (from > 0 && to > 0)
          strips += svg_bar({x_of(from), y - height / 2}, std::max(x_of(to) - x_of(from), 0.5), height, 0);
      };
      bar(strip.samples.min_s, strip.samples.max_s, 1);
      bar(strip.samples.q1_s, strip.samples.q3_s, 4);
      strips += svg_dot({x_of(strip.median_s), y}, 0, strip.disturbed);
    }
    const double bottom = sheet_.down + kStripGap / 2;
    std::string grid;
    for (const PlotTick& tick : axis.ticks)
      grid += fmt::format("M{} {}V{}", svg_number(x_of(tick.at)), svg_number(top), svg_number(bottom));
    const SvgTicks ticks = svg_ticks(axis, left_, right, bottom);
    sheet_.body += svg_frame(grid, "#ddd") + strips;
    sheet_.body += svg_frame(
        fmt::format("M{} {}H{}", svg_number(left_), svg_number(bottom), svg_number(right)) + ticks.marks,
        "#333");
    sheet_.body += ticks.texts;
    sheet_.down = bottom + 1.5 * kSvgLine;
  }

  const StripPicture& picture_;
  double left_ = 0, right_ = 0;  // of the axis; labels are left of it
  SvgSheet sheet_;
};

}  // namespace

Result<StripPicture> process_strips(Reader& reader, const PivotAnswer& answer) {
  KS_ASSIGN_OR_RETURN(const auto stored, reader.find_sweep(std::to_string(answer.about.id.value)));
  KS_ASSIGN_OR_RETURN(auto columns, reader.columns(stored.id));
  KS_ASSIGN_OR_RETURN(const auto rows, read_graded_rows(reader, stored, std::move(columns)));
  KS_ASSIGN_OR_RETURN(const auto spreads, read_sample_spreads(reader, stored));
  StripPicture picture{.sweep = word_of_pivot(answer.about.sweep),
                       .everywhere = everywhere_in_words(answer.everywhere),
                       .left_out = first_line_of_left_out(answer.about)};
  Strips strips(answer, rows, spreads);
  std::size_t processes = 0;
  for (std::size_t row = 0; row < answer.table.size(); ++row) {
    StripPlot plot = strips.of_problem(row);
    if (plot.strips.empty()) continue;
    if (processes > 0 && processes + plot.strips.size() > kProcessesMax) {
      ++picture.plots_left;
      continue;
    }
    processes += plot.strips.size();
    picture.plots.push_back(std::move(plot));
  }
  return picture;
}

std::string svg_of(const StripPicture& picture) {
  return StripSheet(picture).drawn();
}

}  // namespace kernsweep
