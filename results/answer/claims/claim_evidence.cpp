#include "results/answer/claims/claim_evidence.hpp"

#include <algorithm>
#include <cmath>

#include "results/answer/compare/time_difference.hpp"
#include "shared/base/result.hpp"
#include "shared/stats/false_discoveries.hpp"
#include "shared/stats/mean_ratio.hpp"
#include "shared/stats/pair_tests.hpp"

namespace kernsweep {

std::string_view name_of(ClaimVerdict verdict) {
  constexpr std::string_view kNames[] = {"", "confirmed", "refuted", "undecided"};
  return kNames[static_cast<std::size_t>(verdict)];
}

std::string_view name_of(ClaimOpen open) {
  constexpr std::string_view kNames[] = {"none",   "single", "interval", "outside",
                                         "inside", "margin", "apart",    "groups"};
  return kNames[static_cast<std::size_t>(open)];
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
MeanRatio sum_up(std::span<const RatioOfPoints> ratios, double gap, const EvidenceRules& rules,
                 ClaimEvidence& out) {
  out.lowest = out.highest = out.pairs.front().ratio;
  for (const WeighedPair& pair : out.pairs) {
    out.lowest = std::min(out.lowest, pair.ratio);
    out.highest = std::max(out.highest, pair.ratio);
  }
  const MeanRatio mean = mean_ratio_of(ratios, gap, rules.alpha);
  out.ratio = mean.ratio;
  out.bounds = out.pairs.size() == 1 ? out.pairs.front().bounds : mean.bounds;
  return mean;
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

// Takes `by` times as short.
class Scaled {
 public:
  Scaled(const WayTimes& way, double by)
      : logs_(way.logs.begin(), way.logs.end()), lows_(way.lows.begin(), way.lows.end()), way_(way) {
    for (double& log : logs_) log -= std::log(by);
    for (double& low : lows_) low -= std::log(by);
    way_.logs = logs_;
    way_.lows = lows_;
  }
  const WayTimes& way() const { return way_; }

 private:
  std::vector<double> logs_, lows_;
  WayTimes way_;
};

// Decides about the whole, one end of the range after the other. `pair_inside(i, end, is_low)`: whether
// rule 1 or 2 shows pair i to lie on the inner side. `absence()`: why an absent difference is not shown, by
// all but the interval; none: it is.
template <class PairInside, class Absence>
class Whole {
 public:
  Whole(const ClaimRange& range, const MeanRatio& mean, const EvidenceRules& rules, ClaimEvidence& out,
        const PairInside& pair_inside, const Absence& absence)
      : range_(range),
        mean_(mean),
        rules_(rules),
        out_(out),
        pair_inside_(pair_inside),
        absence_(absence) {}

  void decide() {
    if (out_.against > 0 || shown_outside()) {
      out_.verdict = ClaimVerdict::refuted;
      return;
    }
    out_.open = open_at(range_.low, true);
    if (out_.open == ClaimOpen::none && std::isfinite(range_.high)) out_.open = open_at(range_.high, false);
    if (out_.open == ClaimOpen::none && !range_.holds(out_.ratio)) out_.open = ClaimOpen::interval;
    if (out_.open == ClaimOpen::none) {
      out_.verdict = ClaimVerdict::confirmed;
    } else if (out_.single > 0) {
      out_.open = ClaimOpen::single;  // more processes come first
    }
  }

 private:
  // A single pair that is shown to lie outside is against the claim.
  bool shown_outside() const {
    return out_.pairs.size() > 1 &&
           (mean_.shown_below(range_.low, rules_) || mean_.shown_above(range_.high, rules_));
  }

  bool shown_inside(double end, bool is_low) {
    const bool by_mean =
        out_.pairs.size() > 1 && (is_low ? mean_.shown_above(end, rules_) : mean_.shown_below(end, rules_));
    if (by_mean) return true;
    for (std::size_t i = 0; i < out_.pairs.size(); ++i)
      if (!pair_inside_(i, end, is_low)) return false;
    // The order of the processes may show what the bounds do not.
    const double beyond = is_low ? end * (1 + rules_.margin) : end / (1 + rules_.margin);
    double& bound = is_low ? out_.bounds.low : out_.bounds.high;
    bound = is_low ? std::min(std::max(bound, beyond), out_.ratio)
                   : std::max(std::min(bound, beyond), out_.ratio);
    return true;
  }

  ClaimOpen open_at(double end, bool is_low) {
    const bool equals_keep_it = is_low ? end < 1 : end > 1;
    const double room = rules_.hidden_groups ? kHiddenRatio : 1;
    const double asked = !equals_keep_it ? end
                         : is_low        ? std::min(1.0, end * room)
                                         : std::max(1.0, end / room);
    if (shown_inside(asked, is_low)) return ClaimOpen::none;
    const bool near = std::abs(std::log(out_.ratio / end)) <= std::log1p(rules_.margin);
    if (out_.bounds.high < range_.low || out_.bounds.low > range_.high)
      return near ? ClaimOpen::margin : ClaimOpen::outside;
    const bool within = is_low ? out_.bounds.low > end || (range_.low_itself && out_.bounds.low == end)
                               : out_.bounds.high <= end;
    if (!within) return ClaimOpen::interval;
    if (equals_keep_it) return absence_();
    return near ? ClaimOpen::margin : ClaimOpen::inside;
  }

  const ClaimRange& range_;
  const MeanRatio& mean_;
  const EvidenceRules& rules_;
  ClaimEvidence& out_;
  const PairInside& pair_inside_;
  const Absence& absence_;
};

// Whether a difference may be said to be absent, as `same` of PairVerdict asks for it; the interval apart.
ClaimOpen absence_in(std::span<const ClaimPair> pairs, const MeanRatio& mean, const ProcessSpread& spread,
                     const EvidenceRules& rules, std::size_t& needed) {
  const auto in_blocks = [](const ClaimPair& pair) {
    return block_differences(pair.first, pair.second).size() >= kBlocksLeast;
  };
  if (std::ranges::all_of(pairs, in_blocks)) return ClaimOpen::none;
  if (mean.single) return ClaimOpen::single;
  if (!mean.all_together) return ClaimOpen::apart;
  const auto unseen = [&](std::size_t first, std::size_t second) {
    return groups_may_be_unseen(spread, first, second, rules);
  };
  for (const ClaimPair& pair : pairs) {
    if (!unseen(pair.first.logs.size(), pair.second.logs.size())) continue;
    needed = kVerdictProcessesLeast;
    while (needed <= kMoreProcessesMost && unseen(needed, needed)) ++needed;
    if (needed > kMoreProcessesMost) needed = 0;
    return ClaimOpen::groups;
  }
  return ClaimOpen::none;
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
    const Scaled second(pair.second, low ? range.low : range.high);
    const PairEvidence held = weigh(pair.first, second.way(), spread, rules);
    weighed.p = held.p;
    weighed.processes_needed = held.processes_needed;
    shown_inside.push_back(
        held.verdict == (low ? PairVerdict::first_faster : PairVerdict::second_faster) ? 1 : 0);
    out.pairs.push_back(weighed);
    for (const WayTimes* way : {&pair.first, &pair.second}) {
      centres.push_back(centre_of(*way));
      // What a disturbance has added is not known: a mean of several pairs has to lie beyond the gap.
      centres.back().steady = centres.back().steady && !way->disturbed();
    }
  }
  std::vector<RatioOfPoints> ratios;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    ratios.push_back({out.pairs[i].ratio, &centres[2 * i], &centres[2 * i + 1], pairs[i].first_point,
                      pairs[i].second_point});
  const std::size_t fewest = std::ranges::min(centres, {}, &Centre::processes).processes;
  const MeanRatio mean = sum_up(ratios, gap_of(spread, fewest, rules), rules, out);
  take_stands(range, shown_inside, rules, out);
  const auto inside = [&](std::size_t i, double end, bool is_low) {
    const Scaled second(pairs[i].second, end);
    return weigh(pairs[i].first, second.way(), spread, rules).verdict ==
           (is_low ? PairVerdict::first_faster : PairVerdict::second_faster);
  };
  const auto absence = [&] { return absence_in(pairs, mean, spread, rules, out.processes_needed); };
  Whole(range, mean, rules, out, inside, absence).decide();
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
  const MeanRatio mean = sum_up(ratios, spread.gap(), rules, out);
  const ClaimRange range{1, std::numeric_limits<double>::infinity(), true};
  take_stands(range, shown_inside, rules, out);
  const auto inside = [&](std::size_t i, double, bool) { return shown_inside[i] != 0; };
  const auto absence = [] { return ClaimOpen::none; };  // 1 is the only end
  Whole(range, mean, rules, out, inside, absence).decide();
  if (out.verdict == ClaimVerdict::confirmed && out.outside > 0) {
    out.verdict = ClaimVerdict::undecided;
    out.open = ClaimOpen::interval;
  }
  return out;
}

}  // namespace kernsweep
