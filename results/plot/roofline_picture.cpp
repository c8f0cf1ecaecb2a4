#include "results/plot/roofline_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "results/plot/drawn_tally.hpp"
#include "results/report/pivot_words.hpp"
#include "shared/text/counted.hpp"

namespace kernsweep {

namespace {

constexpr std::size_t kHostsMax = 12;
constexpr std::size_t kVariantsMax = 20;

struct Roof {
  std::string name;
  double peak = HUGE_VAL;       // 1e9 operations per second
  double bandwidth = HUGE_VAL;  // 1e9 bytes per second
};

// The peaks of the types of the points, or all peaks if the points have no types; and all levels of memory.
std::vector<Roof> roofs_over(const RooflineOfHost& host) {
  std::set<std::string> wanted;
  for (const RooflinePoint& point : host.points) wanted.insert(point.dtype);
  const Roofs& roofs = host.roofs->roofs;
  const auto is_wanted = [&](const auto& peak) { return wanted.contains(peak.first); };
  const bool all = std::ranges::none_of(roofs.peaks, is_wanted);
  std::vector<Roof> found;
  for (const MemoryLevel& level : roofs.levels)
    if (level.limit.rate > 0)
      found.push_back({.name = level.name + " bandwidth", .bandwidth = level.limit.rate});
  for (const auto& [dtype, limit] : roofs.peaks)
    if (limit.rate > 0 && (all || wanted.contains(dtype)))
      found.push_back({.name = dtype + " peak", .peak = limit.rate});
  return found;
}

class RooflinePicture {
 public:
  RooflinePicture(const RooflinePoints& found, const BestAnswer& shares) : found_(found), shares_(shares) {}

  Picture made() {
    picture_.sweep = word_of_pivot(shares_.sweep);
    picture_.x_name = "operations per byte";
    picture_.y_name = "rate";
    picture_.unit = "GFLOP/s";
    picture_.heading =
        "GFLOP/s over operations per byte; the best point of each problem, under the measured roofs";
    const std::size_t hosts = std::min(found_.hosts.size(), kHostsMax);
    for (std::size_t i = 0; i < hosts; ++i)
      for (const RooflinePoint& point : found_.hosts[i].points)
        if (std::ranges::find(drawn_, point.variant) == drawn_.end()) drawn_.push_back(point.variant);
    variants_ = std::min(drawn_.size(), kVariantsMax);
    points_left_ = drawn_.size() > variants_;
    drawn_.resize(variants_);
    const std::vector<Value> variants(drawn_.begin(), drawn_.end());
    picture_.series = labels_apart(variants);
    for (std::size_t i = 0; i < hosts; ++i) add_plot(found_.hosts[i]);
    add_notes();
    return std::move(picture_);
  }

 private:
  std::size_t name_of_series(const std::string& name) {
    const auto known = std::ranges::find(picture_.series, name);
    if (known != picture_.series.end()) return static_cast<std::size_t>(known - picture_.series.begin());
    picture_.series.push_back(name);
    return picture_.series.size() - 1;
  }

  void add_plot(const RooflineOfHost& host) {
    const HostRoofs& of = *host.roofs;
    Plot plot{.title = fmt::format(
                  "{}, {}", word_of_pivot(of.host),
                  of.gpu.empty() ? counted(static_cast<std::uint64_t>(of.threads), "thread", "threads")
                                 : word_of_pivot(of.gpu)),
              .beside = false};
    std::vector<PlotSeries> of_variant(variants_);
    Interval across{HUGE_VAL, 0}, up{HUGE_VAL, 0};
    const auto reach = [](Interval& range, double value) {
      range = {std::min(range.low, value), std::max(range.high, value)};
    };
    for (const RooflinePoint& point : host.points) {
      const auto at = static_cast<std::size_t>(std::ranges::find(drawn_, point.variant) - drawn_.begin());
      if (at >= variants_) continue;
      of_variant[at].points.push_back(
          {.x = point.intensity, .y = point.rate, .disturbed = point.disturbed});
      tally_.disturbed += point.disturbed ? 1 : 0;
      reach(across, point.intensity);
      reach(up, point.rate);
    }
    if (across.high == 0) return;  // all its points are of variants that are not drawn
    const std::vector<Roof> roofs = roofs_over(host);
    const double highest = highest_of(roofs);
    for (const Roof& roof : roofs)  // the point where a slope meets the highest peak is in the picture
      if (std::isfinite(highest) && std::isfinite(roof.bandwidth)) reach(across, highest / roof.bandwidth);
    across = {across.low / 2, across.high * 2};
    for (std::size_t i = 0; i < variants_; ++i) {
      of_variant[i].name = i;
      of_variant[i].line = false;
      std::ranges::stable_sort(of_variant[i].points, {}, &PlotPoint::x);
      if (!of_variant[i].points.empty()) plot.series.push_back(std::move(of_variant[i]));
    }
    for (const Roof& roof : roofs) {
      PlotSeries line = line_of(roof, roofs, across);
      for (const PlotPoint& point : line.points) reach(up, point.y);
      line.name = name_of_series(roof.name);
      plot.series.push_back(std::move(line));
    }
    plot.x = value_axis("", across, true);
    plot.y = value_axis("GFLOP/s", up, true);
    picture_.plots.push_back(std::move(plot));
  }

