#include "shared/stats/pair_tests.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "shared/stats/distributions.hpp"
#include "shared/stats/rank_test.hpp"
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
  if (processes >= kRankProcessesLeast || !rules.hidden_groups ||
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

double by_ranks(const WayTimes& first, const WayTimes& second, double shift) {
  std::vector<double> slower(first.logs.begin(), first.logs.end());
  for (double& log : slower) log += shift;
  const RankTest ranks = mann_whitney(slower, second.logs);
  const auto pairs = static_cast<double>(first.logs.size() * second.logs.size());
  return ranks.u < pairs / 2 ? ranks.p : 1;
}

bool shown_faster(const WayTimes& first, const WayTimes& second, const Difference& difference,
                  const ProcessSpread& spread, const EvidenceRules& rules, double outside) {
  if (difference.away <= std::log1p(rules.margin)) return false;
  const double least = least_gap(spread, difference.fewer, rules);
  const auto by_order = [&](double shift) { return by_ranks(first, second, shift); };
  return least_error(difference, least, rules, outside, OrderAs::p, by_order) <= outside;
}

bool shown_same(const Difference& difference, const ProcessSpread& spread, const EvidenceRules& rules) {
  if (difference.fewer < kVerdictProcessesLeast || !difference.known()) return false;
  if (groups_may_be_unseen(spread, difference.fewer, difference.more, rules)) return false;
  return std::abs(difference.away) + difference.half(2 * rules.alpha) < std::log1p(rules.margin);
}

bool may_be_same(const WayTimes& first, const WayTimes& second, const ProcessSpread& spread,
                 const EvidenceRules& rules) {
  const std::size_t fewer = std::min(first.logs.size(), second.logs.size());
  if (fewer < kVerdictProcessesLeast || !lie_together(first.logs) || !lie_together(second.logs))
    return false;
  const auto middle = [](std::span<const double> logs) {
    std::vector<double> sorted(logs.begin(), logs.end());
    std::ranges::sort(sorted);
    return quantile_of_sorted(sorted, 0.5);
  };
  return std::abs(middle(first.logs) - middle(second.logs)) < std::log1p(rules.margin) &&
         !groups_may_be_unseen(spread, first.logs.size(), second.logs.size(), rules);
}

namespace {

// Whether two ways would be told apart, or shown to be the same, if both had n processes and went on as
// they began.
class Forecast {
 public:
  Forecast(const Centre& first, const Centre& second, bool may_be_same, const ProcessSpread& spread,
           const EvidenceRules& rules)
      : now_(difference_of(first, second)), spread_(spread), rules_(rules), may_be_same_(may_be_same) {
    const auto of_process = [](const Centre& centre) {
      return centre.variance * static_cast<double>(centre.processes);
    };
    // Where nothing is known of the variances: as if a gap of the host were 2.6 standard deviations.
    variance_ = now_.known() ? of_process(first) + of_process(second)
                             : 2 * std::pow(std::max(spread.gap() / 2.6, 0.001), 2);
  }

  // By bisection: what is decided with n processes is decided with more. 0: not with kMoreProcessesMost.
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
    if (n >= kRankProcessesLeast && low > margin) return true;
    return may_be_same_ && shown_same(then, spread_, rules_);
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
