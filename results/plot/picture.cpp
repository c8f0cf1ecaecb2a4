#include "results/plot/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "results/plot/drawn_tally.hpp"
#include "results/plot/plot_points.hpp"
#include "results/report/pivot_words.hpp"
#include "results/text/table.hpp"
#include "results/text/units.hpp"
#include "shared/base/try.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kPlotsMax = 12;
constexpr std::size_t kSeriesMax = 36;   // the number of marks
constexpr std::size_t kBarsMax = 200;    // of a plot
constexpr double kLogarithmicFrom = 30;  // largest over smallest value

std::optional<double> number_on_axis(const Value& value) {
  const auto number = value.number();
  return number && std::abs(*number) < kDrawnMax ? number : std::nullopt;
}

class PictureMaker {
 public:
  PictureMaker(const PivotAnswer& answer, const PlotStyle& style)
      : answer_(answer), style_(style), drawn_(drawn_points(answer, style.x)) {}

  Result<Picture> made() {
    find_scales();
    KS_RETURN_IF_ERROR(check_scales());
    picture_.sweep = word_of_pivot(answer_.about.sweep);
    picture_.x_name = word_of_pivot(style_.x);
    picture_.y_name = word_of_pivot(answer_.about.metric);
    picture_.unit = answer_.unit;
    picture_.confidence = 1 - answer_.alpha;
    picture_.everywhere = everywhere_in_words(answer_.everywhere);
    picture_.series.assign(
        drawn_.series.begin(),
        drawn_.series.begin() + static_cast<std::ptrdiff_t>(std::min(drawn_.series.size(), kSeriesMax)));
    for (std::size_t plot = 0; plot < std::min(drawn_.titles.size(), kPlotsMax); ++plot) add_plot(plot);
    std::erase_if(picture_.plots, [](const Plot& plot) { return plot.series.empty(); });
    describe();
    add_notes();
    picture_.left_out = first_line_of_left_out(answer_.about);
    return std::move(picture_);
  }

 private:
  bool is_drawn(const DrawnPoint& point) const {
    return point.plot < kPlotsMax && point.series < kSeriesMax;
  }

  // Decides which plots have lines, and which axes are logarithmic.
  void find_scales() {
    const auto is_number = [](const DrawnPoint& point) {
      return point.x->is_null() || number_on_axis(*point.x).has_value();
    };
    bool numbers = std::ranges::all_of(drawn_.points, is_number);
    std::vector<std::set<double>> xs(drawn_.titles.size());
    std::map<double, std::string> text_of;
    for (const DrawnPoint& point : drawn_.points)
      if (const auto number = number_on_axis(*point.x)) {
        xs[point.plot].insert(*number);
        // Two spellings of one number, 3.1 and 3.10, share one place on a line.
        const std::string text = point.x->to_text();
        numbers = numbers && text_of.try_emplace(*number, text).first->second == text;
      }
    for (const auto& of_plot : xs) {
      lines_.push_back(numbers && of_plot.size() > 1 ? 1 : 0);
      xs_.emplace_back(of_plot.begin(), of_plot.end());
    }
    numbers_ = numbers;
    log_x_ = style_.log == PlotLog::x || style_.log == PlotLog::xy;
    log_y_ = style_.log == PlotLog::y || style_.log == PlotLog::xy;
    if (style_.log == PlotLog::none) return;
    std::vector<Interval> ranges(drawn_.titles.size(), Interval{HUGE_VAL, 0});
    bool positive = true;
    for (const DrawnPoint& point : drawn_.points) {
      if (!is_drawn(point)) continue;
      Interval& range = ranges[point.plot];
      range.low = std::min(range.low, point.cell->number);
      range.high = std::max(range.high, point.cell->number);
      positive = positive && point.cell->number > 0;
    }
    for (const Interval& range : ranges)
      if (range.low > 0 && range.high > 0) ratio_ = std::max(ratio_, range.high / range.low);
    automatic_ = !log_y_ && positive && ratio_ > kLogarithmicFrom;
    log_y_ = log_y_ || automatic_;
  }

