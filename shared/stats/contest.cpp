#include "shared/stats/contest.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "shared/base/result.hpp"
#include "shared/stats/pair_tests.hpp"
#include "shared/stats/statistics.hpp"

namespace kernsweep {

namespace {

constexpr double kUnexpected = 4;  // times the expected variance: more than noise alone causes in a point
constexpr double kVarianceOfCentreLeast = 1e-8;  // of one process, relative: no process is known better
constexpr double kFarLog = 700;                  // of a bound that is not known
constexpr double kBoundsMost = 10;               // high over low: wider bounds say nothing

double median_of(std::span<const double> sorted) {
  return quantile_of_sorted(sorted, 0.5);
}

std::vector<double> sorted(std::span<const double> logs) {
  std::vector<double> copy(logs.begin(), logs.end());
  std::ranges::sort(copy);
  return copy;
}

}  // namespace

bool WayTimes::disturbed() const {
  for (std::size_t i = 0; i < lows.size(); ++i)
    if (lows[i] < logs[i]) return true;
  return false;
}

namespace {

Centre centre_from(std::span<const double> logs, const ExpectedVariance& expected) {
  KS_ASSERT(!logs.empty());
  Centre centre{.log = -HUGE_VAL, .variance = HUGE_VAL, .processes = logs.size(), .steady = false};
  centre.together = false;
  if (!std::ranges::all_of(logs, [](double log) { return std::isfinite(log); })) return centre;
  const TrimmedMean own = trimmed_mean_of(logs);
  const auto n = static_cast<double>(logs.size());
  centre.log = own.mean;
  centre.degrees = own.degrees + expected.degrees;
  centre.steady = true;
  centre.together = lie_together(logs);
  centre.split = !centre.together && split_of(logs);
  if (centre.degrees <= 0) return centre;
  // Trimming one fifth on either side increases the variance of the centre of normal noise by about 1.15.
  const double prior = expected.variance / n * (own.degrees + 1 < n ? 1.15 : 1);
  const double shared = (expected.degrees * prior + own.degrees * own.variance) / centre.degrees;
  centre.variance = std::max({own.variance, shared, kVarianceOfCentreLeast / n});
  if (own.degrees + 1 < n && !centre.together) {
    // Trimming may have dropped the only processes of a second group.
    const double stdev = summarise(logs).stdev, whole = stdev * stdev;
    centre.variance = std::max(centre.variance, whole / n);
    centre.steady = expected.degrees > 0 && whole <= kUnexpected * expected.variance;
    if (!centre.steady) centre.degrees = own.degrees;
  }
  return centre;
}

// Order statistics of the logarithms; the first and last numbers where `outside` would need more of them.
Interval median_interval(std::span<const double> lows, std::span<const double> logs, double outside) {
  const std::vector<double> least = sorted(lows), most = sorted(logs);
  std::size_t at = 0;
  while (2 * (at + 1) < most.size() && sign_test_p(at + 1, most.size()) <= outside) ++at;
  return exp_of(std::max(least[at], -kFarLog), most[most.size() - 1 - at]);
}

}  // namespace

Centre centre_of(const WayTimes& way) {
  return centre_from(way.logs, way.expected);
}

Centre least_centre_of(const WayTimes& way) {
  return centre_from(way.lows.empty() ? way.logs : way.lows, way.expected);
}

Interval bounds_of(const WayTimes& way, double alpha) {
  if (way.logs.size() >= kBlocksLeast)
    return median_interval(way.lows.empty() ? way.logs : way.lows, way.logs, alpha);
  const Centre least = least_centre_of(way), most = centre_of(way);
  if (!std::isfinite(most.variance)) return {0, HUGE_VAL};
  const auto half = [&](const Centre& centre) {
    return std::isfinite(centre.variance) ? t_bound(alpha, centre.degrees) * std::sqrt(centre.variance)
                                          : kFarLog;
  };
  const double low = std::max(least.log, -kFarLog) - half(least), high = most.log + half(most);
  if (high - low > std::log(kBoundsMost)) return {0, HUGE_VAL};
  return exp_of(low, high);
}

namespace {

Interval exp_of_bounds(double low, double high) {
  return {std::isfinite(low) ? exp_of(low, 0).low : 0,
          std::isfinite(high) ? exp_of(0, high).high : HUGE_VAL};
}

// The ratio of the second over the first.
Interval ratio_of_centres(const WayTimes& first, const WayTimes& second, const EvidenceRules& rules) {
  const Difference low = difference_of(centre_of(first), least_centre_of(second));
  const Difference high = difference_of(least_centre_of(first), centre_of(second));
  return exp_of_bounds(low.known() ? low.away - low.half(rules.alpha) : -HUGE_VAL,
                       high.known() ? high.away + high.half(rules.alpha) : HUGE_VAL);
}

// The same from the blocks where there are enough of them, else from the centres.
Interval ratio_of(const WayTimes& first, const WayTimes& second, const EvidenceRules& rules) {
  std::vector<double> least, most;
  for (const BlockDifference& each : block_differences(first, second)) {
    least.push_back(each.least);
    most.push_back(each.most);
  }
  if (least.size() < kBlocksLeast) return ratio_of_centres(first, second, rules);
  const auto bounds = [&](std::span<const double> each) -> Interval {
    const bool is_known = std::ranges::all_of(each, [](double log) { return std::isfinite(log); });
    return is_known ? signed_rank_interval(each, rules.block_alpha()) : Interval{-HUGE_VAL, HUGE_VAL};
  };
  return exp_of_bounds(bounds(least).low, bounds(most).high);
}

}  // namespace

PairEvidence weigh(const WayTimes& first, const WayTimes& second, const ProcessSpread& spread,
                   const EvidenceRules& rules) {
  KS_ASSERT(rules.alpha > 0 && rules.alpha < 1 && rules.margin >= 0);
  const Centre of_first = centre_of(first), of_second = centre_of(second);
  const Difference measured = difference_of(of_first, of_second);
  PairEvidence found;
  found.ratio = ratio_of(first, second, rules);
  const bool first_ahead = measured.away > 0;
  found.p =
      first_ahead
          ? shown_at(first, second, difference_of(of_first, least_centre_of(second)), spread, rules, 0)
          : shown_at(second, first, difference_of(of_second, least_centre_of(first)), spread, rules, 0);
  const double beyond = 1 + rules.margin;
  if (found.p <= rules.alpha) {
    found.verdict = first_ahead ? PairVerdict::first_faster : PairVerdict::second_faster;
    // The bounds are those of the test that shows the difference.
    if (first_ahead ? found.ratio.low < beyond : found.ratio.high > 1 / beyond)
      found.ratio = ratio_of_centres(first, second, rules);
    (first_ahead ? found.ratio.low : found.ratio.high) =
        first_ahead ? std::max(found.ratio.low, beyond) : std::min(found.ratio.high, 1 / beyond);
    return found;
  }
  found.equal_within = equal_bound(first, second, measured, spread, rules);
  if (found.equal_within < rules.margin)
    found.verdict = PairVerdict::same;
  else
    found.processes_needed = processes_needed(first, second, spread, rules);
  return found;
}

PairEvidence weigh(const WayTimes& first, double second_log, const ProcessSpread& spread,
                   const EvidenceRules& rules) {
  const Centre centre = centre_of(first);
  Difference difference{second_log - centre.log, std::sqrt(centre.variance), centre.degrees,
                        centre.processes,        centre.processes,           centre.steady};
  PairEvidence found;
  if (difference.known()) {
    const double half = difference.half(rules.alpha);
    found.ratio = exp_of(difference.away - half, difference.away + half);
  }
  const bool first_ahead = difference.away > 0;
  difference.away = std::abs(difference.away);
  const double margin = std::log1p(rules.margin);
  if (difference.fewer >= kVerdictProcessesLeast && difference.known())
    found.p = difference.outside_of(std::max(spread.gap(), margin));
  if (centre.processes >= kBlocksLeast) {
    const auto by_signs = [&](double shift) {
      const auto others = std::ranges::count_if(first.logs, [&](double log) {
        return first_ahead ? log + shift >= second_log : log - shift <= second_log;
      });
      return sign_test_p(static_cast<std::size_t>(others), first.logs.size()) * rules.alpha /
             rules.block_alpha();
    };
    found.p = std::min({found.p, by_signs(margin), std::max(by_signs(0), difference.outside_of(margin))});
  }
  if (found.p <= rules.alpha)
    found.verdict = first_ahead ? PairVerdict::first_faster : PairVerdict::second_faster;
  return found;
}

std::string_view name_of(ContestVerdict verdict) {
  switch (verdict) {
    case ContestVerdict::alone:
      return "alone";
    case ContestVerdict::wins:
      return "wins";
    case ContestVerdict::tied:
      return "tied";
    case ContestVerdict::equal:
      return "equal";
    case ContestVerdict::leads:
      return "leads";
  }
  return "leads";
}

namespace {

class Contest {
 public:
  Contest(std::span<const WayTimes> ways, const ProcessSpread& spread, const EvidenceRules& rules)
      : ways_(ways), spread_(spread), rules_(rules) {
    for (const WayTimes& way : ways) {
      centres_.push_back(centre_of(way));
      least_.push_back(way.disturbed() ? least_centre_of(way) : centres_.back());
    }
  }

