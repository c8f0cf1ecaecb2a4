#include "results/plot/bar_lines.hpp"

#include <cmath>

#include "results/text/ratio_text.hpp"
#include "results/text/units.hpp"

namespace kernsweep {

std::vector<BarLine> bar_lines(const Picture& picture, const Plot& plot) {
  std::vector<std::vector<BarLine>> of_label(plot.labels.size());
  const auto metric = [&](double number) { return text_of_metric(number, picture.unit); };
  const bool series_told = picture.series.size() > 1 || plot.labels.size() == 1;
  for (const PlotSeries& series : plot.series)
    for (const PlotPoint& point : series.points) {
      const auto label = static_cast<std::size_t>(point.x);
      const bool known = !std::isnan(point.bounds.low) && !std::isnan(point.bounds.high);
      BarLine line{.series = series_told ? picture.series[series.name] : "",
                   .value = metric(point.y) + (point.disturbed ? "!" : ""),
                   .interval = known ? text_of_bounds(point.bounds, point.y, metric) : "",
                   .number = point.y,
                   .name = series.name};
      const bool label_told = plot.labels.size() > 1 || line.series.empty();
      if (of_label[label].empty() && label_told) line.label = plot.labels[label];
      of_label[label].push_back(std::move(line));
    }
  std::vector<BarLine> lines;
  for (std::vector<BarLine>& each : of_label)
    for (BarLine& line : each) lines.push_back(std::move(line));
  return lines;
}

}  // namespace kernsweep
