#include "results/answer/network/network_points.hpp"

#include <algorithm>
#include <cmath>

namespace kernsweep {

double NetworkPoints::seconds(const Picks& picks) const {
  double sum = 0;
  for (std::size_t i = 0; i < picks.size(); ++i)
    sum += layers[i].count * groups_.candidates()[picks[i]].median_s;
  return sum;
}

TotalTime NetworkPoints::time_of(const Picks& picks) const {
  const double sum = seconds(picks);
  WeightedCentres centres;
  for (std::size_t i = 0; i < picks.size(); ++i) {
    if (!groups_.evidence().known(picks[i])) return {.seconds = sum};
    const double weight = layers[i].count * groups_.candidates()[picks[i]].median_s / sum;
    centres.add(weight, centre_of(groups_.evidence().way(picks[i])));
  }
  const MeanRatio mean = centres.mean(std::log(sum), 1, 0, rules_.alpha);
  return {.seconds = sum, .bounds = mean.bounds};
}

TotalRatio NetworkPoints::ratio_of(const Picks& first, const Picks& second) const {
  const double below = seconds(first), above = seconds(second);
  std::map<std::uint32_t, double> weights;  // each point once, with the sum of its weights
  std::size_t processes = SIZE_MAX;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto share = [&](const Picks& picks, double sum) {
      return layers[i].count * groups_.candidates()[picks[i]].median_s / sum;
    };
    weights[second[i]] += share(second, above);
    weights[first[i]] -= share(first, below);
    for (const std::uint32_t point : {first[i], second[i]})
      processes = std::min<std::size_t>(processes, groups_.candidates()[point].processes);
  }
  WeightedCentres centres;
  for (const auto& [point, weight] : weights) {
    if (!groups_.evidence().known(point)) return {.of = {.ratio = above / below, .bounds = {0, HUGE_VAL}}};
    if (first != second) centres.add(weight, centre_of(groups_.evidence().way(point)));
  }
  if (first == second) return {};
  const double gap = gap_of(groups_.evidence().spread(), processes, rules_);
  TotalRatio ratio{.of = centres.mean(std::log(above / below), 1, gap, rules_.alpha)};
  ratio.shown = ratio.of.shown_above(1, rules_);
  return ratio;
}

void NetworkPoints::decide(TotalNetwork& network) {
  Picks best;
  std::map<std::vector<std::uint32_t>, Picks> choices;
  for (const NetworkLayer& layer : layers) {
    best.push_back(layer.group->winner);
    for (const auto& [key, point] : layer.choice) choices[key].push_back(point);
  }
  network.best = time_of(best);
  const double best_seconds = seconds(best);
  std::vector<std::pair<TotalChoice, Picks>> sorted;
  for (auto& [key, picks] : choices) {
    TotalChoice choice{.layers = picks.size()};
    for (const std::uint32_t code : key) choice.values.emplace_back(static_cast<std::int64_t>(code));
    if (picks.size() == layers.size()) choice.time = time_of(picks);
    sorted.emplace_back(std::move(choice), std::move(picks));
  }
  const auto rank = [](const auto& each) {
    const double time = each.first.time.seconds;
    return std::pair(std::isnan(time) ? HUGE_VAL : time, -static_cast<double>(each.first.layers));
  };
  std::ranges::stable_sort(sorted, {}, rank);
  network.has_single = !sorted.empty() && !std::isnan(sorted.front().first.time.seconds);
  single.assign(layers.size(), kNone);
  if (network.has_single) single = sorted.front().second;
  for (auto& [choice, picks] : sorted) {
    if (!std::isnan(choice.time.seconds)) choice.slower = ratio_of(single, picks);
    network.choices.push_back(std::move(choice));
  }
  Picks mixed = single;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Group& group = *layers[i].group;
    TotalLayer layer{.count = layers[i].count};
    layer.share = layer.count * groups_.candidates()[best[i]].median_s / best_seconds;
    if (network.has_single && single[i] != best[i]) {
      ++network.others;
      const bool may_be = std::ranges::find(group.set, single[i]) != group.set.end();
      const bool unjudged = std::ranges::find(group.not_judged, single[i]) != group.not_judged.end();
      layer.shown = group.judged() && !groups_.disturbed(group.leader) && !may_be && !unjudged;
      if (layer.shown) {
        mixed[i] = best[i];
        ++network.shown;
      }
    }
    network.layers.push_back(std::move(layer));
  }
  if (!network.has_single) return;
  network.best_saves = ratio_of(best, single);
  network.mixed = time_of(mixed);
  network.mixed_saves = ratio_of(mixed, single);
}

}  // namespace kernsweep