  ContestResult result() {
    find_leader();
    const std::size_t leader = result_.leader;
    result_.split = split_of(ways_[leader].logs);
    bool beats_all = true;
    for (std::size_t i = 0; i < ways_.size() && beats_all; ++i) beats_all = i == leader || wins_over(i);
    fill_set(beats_all);
    result_.verdict = ways_.size() == 1 ? ContestVerdict::alone
                      : beats_all       ? ContestVerdict::wins
                                        : equality();
    if (result_.verdict == ContestVerdict::leads) {
      find_open();
      result_.processes_needed = most_needed();
    }
    return std::move(result_);
  }

 private:
  // The leader is the way of smallest rank.
  void find_leader() {
    for (const WayTimes& way : ways_)
      ranks_.push_back(std::isnan(way.rank) ? median_of(sorted(way.logs)) : way.rank);
    for (std::size_t i = 1; i < ways_.size(); ++i)
      if (ranks_[i] < ranks_[result_.leader]) result_.leader = i;
    // The set also excludes ways that lose to the one with the lowest bound, because a leader whose
    // processes differ much shows little.
    const auto bound = [&](std::size_t i) { return centres_[i].log + 3 * std::sqrt(centres_[i].variance); };
    steadiest_ = result_.leader;
    for (std::size_t i = 0; i < ways_.size(); ++i)
      if (bound(i) < bound(steadiest_)) steadiest_ = i;
  }

