#include "results/answer/claims/claim_evidence.hpp"

#include <algorithm>
#include <cmath>

#include "results/answer/time_difference.hpp"
#include "shared/base/result.hpp"
#include "shared/stats/false_discoveries.hpp"
#include "shared/stats/mean_ratio.hpp"

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

double median_of_logs(std::span<const double> logs) {
  std::vector<double> numbers;
  for (const double log : logs) numbers.push_back(std::exp(log));
  return median_of_times(numbers);
}

Interval with_ratio(Interval bounds, double ratio) {
  return {std::min(bounds.low, ratio), std::max(bounds.high, ratio)};
}

// The mean over all pairs, and what is true of each.
void sum_up(std::span<const RatioOfPoints> ratios, double gap, const EvidenceRules& rules,
            ClaimEvidence& out) {
  out.lowest = out.highest = out.pairs.front().ratio;
  for (const WeighedPair& pair : out.pairs) {
    out.lowest = std::min(out.lowest, pair.ratio);
    out.highest = std::max(out.highest, pair.ratio);
  }
  const MeanRatio mean = mean_ratio_of(ratios, gap, rules.alpha);
  out.ratio = mean.ratio;
  out.bounds = mean.bounds;
}

// Where each pair stands, once its ratio and its p (not adjusted) are known, and on which side of the
// nearest end it is shown to be.
void take_stands(const ClaimRange& range, std::span<const char> shown_inside, const EvidenceRules& rules,
                 ClaimEvidence& out) {
  std::vector<double> p;
  for (const WeighedPair& pair : out.pairs) p.push_back(pair.p);
  const auto adjusted = benjamini_hochberg(p);
  for (std::size_t i = 0; i < out.pairs.size(); ++i) {
    WeighedPair& pair = out.pairs[i];
    pair.p = adjusted[i];
    const bool inside = range.holds(pair.ratio);
    if (!inside) ++out.outside;
    if (pair.single) ++out.single;
    if (pair.single || pair.p > rules.alpha || inside != (shown_inside[i] != 0)) continue;
    pair.stand = inside ? ClaimStand::in_favour : ClaimStand::against;
    if (!inside) ++out.against;
  }
}

void decide(const ClaimRange& range, ClaimEvidence& out) {
  const bool outside = out.bounds.high < range.low || out.bounds.low > range.high;
  if (out.against > 0 || (outside && out.single == 0))
    out.verdict = ClaimVerdict::refuted;
  else if (out.single == 0 && range.holds(out.bounds.low) && range.holds(out.bounds.high))
    out.verdict = ClaimVerdict::confirmed;
}

// Whether the lower end of the range is the nearest one to the ratio.
bool nearer_to_low(const ClaimRange& range, double ratio) {
  return !std::isfinite(range.high) || ratio * ratio < range.low * range.high;
}

}  // namespace

ClaimEvidence weigh_pairs(std::span<const ClaimPair> pairs, const ClaimRange& range,
                          const ProcessSpread& spread, const EvidenceRules& rules) {
  KS_ASSERT(!pairs.empty());
  ClaimEvidence out;
  std::vector<Centre> centres;  // of both sides of each pair
  std::vector<char> shown_inside;
  for (const ClaimPair& pair : pairs) {
    WeighedPair weighed;
    weighed.ratio = median_of_logs(pair.second.logs) / median_of_logs(pair.first.logs);
    weighed.bounds = with_ratio(weigh(pair.first, pair.second, spread, rules).ratio, weighed.ratio);
    weighed.single = std::min(pair.first.logs.size(), pair.second.logs.size()) < kVerdictProcessesLeast;
    const bool low = nearer_to_low(range, weighed.ratio);
    std::vector<double> scaled(pair.second.logs.begin(), pair.second.logs.end());
    for (double& log : scaled) log -= std::log(low ? range.low : range.high);
    WayTimes second = pair.second;
    second.logs = scaled;
    const PairEvidence held = weigh(pair.first, second, spread, rules);
    weighed.p = held.p;
    weighed.processes_needed = held.processes_needed;
    shown_inside.push_back(
        held.verdict == (low ? PairVerdict::first_faster : PairVerdict::second_faster) ? 1 : 0);
    out.pairs.push_back(weighed);
    centres.push_back(centre_of(pair.first));
    centres.push_back(centre_of(pair.second));
  }
  std::vector<RatioOfPoints> ratios;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    ratios.push_back({out.pairs[i].ratio, &centres[2 * i], &centres[2 * i + 1], pairs[i].first_point,
                      pairs[i].second_point});
  const std::size_t fewest = std::ranges::min(centres, {}, &Centre::processes).processes;
  sum_up(ratios, gap_of(spread, fewest, rules), rules, out);
  take_stands(range, shown_inside, rules, out);
  decide(range, out);
  return out;
}

ClaimEvidence weigh_levels(std::span<const WayTimes> points, const ProcessSpread& spread,
                           const EvidenceRules& rules) {
  KS_ASSERT(!points.empty());
  ClaimEvidence out;
  std::vector<Centre> centres;
  std::vector<char> shown_inside;
  for (const WayTimes& point : points) {
    const PairEvidence held = weigh(point, 0, spread, rules);  // the bound, held against the point
    WeighedPair weighed;
    weighed.ratio = median_of_logs(point.logs);
    weighed.bounds = with_ratio({1 / held.ratio.high, 1 / held.ratio.low}, weighed.ratio);
    weighed.p = held.p;
    weighed.single = point.logs.size() < kVerdictProcessesLeast;
    shown_inside.push_back(held.verdict == PairVerdict::second_faster ? 1 : 0);
    out.pairs.push_back(weighed);
    centres.push_back(centre_of(point));
  }
  std::vector<RatioOfPoints> ratios;
  for (std::uint32_t i = 0; i < points.size(); ++i)
    ratios.push_back({out.pairs[i].ratio, nullptr, &centres[i], 0, i});
  sum_up(ratios, spread.gap(), rules, out);
  const ClaimRange range{1, std::numeric_limits<double>::infinity(), true};
  take_stands(range, shown_inside, rules, out);
  decide(range, out);
  if (out.verdict == ClaimVerdict::confirmed && out.outside > 0) out.verdict = ClaimVerdict::undecided;
  return out;
}

}  // namespace kernsweep