  Status check_scales() const {
    if (log_x_ && !numbers_)
      return failure(fmt::format("--log x: '{}' has values that are not numbers; ask without --log x",
                                 word_of_pivot(style_.x)));
    if (log_x_) {
      const auto below = std::ranges::count_if(drawn_.points, [&](const DrawnPoint& point) {
        return is_drawn(point) && !(number_on_axis(*point.x).value_or(1) > 0);
      });
      if (below > 0) return has_no_logarithm("x", static_cast<std::size_t>(below), style_.x);
    }
    const auto below = std::ranges::count_if(drawn_.points, [&](const DrawnPoint& point) {
      return is_drawn(point) && !(point.cell->number > 0);
    });
    if (log_y_ && below > 0)
      return has_no_logarithm("y", static_cast<std::size_t>(below), answer_.about.metric);
    return Done{};
  }

  Status has_no_logarithm(const char* axis, std::size_t below, const std::string& name) const {
    return failure(fmt::format(
        "--log {0}: {1} is not above zero in {2} of {3}, and has no logarithm there; ask without "
        "--log {0}, or leave them out by --where",
        axis, word_of_pivot(name), below, counted(drawn_.points.size(), "point", "points")));
  }

  void add_plot(std::size_t number) {
    Plot plot{.title = drawn_.titles[number], .bars = lines_[number] == 0};
    std::vector<PlotSeries> series(picture_.series.size());
    std::vector<std::size_t> places;  // of bars: x_place of each label
    std::vector<Value> bar_values;
    std::size_t bars = 0;
    for (const DrawnPoint& point : drawn_.points) {
      if (point.plot != number || !is_drawn(point)) continue;
      if (plot.bars && ++bars > kBarsMax) continue;
      PlotPoint made{
          .y = point.cell->number, .bounds = point.cell->bounds, .disturbed = point.cell->disturbed};
      if (plot.bars) {
        const auto place = std::ranges::find(places, point.x_place);
        made.x = static_cast<double>(place - places.begin());
        if (place == places.end()) {
          places.push_back(point.x_place);
          bar_values.push_back(*point.x);
        }
      } else if (const auto x = number_on_axis(*point.x)) {
        made.x = *x;
      } else {
        ++without_x_;
        continue;
      }
      series[point.series].points.push_back(tally_.drawn(made));
    }
    bars_beyond_ += bars > kBarsMax ? bars - kBarsMax : 0;
    for (std::size_t i = 0; i < series.size(); ++i) {
      series[i].name = i;
      std::ranges::stable_sort(series[i].points, {}, &PlotPoint::x);
      if (!series[i].points.empty()) plot.series.push_back(std::move(series[i]));
    }
    if (plot.series.empty()) return;
    if (plot.bars) plot.labels = labels_apart(bar_values);
    add_axes(plot, xs_[number]);
    picture_.plots.push_back(std::move(plot));
  }

  void add_axes(Plot& plot, const std::vector<double>& xs) {
    if (!plot.bars) plot.x = setting_axis(xs, log_x_);
    Interval values = tally_.range_of(plot, log_y_);
    if (plot.bars && log_y_)
      values.low /= 2;
    else if (plot.bars)
      values = {std::min(values.low, 0.0), std::max(values.high, 0.0)};
    plot.y = value_axis(answer_.unit, values, log_y_);
    if (plot.bars && values.low < values.high) {  // no axis is drawn; the longest bar uses the whole width
      plot.y.low = values.low;
      plot.y.high = values.high;
      plot.y.ticks.clear();
    }
    off_zero_ = off_zero_ || (!plot.bars && !log_y_ && plot.y.low > 0);
  }

  void describe() {
    const bool lines = std::ranges::any_of(picture_.plots, [](const Plot& plot) { return !plot.bars; });
    picture_.heading =
        metric_in_words(answer_) + (lines ? "; over " : "; a bar for each value of ") + picture_.x_name;
    if (drawn_.series.size() > 1)
      picture_.heading +=
          fmt::format("{}{}", lines ? ", a line for each value of " : " and ", fmt::join(drawn_.by, ", "));
  }

