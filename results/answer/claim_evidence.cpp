#include "results/answer/claim_evidence.hpp"

#include <algorithm>
#include <cmath>

#include "results/answer/mean_ratio.hpp"
#include "shared/base/result.hpp"
#include "shared/stats/distributions.hpp"
#include "shared/stats/false_discoveries.hpp"
#include "shared/stats/statistics.hpp"

namespace kernsweep {

std::string_view name_of(ClaimVerdict verdict) {
  switch (verdict) {
    case ClaimVerdict::confirmed:
      return "confirmed";
    case ClaimVerdict::refuted:
      return "refuted";
    case ClaimVerdict::undecided:
      return "undecided";
  }
  return "undecided";
}

namespace {

constexpr double kDegreesOfAssumed = 30;  // of an assumed spread, as in a comparison

double median_in_place(std::vector<double>& numbers) {
  std::ranges::sort(numbers);
  return quantile_of_sorted(numbers, 0.5);
}

// `ratios`: one for each weighed pair; their ratios and bounds are filled in here.
void sum_up(std::vector<RatioOfPoints>& ratios, const ComparisonRules& rules, ClaimEvidence& out) {
  out.lowest = out.highest = out.pairs.front().ratio;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    ratios[i].ratio = out.pairs[i].ratio;
    ratios[i].bounds = out.pairs[i].bounds;
    out.lowest = std::min(out.lowest, out.pairs[i].ratio);
    out.highest = std::max(out.highest, out.pairs[i].ratio);
  }
  const MeanRatio mean = mean_ratio_of(ratios, rules);
  out.ratio = mean.ratio;
  out.bounds = mean.bounds;
}

// Where each pair stands, once its p (not adjusted) and ratio are known.
void take_stands(const ClaimRange& range, const ComparisonRules& rules, ClaimEvidence& out) {
  std::vector<double> p;
  for (const WeighedPair& pair : out.pairs) p.push_back(pair.p);
  const auto adjusted = benjamini_hochberg(p);
  const double most = 1 + rules.threshold;
  for (std::size_t i = 0; i < out.pairs.size(); ++i) {
    WeighedPair& pair = out.pairs[i];
    pair.p = adjusted[i];
    if (!range.holds(pair.ratio)) ++out.outside;
    if (pair.single) ++out.single;
    if (pair.single || pair.p > rules.alpha) continue;
    if (range.holds(pair.ratio))
      pair.stand = ClaimStand::in_favour;
    else if (pair.ratio < range.low / most || pair.ratio > range.high * most)
      pair.stand = ClaimStand::against;
    if (pair.stand == ClaimStand::against) ++out.against;
  }
}

void decide(const ClaimRange& range, ClaimEvidence& out) {
  const bool outside = out.bounds.high < range.low || out.bounds.low > range.high;
  if (out.against > 0 || (outside && out.single == 0))
    out.verdict = ClaimVerdict::refuted;
  else if (out.single == 0 && range.holds(out.bounds.low) && range.holds(out.bounds.high))
    out.verdict = ClaimVerdict::confirmed;
}

// That end of the range which is nearer to the ratio, as a factor.
double nearest_end(const ClaimRange& range, double ratio) {
  if (!std::isfinite(range.high)) return range.low;
  return ratio * ratio < range.low * range.high ? range.low : range.high;
}

std::vector<ProcessTime> scaled(std::span<const ProcessTime> times, double factor) {
  std::vector<ProcessTime> out(times.begin(), times.end());
  for (ProcessTime& time : out) {
    time.median_s *= factor;
    time.mad_s *= factor;
  }
  return out;
}

WeighedPair weighed_level(const std::vector<double>& level, const ComparisonRules& rules) {
  std::vector<double> sorted = level, logs;
  WeighedPair pair;
  pair.ratio = median_in_place(sorted);
  for (const double number : sorted) logs.push_back(std::log(number));
  const Summary summary = summarise(logs);
  const auto count = static_cast<double>(logs.size());
  const bool alone = logs.size() == 1;
  pair.single = logs.size() < kProcessesLeast;
  const double spread = alone ? kSpreadOfOne : std::max(summary.stdev, kSpreadLeast);
  const double degrees = alone ? kDegreesOfAssumed : count - 1;
  const double error = spread / std::sqrt(count);
  pair.p = pair.single ? 1 : students_t_outside(std::abs(summary.mean) / error, degrees);
  const double half = students_t_bound(rules.alpha, degrees) * error;
  pair.bounds = exp_of(summary.mean - half, summary.mean + half);
  pair.bounds.low = std::min(pair.bounds.low, pair.ratio);
  pair.bounds.high = std::max(pair.bounds.high, pair.ratio);
  return pair;
}

}  // namespace

ClaimEvidence weigh_pairs(std::span<const ClaimPair> pairs, const ClaimRange& range,
                          const ComparisonRules& rules) {
  KS_ASSERT(!pairs.empty());
  ClaimEvidence out;
  std::vector<RatioOfPoints> ratios;
  for (const ClaimPair& pair : pairs) {
    ComparisonRules own = rules;
    own.seed += out.pairs.size();
    WeighedPair weighed;
    const auto plain = difference_of(pair.first, pair.second, own, pairs.size());
    if (plain) {
      weighed.ratio = plain->ratio;
      weighed.bounds = plain->bounds;
      weighed.single = too_few_processes(*plain);
      const double end = nearest_end(range, weighed.ratio);
      const auto held = difference_of(pair.first, scaled(pair.second, 1 / end), own, pairs.size());
      if (held && !weighed.single) weighed.p = held->p;
    }
    out.pairs.push_back(weighed);
    ratios.push_back({pair.first, pair.second, pair.first_point, pair.second_point});
  }
  sum_up(ratios, rules, out);
  take_stands(range, rules, out);
  decide(range, out);
  return out;
}

ClaimEvidence weigh_levels(std::span<const std::vector<double>> points, const ComparisonRules& rules) {
  KS_ASSERT(!points.empty());
  ClaimEvidence out;
  std::vector<std::vector<ProcessTime>> numbers;
  std::vector<RatioOfPoints> ratios;
  for (const std::vector<double>& point : points) {
    out.pairs.push_back(weighed_level(point, rules));
    auto& own = numbers.emplace_back();
    for (const double number : point) own.push_back({number, 0, 0});
  }
  for (std::uint32_t p = 0; p < numbers.size(); ++p) ratios.push_back({{}, numbers[p], 0, p});
  const ClaimRange range{1, std::numeric_limits<double>::infinity(), true};
  sum_up(ratios, rules, out);
  take_stands(range, rules, out);
  decide(range, out);
  if (out.verdict == ClaimVerdict::confirmed && out.outside > 0) out.verdict = ClaimVerdict::undecided;
  return out;
}

}  // namespace kernsweep
