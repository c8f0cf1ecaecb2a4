#include "shared/stats/contest.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "shared/base/result.hpp"
#include "shared/stats/pair_tests.hpp"
#include "shared/stats/rank_test.hpp"
#include "shared/stats/statistics.hpp"

namespace kernsweep {

namespace {

constexpr double kUnexpected = 4;  // times the expected variance: more than noise makes of one point
constexpr double kVarianceOfCentreLeast = 1e-8;  // of one process, relative: none is known better

double median_of(std::span<const double> sorted) {
  return quantile_of_sorted(sorted, 0.5);
}

std::vector<double> sorted(std::span<const double> logs) {
  std::vector<double> copy(logs.begin(), logs.end());
  std::ranges::sort(copy);
  return copy;
}

}  // namespace

Centre centre_of(const WayTimes& way) {
  KS_ASSERT(!way.logs.empty());
  const TrimmedMean own = trimmed_mean_of(way.logs);
  const auto n = static_cast<double>(way.logs.size());
  Centre centre{.log = own.mean,
                .degrees = own.degrees + way.expected.degrees,
                .processes = way.logs.size(),
                .together = lie_together(way.logs)};
  centre.split = !centre.together && split_of(way.logs);
  if (centre.degrees <= 0) {
    centre.variance = HUGE_VAL;
    return centre;
  }
  // Trimming one fifth on either side makes the variance of the centre of normal noise larger by
  // about 1.15.
  const double prior = way.expected.variance / n * (own.degrees + 1 < n ? 1.15 : 1);
  const double shared = (way.expected.degrees * prior + own.degrees * own.variance) / centre.degrees;
  centre.variance = std::max({own.variance, shared, kVarianceOfCentreLeast / n});
  if (own.degrees + 1 < n && !centre.together) {
    // Trimming may have dropped all that was seen of a second group.
    const double stdev = summarise(way.logs).stdev, whole = stdev * stdev;
    centre.variance = std::max(centre.variance, whole / n);
    centre.steady = way.expected.degrees > 0 && whole <= kUnexpected * way.expected.variance;
    if (!centre.steady) centre.degrees = own.degrees;
  }
  return centre;
}

Interval bounds_of(const Centre& centre, double alpha) {
  if (!std::isfinite(centre.variance)) return {0, HUGE_VAL};
  const double half = t_bound(alpha, centre.degrees) * std::sqrt(centre.variance);
  return exp_of(centre.log - half, centre.log + half);
}

PairEvidence weigh(const WayTimes& first, const WayTimes& second, const ProcessSpread& spread,
                   const EvidenceRules& rules) {
  KS_ASSERT(rules.alpha > 0 && rules.alpha < 1 && rules.margin >= 0);
  const Centre of_first = centre_of(first), of_second = centre_of(second);
  const Difference difference = difference_of(of_first, of_second);
  PairEvidence found;
  if (difference.known()) {
    const double half = difference.half(rules.alpha);
    found.ratio = exp_of(difference.away - half, difference.away + half);
  }
  const bool first_ahead = difference.away > 0;
  Difference ahead = difference;
  ahead.away = std::abs(ahead.away);
  const double least = least_gap(spread, difference.fewer, rules);
  found.p = least_error(ahead, least, rules, 0, OrderAs::condition, [&](double shift) {
    return first_ahead ? by_ranks(first, second, shift) : by_ranks(second, first, shift);
  });
  if (found.p <= rules.alpha)
    found.verdict = first_ahead ? PairVerdict::first_faster : PairVerdict::second_faster;
  else if (split_of(first.logs) || split_of(second.logs))
    return found;  // where its processes will go is not known
  else if (may_be_same(first, second, spread, rules) && shown_same(difference, spread, rules))
    found.verdict = PairVerdict::same;
  else
    found.processes_needed = processes_needed(first, second, spread, rules);
  // The order of the processes may show what the bounds do not.
  const double beyond = 1 + rules.margin;
  if (found.verdict == PairVerdict::first_faster) found.ratio.low = std::max(found.ratio.low, beyond);
  if (found.verdict == PairVerdict::second_faster)
    found.ratio.high = std::min(found.ratio.high, 1 / beyond);
  return found;
}

PairEvidence weigh(const WayTimes& first, double second_log, const ProcessSpread& spread,
                   const EvidenceRules& rules) {
  const Centre centre = centre_of(first);
  Difference difference{second_log - centre.log, std::sqrt(centre.variance), centre.degrees,
                        centre.processes,        centre.processes,           centre.steady};
  // The sign test, which decides where a process lies off, says nothing with fewer.
  difference.steady = difference.steady || centre.processes < kSignProcessesLeast;
  PairEvidence found;
  if (difference.known()) {
    const double half = difference.half(rules.alpha);
    found.ratio = exp_of(difference.away - half, difference.away + half);
  }
  const bool first_ahead = difference.away > 0;
  difference.away = std::abs(difference.away);
  const double least = std::max(spread.gap(), std::log1p(rules.margin));
  found.p = least_error(difference, least, rules, 0, OrderAs::condition, [&](double shift) {
    const auto others = std::ranges::count_if(first.logs, [&](double log) {
      return first_ahead ? log + shift >= second_log : log - shift <= second_log;
    });
    return sign_test_p(static_cast<std::size_t>(others), first.logs.size());
  });
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
    case ContestVerdict::leads:
      return "leads";
    case ContestVerdict::doubtful:
      return "doubtful";
  }
  return "doubtful";
}

