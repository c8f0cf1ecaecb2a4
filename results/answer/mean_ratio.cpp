#include "results/answer/mean_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "shared/base/result.hpp"
#include "shared/stats/distributions.hpp"
#include "shared/stats/statistics.hpp"

namespace kernsweep {

namespace {

constexpr double kDrawsMost = 40'000'000;  // of processes, over all resamples
constexpr std::size_t kResamplesLeast = 199;

// A point with all the ratios that it stands in: plus one for each where it is second, minus one for each
// where it is first.
struct Node {
  std::span<const ProcessTime> times;
  std::vector<double> logs;
  double weight = 0;
};

struct Group {
  std::vector<std::uint32_t> nodes;
  double ratios = 0;
};

class Points {
 public:
  explicit Points(std::span<const RatioOfPoints> ratios) {
    std::vector<std::uint32_t> node_of_ratio;
    for (const RatioOfPoints& each : ratios) {
      const std::uint32_t second = node(each.second, {true, each.second_point}, 1);
      if (!each.first.empty()) join(second, node(each.first, {false, each.first_point}, -1));
      node_of_ratio.push_back(second);
    }
    std::map<std::uint32_t, std::uint32_t> number;
    for (std::uint32_t n = 0; n < nodes_.size(); ++n) group(number, n).nodes.push_back(n);
    for (const std::uint32_t n : node_of_ratio) group(number, n).ratios += 1;
    for (Node& each : nodes_)
      for (const ProcessTime& time : each.times) each.logs.push_back(std::log(time.median_s));
  }

  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Group>& groups() const { return groups_; }

 private:
  std::uint32_t node(std::span<const ProcessTime> times, std::pair<bool, std::uint32_t> which,
                     double weight) {
    const auto [at, added] = known_.try_emplace(which, static_cast<std::uint32_t>(nodes_.size()));
    if (added) {
      nodes_.push_back({times, {}, 0});
      parent_.push_back(at->second);
    }
    nodes_[at->second].weight += weight;
    return at->second;
  }
  std::uint32_t root(std::uint32_t n) {
    while (parent_[n] != n) n = parent_[n] = parent_[parent_[n]];
    return n;
  }
  void join(std::uint32_t a, std::uint32_t b) { parent_[root(b)] = root(a); }
  Group& group(std::map<std::uint32_t, std::uint32_t>& number, std::uint32_t n) {
    const auto [at, added] = number.try_emplace(root(n), static_cast<std::uint32_t>(groups_.size()));
    if (added) groups_.emplace_back();
    return groups_[at->second];
  }

  std::map<std::pair<bool, std::uint32_t>, std::uint32_t> known_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> parent_;
  std::vector<Group> groups_;
};

// Means of logarithms, drawn anew.
class Drawing {
 public:
  Drawing(const Points& points, std::uint64_t seed) : points_(points), engine_(seed) {}

  double mean() {
    const auto& groups = points_.groups();
    double sum = 0, ratios = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
      const Group& group = groups[below(groups.size())];
      ratios += group.ratios;
      for (const std::uint32_t n : group.nodes) {
        const Node& node = points_.nodes()[n];
        if (!node.logs.empty()) sum += node.weight * centre(node.logs);
      }
    }
    return sum / ratios;
  }

 private:
  std::size_t below(std::size_t count) { return ((engine_() >> 32) * count) >> 32; }
  double centre(const std::vector<double>& from) {
    drawn_.clear();
    for (std::size_t i = 0; i < from.size(); ++i) drawn_.push_back(from[below(from.size())]);
    std::ranges::sort(drawn_);
    return quantile_of_sorted(drawn_, 0.5);
  }

  const Points& points_;
  std::mt19937_64 engine_;  // its sequence is laid down by the standard
  std::vector<double> drawn_;
};

Interval drawn(const Points& points, const ComparisonRules& rules) {
  double processes = 1;
  for (const Node& node : points.nodes()) processes += static_cast<double>(node.logs.size());
  const auto affordable = static_cast<std::size_t>(kDrawsMost / processes);
  const std::size_t resamples =
      std::clamp(affordable, std::min(kResamplesLeast, rules.resamples), rules.resamples);
  Drawing drawing(points, rules.seed);
  std::vector<double> means(resamples);
  for (double& mean : means) mean = drawing.mean();
  std::ranges::sort(means);
  return {quantile_of_sorted(means, rules.alpha / 2), quantile_of_sorted(means, 1 - rules.alpha / 2)};
}

// What the errors of the points explain.
Interval explained(const Points& points, double ratios, const ComparisonRules& rules) {
  double mean = 0, variance = 0, squares = 0;
  for (const Node& node : points.nodes()) {
    if (node.times.empty()) continue;
    const LogCentre centre = log_centre_of(node.times);
    const double weight = node.weight / ratios;
    const double share = weight * weight * centre.variance;
    mean += weight * centre.mean;
    variance += share;
    squares += share * share / centre.degrees;
  }
  if (variance <= 0) return {mean, mean};
  const double half = students_t_bound(rules.alpha, variance * variance / squares) * std::sqrt(variance);
  return {mean - half, mean + half};
}

}  // namespace

MeanRatio mean_ratio_of(std::span<const RatioOfPoints> ratios, const ComparisonRules& rules) {
  KS_ASSERT(!ratios.empty());
  const auto count = static_cast<double>(ratios.size());
  double mean = 0, low = 0, high = 0;
  for (const RatioOfPoints& each : ratios) {
    mean += std::log(each.ratio) / count;
    low += std::log(each.bounds.low) / count;
    high += std::log(each.bounds.high) / count;
  }
  const Points points(ratios);
  MeanRatio out;
  out.groups = points.groups().size();
  if (out.groups >= kGroupsToDraw) {
    const Interval by_draws = drawn(points, rules), by_errors = explained(points, count, rules);
    low = std::min(by_draws.low, by_errors.low);
    high = std::max(by_draws.high, by_errors.high);
  }
  // As in a comparison: a bound that leaves the doubles is no bound at all, but still a number.
  out.ratio = std::exp(mean);
  out.bounds = exp_of(std::min(low, mean), std::max(high, mean));
  return out;
}

}  // namespace kernsweep
