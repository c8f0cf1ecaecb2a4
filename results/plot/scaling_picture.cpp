#include "results/plot/scaling_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "results/plot/drawn_tally.hpp"
#include "results/report/pivot_words.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kScalingSeriesMax = 12;
constexpr double kLogarithmicThreads = 8;
constexpr int kFitPoints = 24;

class ScalingPicture {
 public:
  explicit ScalingPicture(const ScalingAnswer& answer)
      : answer_(answer), shown_(std::min(answer.series.size(), kScalingSeriesMax)) {}

  Picture made() {
    picture_.sweep = word_of_pivot(answer_.about.sweep);
    picture_.x_name = word_of_pivot(answer_.axis);
    picture_.y_name = "speedup";
    picture_.heading = fmt::format("speedup over {}, larger is better", picture_.x_name);
    picture_.confidence = 1 - answer_.alpha;
    for (const auto& [name, value] : answer_.everywhere)
      picture_.everywhere += fmt::format("{} {}={}", picture_.everywhere.empty() ? "everywhere:" : "",
                                         word_of_pivot(name), label_of(value));
    find_scales();
    find_labels();
    for (std::size_t i = 0; i < shown_; ++i) add_series(i);
    add_perfect();
    add_axes();
    picture_.plots.push_back(std::move(plot_));
    add_notes();
    return std::move(picture_);
  }

 private:
  void find_scales() {
    for (std::size_t i = 0; i < shown_; ++i)
      for (const ScalingPoint& point : answer_.series[i].points) threads_.insert(point.threads);
    logarithmic_ = *threads_.rbegin() > kLogarithmicThreads * *threads_.begin();
  }

  void find_labels() {
    NamedValues values;
    for (std::size_t i = 0; i < shown_; ++i)
      std::ranges::copy(answer_.series[i].of, std::back_inserter(values));
    labels_ = labels_by_column(values);
  }

  void add_series(std::size_t number) {
    const ScalingSeries& series = answer_.series[number];
    std::string name;
    for (const auto& [column, value] : series.of)
      name += fmt::format("{}{}={}", name.empty() ? "" : " ", word_of_pivot(column),
                          labels_.at({column, value.to_text()}));
    picture_.series.push_back(name.empty() ? "measured" : name);
    const bool fitted = add_fit(series, number);
    PlotSeries drawn{.name = number, .line = !fitted};
    for (const ScalingPoint& point : series.points) {
      PlotPoint made{
          .x = point.threads, .y = point.speedup, .bounds = point.bounds, .disturbed = point.disturbed};
      // The first one is exactly 1, because the others are compared with it, and has no interval.
      const bool first = drawn.points.empty();
      if (first) made.bounds = {1, 1};
      drawn.points.push_back(tally_.drawn(made));
      if (first) drawn.points.back().bounds = {kUnknown, kUnknown};
    }
    plot_.series.push_back(std::move(drawn));
  }

  // The law is drawn as a line, and the measured points as marks. Two numbers of threads always lie on a
  // line, so then nothing is drawn.
  bool add_fit(const ScalingSeries& series, std::size_t number) {
    const double serial = series.fit.serial, first = series.points.front().threads;
    if (series.points.size() < 3 || std::isnan(serial)) return false;
    PlotSeries law{.name = number, .marks = false};
    const double most = series.points.back().threads / first;
    for (int i = 0; i <= kFitPoints; ++i) {
      const double share = static_cast<double>(i) / kFitPoints;
      const double times = logarithmic_ ? std::pow(most, share) : 1 + (most - 1) * share;
      const double seconds = serial + (1 - serial) / times;
      if (!(seconds > 0)) return false;
      law.points.push_back({.x = first * times, .y = 1 / seconds});
    }
    plot_.series.push_back(std::move(law));
    return any_fit_ = true;
  }

  // Series may begin at different numbers of threads: a line for each.
  void add_perfect() {
    std::map<double, double> last_of;
    for (std::size_t i = 0; i < shown_; ++i) {
      const std::vector<ScalingPoint>& points = answer_.series[i].points;
      double& last = last_of[points.front().threads];
      last = std::max(last, points.back().threads);
    }
    for (const auto& [first, last] : last_of)
      plot_.series.push_back({.name = picture_.series.size(),
                              .points = {{.x = first, .y = 1}, {.x = last, .y = last / first}}});
    picture_.series.emplace_back("perfect");
  }

  void add_axes() {
    plot_.x = setting_axis({threads_.begin(), threads_.end()}, logarithmic_);
    plot_.y = value_axis("", tally_.range_of(plot_, logarithmic_), logarithmic_);
  }

  void add_notes() {
    if (any_fit_)
      picture_.notes.push_back(
          {"Lines are Amdahl's law, fitted to the points", "the table has its numbers"});
    tally_.add_notes(picture_, "the table", answer_.about);
    if (answer_.series.size() > shown_)
      picture_.notes.push_back({fmt::format("{} not drawn", counted(answer_.series.size() - shown_,
                                                                    "setting is", "settings are")),
                                "--where chooses, the table has all"});
    picture_.left_out = first_line_of_left_out(answer_.about);
  }

  const ScalingAnswer& answer_;
  std::size_t shown_;
  Picture picture_;
  Plot plot_;
  std::set<double> threads_;
  LabelsByColumn labels_;
  bool logarithmic_ = false, any_fit_ = false;
  DrawnTally tally_;
};

}  // namespace

Picture picture_of(const ScalingAnswer& answer) {
  return ScalingPicture(answer).made();
}

}  // namespace kernsweep