  void note(std::string text, std::string command = "") {
    picture_.notes.push_back({std::move(text), std::move(command)});
  }

  void add_notes() {
    const auto each_has = [&](bool bars) {
      return std::ranges::any_of(picture_.plots, [&](const Plot& plot) { return plot.bars == bars; });
    };
    const std::string x = picture_.x_name;
    if (automatic_)
      note(fmt::format("{} has a logarithmic scale: the largest is {} times the smallest", picture_.y_name,
                       text_of_number(ratio_)),
           "--log none has a linear one");
    if (log_y_ && each_has(true)) note("Bars begin at half of the smallest number");
    if (off_zero_) note(fmt::format("The axis of {} does not begin at 0", picture_.y_name));
    std::map<std::string, std::string> following;
    for (const FollowingColumn& each : drawn_.following) {
      std::string& names = following[each.along];
      names += (names.empty() ? "" : ", ") + each.name;
    }
    for (const auto& [along, names] : following)
      note(fmt::format("Of the problem, these change along with {}: {}", along, names));
    if (numbers_ && each_has(true)) note(fmt::format("Where {} has one value only there are bars", x));
    if (!answer_.not_compared.empty())
      note(fmt::format("For each {} another problem is computed, so a shorter time may be less work",
                       word_of_pivot(answer_.not_compared)),
           "--metric gflops compares what can be compared");
    if (!answer_.chosen.empty())
      note("A point is the best of its settings: " + chosen_in_words(answer_), "--json shows which");
    if (without_x_ > 0)
      note(fmt::format("{} no {}, and cannot be drawn", counted(without_x_, "point has", "points have"), x),
           "--json has them");
    if (drawn_.not_finite > 0)
      note(fmt::format("{} too large a number to be drawn",
                       counted(drawn_.not_finite, "point has", "points have")));
    tally_.add_notes(picture_, "--json", answer_.about);
    if (bars_beyond_ > 0)
      note(fmt::format("{} not drawn", counted(bars_beyond_, "bar is", "bars are")),
           "--where chooses, --json has all");
    if (drawn_.series.size() > kSeriesMax)
      note(fmt::format("{} not drawn",
                       counted(drawn_.series.size() - kSeriesMax, "series is", "series are")),
           "--where chooses, --json has all");
    if (drawn_.titles.size() > kPlotsMax)
      note(fmt::format("{} not drawn", counted(drawn_.titles.size() - kPlotsMax, "plot is", "plots are")),
           "--where chooses, --json has all");
  }

  const PivotAnswer& answer_;
  const PlotStyle& style_;
  DrawnPoints drawn_;
  Picture picture_;
  std::vector<char> lines_;              // of each plot: 1: lines
  std::vector<std::vector<double>> xs_;  // of each plot, ascending, each once
  bool numbers_ = false, log_x_ = false, log_y_ = false, automatic_ = false, off_zero_ = false;
  double ratio_ = 1;  // the largest over the smallest value of a plot
  DrawnTally tally_;
  std::size_t without_x_ = 0, bars_beyond_ = 0;
};

}  // namespace

std::vector<std::size_t> places_beside(const Plot& plot) {
  std::map<std::size_t, std::size_t> place_of;  // by name
  std::vector<std::size_t> places;
  for (const PlotSeries& series : plot.series)
    places.push_back(place_of.try_emplace(series.name, place_of.size()).first->second);
  return places;
}

bool has_intervals(const Plot& plot) {
  const auto known = [](const PlotPoint& point) { return !std::isnan(point.bounds.low); };
  return std::ranges::any_of(
      plot.series, [&](const PlotSeries& series) { return std::ranges::any_of(series.points, known); });
}

Result<Picture> picture_of(const PivotAnswer& answer, const PlotStyle& style) {
  return PictureMaker(answer, style).made();
}

}  // namespace kernsweep