namespace {

class Contest {
 public:
  Contest(std::span<const WayTimes> ways, const ProcessSpread& spread, const EvidenceRules& rules)
      : ways_(ways), spread_(spread), rules_(rules) {
    for (const WayTimes& way : ways) centres_.push_back(centre_of(way));
  }

  ContestResult result() {
    find_leader();
    const std::size_t leader = result_.leader;
    result_.split = split_of(ways_[leader].logs);
    const bool doubtful = ways_[leader].disturbed;
    bool beats_all = !result_.split && !doubtful;
    for (std::size_t i = 0; i < ways_.size() && beats_all; ++i)
      beats_all = i == leader || beats(leader, i, rules_.alpha);
    fill_set(beats_all);
    if (doubtful)
      result_.verdict = ContestVerdict::doubtful;
    else if (ways_.size() == 1)
      result_.verdict = ContestVerdict::alone;
    else if (beats_all)
      result_.verdict = ContestVerdict::wins;
    else if (a_disturbed_one_is_ahead())
      result_.verdict = ContestVerdict::doubtful;
    else
      result_.verdict = all_same() ? ContestVerdict::tied : ContestVerdict::leads;
    if (result_.verdict == ContestVerdict::leads) result_.processes_needed = most_needed();
    return std::move(result_);
  }

 private:
  // The one of smallest rank; one that was disturbed only if all were.
  void find_leader() {
    for (const WayTimes& way : ways_)
      ranks_.push_back(std::isnan(way.rank) ? median_of(sorted(way.logs)) : way.rank);
    const auto rank = [&](std::size_t i) { return std::pair(ways_[i].disturbed, ranks_[i]); };
    for (std::size_t i = 1; i < ways_.size(); ++i)
      if (rank(i) < rank(result_.leader)) result_.leader = i;
    // Left out of the set is also what loses against the one whose bound is the lowest: a leader whose
    // processes differ much shows little.
    const auto bound = [&](std::size_t i) { return centres_[i].log + 3 * std::sqrt(centres_[i].variance); };
    steadiest_ = result_.leader;
    for (std::size_t i = 0; i < ways_.size(); ++i)
      if (!ways_[i].disturbed && bound(i) < bound(steadiest_)) steadiest_ = i;
  }

  bool beats(std::size_t a, std::size_t b, double outside) const {
    Difference difference = difference_of(centres_[a], centres_[b]);
    if (ways_[b].disturbed) {
      // The best that b can be: its fastest sample, to which nothing is added that may be error.
      difference.away = ways_[b].best_case_log - centres_[a].log;
      const double half = std::isfinite(centres_[a].variance)
                              ? t_bound(outside, centres_[a].degrees) * std::sqrt(centres_[a].variance)
                              : HUGE_VAL;
      return difference.fewer >= kVerdictProcessesLeast &&
             difference.away - half > least_gap(spread_, difference.fewer, rules_);
    }
    return shown_faster(ways_[a], ways_[b], difference, spread_, rules_, outside);
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

  bool a_disturbed_one_is_ahead() const {
    return std::ranges::any_of(result_.set, [&](std::size_t i) {
      return ways_[i].disturbed && ranks_[i] < ranks_[result_.leader];
    });
  }

  bool all_same() const {
    if (result_.split || result_.set.size() < 2) return false;
    return std::ranges::all_of(result_.set, [&](std::size_t i) {
      return i == result_.leader ||
             (!ways_[i].disturbed && may_be_same(ways_[result_.leader], ways_[i], spread_, rules_) &&
              shown_same(difference_of(centres_[result_.leader], centres_[i]), spread_, rules_));
    });
  }

  std::size_t most_needed() const {
    if (result_.split) return 0;
    std::size_t most = 0;
    for (std::size_t i = 0; i < ways_.size(); ++i) {
      if (i == result_.leader || beats(result_.leader, i, rules_.alpha)) continue;
      if (ways_[i].disturbed || split_of(ways_[i].logs)) return 0;
      const std::size_t each = processes_needed(ways_[result_.leader], ways_[i], spread_, rules_);
      if (each == 0) return 0;
      most = std::max(most, each);
    }
    return most;
  }

  std::span<const WayTimes> ways_;
  const ProcessSpread& spread_;
  const EvidenceRules& rules_;
  std::vector<Centre> centres_;
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