  static double highest_of(const std::vector<Roof>& roofs) {
    double highest = 0;
    for (const Roof& roof : roofs)
      if (std::isfinite(roof.peak)) highest = std::max(highest, roof.peak);
    return highest > 0 ? highest : HUGE_VAL;
  }

  // A slope ends at the highest peak; a peak begins where the fastest level of memory reaches it.
  static PlotSeries line_of(const Roof& roof, const std::vector<Roof>& roofs, const Interval& across) {
    double fastest = 0;
    for (const Roof& each : roofs)
      if (std::isfinite(each.bandwidth)) fastest = std::max(fastest, each.bandwidth);
    PlotSeries line;
    if (std::isfinite(roof.peak)) {
      const double from = fastest > 0 ? std::max(roof.peak / fastest, across.low) : across.low;
      line.points = {{.x = from, .y = roof.peak}, {.x = across.high, .y = roof.peak}};
    } else {
      const double to = std::min(highest_of(roofs) / roof.bandwidth, across.high);
      line.points = {{.x = across.low, .y = across.low * roof.bandwidth},
                     {.x = to, .y = to * roof.bandwidth}};
    }
    return line;
  }

  void add_notes() {
    const auto note = [&](std::string text, std::string command) {
      picture_.notes.push_back({std::move(text), std::move(command)});
    };
    tally_.add_notes(picture_, "the table", {});
    const auto doubted = [](const RooflineOfHost& host) {
      const Roofs& roofs = host.roofs->roofs;
      return std::ranges::any_of(roofs.levels,
                                 [](const MemoryLevel& level) { return level.limit.grade == 'C'; }) ||
             std::ranges::any_of(roofs.peaks, [](const auto& peak) { return peak.second.grade == 'C'; });
    };
    if (std::ranges::any_of(found_.hosts, doubted))
      note("Some roofs were measured while other work ran (grade C), and may be higher",
           "kernsweep roofs --again re-measures them");
    if (found_.without_work > 0)
      note(fmt::format("{} no operations or no bytes, and cannot be drawn",
                       counted(found_.without_work, "point has", "points have")),
           "the table has them");
    if (found_.without_roofs > 0)
      note(fmt::format("{} no roofs", counted(found_.without_roofs, "point has", "points have")),
           "the table says why");
    if (points_left_)
      note(fmt::format("Only the first {} variants are drawn", kVariantsMax), "the table has all");
    if (found_.hosts.size() > kHostsMax)
      note(fmt::format("{} not drawn", counted(found_.hosts.size() - kHostsMax, "plot is", "plots are")),
           "the table has all");
    picture_.left_out = first_line_of_left_out(shares_);
  }

  const RooflinePoints& found_;
  const BestAnswer& shares_;
  Picture picture_;
  DrawnTally tally_;
  std::vector<std::string> drawn_;  // variants
  std::size_t variants_ = 0;
  bool points_left_ = false;
};

}  // namespace

Picture picture_of(const RooflinePoints& found, const BestAnswer& shares) {
  return RooflinePicture(found, shares).made();
}

}  // namespace kernsweep
