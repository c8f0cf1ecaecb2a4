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
  steady_ = steady_ && centre.steady;
  split_ = split_ || centre.split;
  all_together_ = all_together_ && centre.together;
}

MeanRatio WeightedCentres::mean(double log, double divisor, double gap, double alpha) const {
  MeanRatio mean{.ratio = std::exp(log),
                 .few = fewest_processes_ < kTrimmedProcessesLeast,
                 .single = fewest_processes_ < kVerdictProcessesLeast,
                 .steady = steady_,
                 .split = split_,
                 .all_together = all_together_};
  mean.share = gap * std::sqrt(weights_ / 2) / divisor;
  if (weights_ == 0 || !std::isfinite(variance_)) {
    mean.half = HUGE_VAL;
    mean.bounds = {0, HUGE_VAL};
    return mean;
  }
  if (variance_ > 0) {
    const double degrees = std::min(1000.0, variance_ * variance_ / squares_);
    mean.half = students_t_bound(alpha, degrees) * std::sqrt(variance_) / divisor;
  }
  const double shown = mean.few ? std::max(mean.half, mean.share) : mean.half;
  mean.bounds = exp_of(log - shown, log + shown);
  mean.bounds.low = std::min(mean.bounds.low, mean.ratio);
  mean.bounds.high = std::max(mean.bounds.high, mean.ratio);
  return mean;
}

namespace {

bool lies_beyond(const MeanRatio& mean, double away, const EvidenceRules& rules) {
  // A single process may be one of two groups.
  const double least = away - mean.half - (mean.single ? std::log(kHiddenRatio) : 0);
  if (!(least > std::log1p(rules.margin))) return false;
  return least > mean.share || (!mean.few && !mean.split && mean.steady);
}

}  // namespace

bool MeanRatio::shown_above(double end, const EvidenceRules& rules) const {
  return lies_beyond(*this, std::log(ratio / end), rules);
}

bool MeanRatio::shown_below(double end, const EvidenceRules& rules) const {
  return lies_beyond(*this, std::log(end / ratio), rules);
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
  if (firsts.empty() && seconds.empty()) {
    const double ratio = std::exp(sum / count);
    return {.ratio = ratio, .bounds = {ratio, ratio}};
  }
  return centres.mean(sum / count, count, gap, alpha);
}

}  // namespace kernsweep
