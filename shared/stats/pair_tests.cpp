#include "shared/stats/pair_tests.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "shared/stats/distributions.hpp"
#include "shared/stats/statistics.hpp"

namespace kernsweep {

namespace {

// Degrees of freedom, rounded down, which makes bounds wider.
double rounded(double degrees) {
  const double down = degrees < 10   ? std::floor(degrees * 10) / 10
                      : degrees < 30 ? std::floor(degrees)
                                     : std::min(100.0, std::floor(degrees / 10) * 10);
  return std::max(down, 0.1);
}

}  // namespace

// Quantiles of Student's distribution take microseconds each, and large sweeps need millions.
double t_bound(double outside, double degrees) {
  thread_local std::map<std::pair<double, double>, double> known;
  if (known.size() > 10'000) known.clear();
  const auto [at, added] = known.try_emplace({outside, rounded(degrees)}, 0.0);
  if (added) at->second = students_t_bound(outside, at->first.second);
  return at->second;
}

double Difference::outside_of(double least) const {
  if (away <= least) return 1;
  return error > 0 ? students_t_outside((away - least) / error, rounded(degrees)) : 0;
}

Difference difference_of(const Centre& first, const Centre& second) {
  Difference found;
  found.away = second.log - first.log;
  found.fewer = std::min(first.processes, second.processes);
  found.more = std::max(first.processes, second.processes);
  found.steady = first.steady && second.steady;
  const double variance = first.variance + second.variance;
  found.error = std::sqrt(variance);
  if (!std::isfinite(variance)) return found;
  found.degrees = variance * variance /
                  (first.variance * first.variance / first.degrees +
                   second.variance * second.variance / second.degrees);
  return found;
}

double gap_of(const ProcessSpread& spread, std::size_t processes, const EvidenceRules& rules) {
  if (processes >= kBlocksLeast || !rules.hidden_groups ||
      spread.hidden_groups_risk(processes) <= kHiddenRiskMost)
    return spread.gap();
  return std::max(spread.gap(), std::log(kHiddenRatio));
}

bool groups_may_be_unseen(const ProcessSpread& spread, std::size_t first, std::size_t second,
                          const EvidenceRules& rules) {
  return rules.hidden_groups && !rules.one_point && spread.unseen_groups_risk(first, second) > rules.alpha;
}

double least_gap(const ProcessSpread& spread, std::size_t processes, const EvidenceRules& rules) {
  return std::max(gap_of(spread, processes, rules), std::log1p(rules.margin));
}

std::vector<BlockDifference> block_differences(const WayTimes& first, const WayTimes& second) {
  const auto times = [](const WayTimes& way) {
    std::vector<BlockTime> all;
    for (std::size_t i = 0; i < way.logs.size(); ++i)
      all.push_back(
          {way.blocks.empty() ? static_cast<std::uint32_t>(i) : way.blocks[i], way.logs[i], way.low(i)});
    return all;
  };
  return differences_of(times(first), times(second));
}

double shown_at(const WayTimes& first, const WayTimes& second, const Difference& difference,
                const ProcessSpread& spread, const EvidenceRules& rules, double enough) {
  const double margin = std::log1p(rules.margin);
  double error = 1;
  if (difference.fewer >= kVerdictProcessesLeast && difference.known())
    error = difference.outside_of(std::max(least_gap(spread, difference.fewer, rules),
                                           difference.steady ? 0 : std::log(kHiddenRatio)));
  if (error <= enough || difference.fewer < kBlocksLeast) return error;
  std::vector<double> beyond;
  for (const BlockDifference& each : block_differences(first, second)) {
    if (!std::isfinite(each.least)) return error;
    beyond.push_back(each.least - margin);
  }
  if (beyond.size() < kBlocksLeast) return error;
  const auto ahead = std::ranges::count_if(beyond, [](double each) { return each > 0; });
  if (2 * static_cast<std::size_t>(ahead) <= beyond.size()) return error;
  return std::min(error, signed_rank_p(beyond) * rules.alpha / rules.block_alpha());
}

double equal_bound(const WayTimes& first, const WayTimes& second, const Difference& difference,
                   const ProcessSpread& spread, const EvidenceRules& rules) {
  if (difference.fewer >= kBlocksLeast) {
    std::vector<double> least, most;
    for (const BlockDifference& each : block_differences(first, second)) {
      if (!std::isfinite(each.least) || !std::isfinite(each.most)) return HUGE_VAL;
      least.push_back(each.least);
      most.push_back(each.most);
    }
    if (least.size() >= kBlocksLeast)
      return std::expm1(std::max(-signed_rank_interval(least, rules.block_alpha()).low,
                                 signed_rank_interval(most, rules.block_alpha()).high));
  }
  if (difference.fewer < kVerdictProcessesLeast || !difference.known() || first.disturbed() ||
      second.disturbed() || !lie_together(first.logs) || !lie_together(second.logs) ||
      groups_may_be_unseen(spread, difference.fewer, difference.more, rules))
    return HUGE_VAL;
  const auto middle = [](std::span<const double> logs) {
    std::vector<double> sorted(logs.begin(), logs.end());
    std::ranges::sort(sorted);
    return quantile_of_sorted(sorted, 0.5);
  };
  return std::expm1(std::max(std::abs(difference.away) + difference.half(2 * rules.alpha),
                             std::abs(middle(first.logs) - middle(second.logs))));
}

namespace {

// Whether two ways would be shown different, or the same, if both had n processes like the present ones.
class Forecast {
 public:
  Forecast(const Centre& first, const Centre& second, bool may_be_same, const ProcessSpread& spread,
           const EvidenceRules& rules)
      : now_(difference_of(first, second)), spread_(spread), rules_(rules), may_be_same_(may_be_same) {
    const auto of_process = [](const Centre& centre) {
      return centre.variance * static_cast<double>(centre.processes);
    };
    // If nothing is known of the variances: the gap of the host counts as 2.6 standard deviations.
    variance_ = now_.known() ? of_process(first) + of_process(second)
                             : 2 * std::pow(std::max(spread.gap() / 2.6, 0.001), 2);
  }

  // By bisection: a verdict with n processes also holds with more. 0: none with kMoreProcessesMost.
  std::size_t needed() const {
    std::size_t low = std::max(now_.fewer + 1, kVerdictProcessesLeast), high = kMoreProcessesMost;
    if (low > high || !decided(high)) return 0;
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (decided(middle))
        high = middle;
      else
        low = middle + 1;
    }
    return high;
  }

 private:
  bool decided(std::size_t n) const {
    const auto count = static_cast<double>(n);
    const Difference then{
        now_.away, std::sqrt(variance_ / count), std::max(now_.degrees, 2 * (count - 1)), n, n, true};
    const double margin = std::log1p(rules_.margin), away = std::abs(then.away);
    const double low = away - then.half(rules_.alpha);
    if (low > least_gap(spread_, n, rules_)) return true;
    if (n >= kBlocksLeast && (low > margin || away + then.half(rules_.alpha) < margin)) return true;
    return may_be_same_ && !groups_may_be_unseen(spread_, n, n, rules_) &&
           away + then.half(2 * rules_.alpha) < margin;
  }

  Difference now_;
  const ProcessSpread& spread_;
  const EvidenceRules& rules_;
  bool may_be_same_;
  double variance_ = 0;
};

}  // namespace

std::size_t processes_needed(const WayTimes& first, const WayTimes& second, const ProcessSpread& spread,
                             const EvidenceRules& rules) {
  const bool together = lie_together(first.logs) && lie_together(second.logs);
  return Forecast(centre_of(first), centre_of(second), together, spread, rules).needed();
}

}  // namespace kernsweep