  bool beats(std::size_t a, std::size_t b, double outside) const {
    const Difference difference = difference_of(centres_[a], least_[b]);
    if (difference.away <= std::log1p(rules_.margin) && difference.fewer < kBlocksLeast) return false;
    return shown_at(ways_[a], ways_[b], difference, spread_, rules_, outside) <= outside;
  }

  // If the few processes of the leader fall into two groups, its centre says little.
  bool wins_over(std::size_t rival) const {
    const WayTimes &leader = ways_[result_.leader], &other = ways_[rival];
    if (!result_.split || std::min(leader.logs.size(), other.logs.size()) >= kBlocksLeast)
      return beats(result_.leader, rival, rules_.alpha);
    double fastest = other.low(0);
    for (std::size_t i = 1; i < other.logs.size(); ++i) fastest = std::min(fastest, other.low(i));
    return std::min(leader.logs.size(), other.logs.size()) >= kVerdictProcessesLeast &&
           fastest - std::ranges::max(leader.logs) > std::log(kHiddenRatio);
  }

  void fill_set(bool beats_all) {
    std::vector<std::size_t>& set = result_.set;
    if (!beats_all) {
      const double outside = rules_.alpha / std::max(1.0, static_cast<double>(ways_.size()) - 1);
      for (std::size_t i = 0; i < ways_.size(); ++i)
        if (i != result_.leader && !beats(result_.leader, i, outside) &&
            (steadiest_ == i || !beats(steadiest_, i, outside)))
          set.push_back(i);
      std::ranges::stable_sort(set, {}, [&](std::size_t i) { return ranks_[i]; });
    }
    set.insert(set.begin(), result_.leader);
  }

  // The verdict on all ways that are left in the set: tied, equal, or neither.
  ContestVerdict equality() {
    double within = 0;
    for (const std::size_t i : result_.set) {
      if (i == result_.leader) continue;
      const Difference difference = difference_of(centres_[result_.leader], centres_[i]);
      within = std::max(within, equal_bound(ways_[result_.leader], ways_[i], difference, spread_, rules_));
      if (!(within <= kEqualMost)) return ContestVerdict::leads;
    }
    if (result_.set.size() < 2) return ContestVerdict::leads;
    result_.equal_within = within;
    return within < rules_.margin ? ContestVerdict::tied : ContestVerdict::equal;
  }

  void find_open() {
    for (std::size_t i = 0; i < ways_.size(); ++i)
      if (i != result_.leader && !wins_over(i)) result_.open.push_back(i);
  }

  std::size_t most_needed() const {
    std::size_t most = 0;
    for (const std::size_t i : result_.open) {
      const std::size_t each = processes_needed(ways_[result_.leader], ways_[i], spread_, rules_);
      if (each == 0) return 0;
      most = std::max(most, each);
    }
    return most;
  }

  std::span<const WayTimes> ways_;
  const ProcessSpread& spread_;
  const EvidenceRules& rules_;
  std::vector<Centre> centres_, least_;
  ContestResult result_;
  std::vector<double> ranks_;
  std::size_t steadiest_ = 0;
};

}  // namespace

ContestResult decide(std::span<const WayTimes> ways, const ProcessSpread& spread,
                     const EvidenceRules& rules) {
  KS_ASSERT(!ways.empty() && rules.alpha > 0 && rules.alpha < 1 && rules.margin >= 0);
  return Contest(ways, spread, rules).result();
}

}  // namespace kernsweep
