#include "shared/stats/mean_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "shared/base/result.hpp"
#include "shared/stats/distributions.hpp"

namespace kernsweep {

void WeightedCentres::add(double weight, const Centre& centre) {
  if (weight == 0) return;
  const double part = weight * weight * centre.variance;
  variance_ += part;
  squares_ += part * part / centre.degrees;
  weights_ += weight * weight;
  fewest_processes_ = std::min(fewest_processes_, centre.processes);
}

Interval WeightedCentres::bounds(double log, double divisor, double gap, double alpha) const {
  if (weights_ == 0 || !std::isfinite(variance_)) return {0, HUGE_VAL};
  double half = 0;
  if (variance_ > 0) {
    const double degrees = std::min(1000.0, variance_ * variance_ / squares_);
    half = students_t_bound(alpha, degrees) * std::sqrt(variance_) / divisor;
  }
  if (fewest_processes_ < kRankProcessesLeast)
    half = std::max(half, gap * std::sqrt(weights_ / 2) / divisor);
  return exp_of(log - half, log + half);
}

MeanRatio mean_ratio_of(std::span<const RatioOfPoints> ratios, double gap, double alpha) {
  KS_ASSERT(!ratios.empty());
  const auto count = static_cast<double>(ratios.size());
  struct Point {
    const Centre* centre = nullptr;
    double weight = 0;
  };
  std::unordered_map<std::uint32_t, Point> firsts, seconds;
  const auto add = [](std::unordered_map<std::uint32_t, Point>& points, std::uint32_t number,
                      const Centre* centre, double weight) {
    if (!centre) return;
    Point& point = points[number];
    point.centre = centre;
    point.weight += weight;
  };
  double sum = 0;
  for (const RatioOfPoints& each : ratios) {
    sum += std::log(each.ratio);
    add(firsts, each.first_point, each.first, -1);
    add(seconds, each.second_point, each.second, 1);
  }
  WeightedCentres centres;
  for (const auto* side : {&firsts, &seconds})
    for (const auto& [number, point] : *side) centres.add(point.weight, *point.centre);
  MeanRatio out{.ratio = std::exp(sum / count)};
  if (firsts.empty() && seconds.empty())
    out.bounds = {out.ratio, out.ratio};
  else
    out.bounds = centres.bounds(sum / count, count, gap, alpha);
  out.bounds.low = std::min(out.bounds.low, out.ratio);
  out.bounds.high = std::max(out.bounds.high, out.ratio);
  return out;
}

}  // namespace kernsweep
