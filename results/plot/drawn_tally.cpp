#include "results/plot/drawn_tally.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "results/report/answer_text.hpp"
#include "results/text/ratio_text.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {

namespace {

constexpr double kBoundsBeyondMin = 3, kBoundsBeyondMax = 10;

Interval room_for_bounds(const Interval& values, bool logarithmic) {
  if (logarithmic) {
    const double times = std::clamp(values.high / values.low, kBoundsBeyondMin, kBoundsBeyondMax);
    return {values.low / times, values.high * times};
  }
  const double more =
      std::max(values.high - values.low, std::max(std::abs(values.low), std::abs(values.high)) / 2);
  const double low = values.low - more;
  return {values.low >= 0 ? std::max(low, 0.0) : low, values.high + more};
}

void reach(Interval& range, double low, double high) {
  range = {std::min(range.low, low), std::max(range.high, high)};
}

}  // namespace

PlotPoint DrawnTally::drawn(PlotPoint point) {
  const bool known = is_told(point.bounds.low, point.y) || is_told(point.bounds.high, point.y);
  if (!known) point.bounds = {kUnknown, kUnknown};
  without_bounds += known ? 0 : 1;
  disturbed += point.disturbed ? 1 : 0;
  return point;
}

Interval DrawnTally::range_of(const Plot& plot, bool logarithmic) {
  Interval range{HUGE_VAL, -HUGE_VAL};
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points) reach(range, point.y, point.y);
  if (plot.bars) return range;
  const Interval room = room_for_bounds(range, logarithmic);
  for (const PlotSeries& series : plot.series)
    for (const auto& [x, y, bounds, is_disturbed] : series.points) {
      if (std::isnan(bounds.low) || std::isnan(bounds.high)) continue;
      reach(range, std::max(bounds.low, room.low), std::min(bounds.high, room.high));
      beyond += bounds.low < room.low || bounds.high > room.high ? 1 : 0;
    }
  return range;
}

void DrawnTally::add_notes(Picture& picture, const std::string& where, const BestAnswer& about) const {
  if (disturbed > 0)
    picture.notes.push_back({fmt::format("! {} measured only under disturbance",
                                         counted(disturbed, "point was", "points were")),
                             where + " shows which"});
  if (without_bounds > 0)
    picture.notes.push_back(
        {fmt::format("Of {} no interval is known", counted(without_bounds, "point", "points")),
         text_of_more_processes(about.imported_from)});
  if (const std::size_t others = about.all_other_outputs.size(); others > 0)
    picture.notes.push_back(
        {fmt::format(
             "Outputs differ: {} not that of most settings, or not the same in each process",
             others == 1 ? "that of 1 setting is" : fmt::format("those of {} settings are", others)),
         "`best` names each"});
  if (beyond > 0)
    picture.notes.push_back(
        {fmt::format("{} beyond the picture", counted(beyond, "interval goes", "intervals go")),
         where + " has it whole"});
}

std::string first_line_of_left_out(const BestAnswer& about) {
  const std::string all = text_of_left_out(about, "");
  return all.substr(0, all.find('\n'));
}

}  // namespace kernsweep
