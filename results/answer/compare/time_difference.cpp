#include "results/answer/compare/time_difference.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "shared/base/result.hpp"
#include "shared/stats/statistics.hpp"

namespace kernsweep {

std::string_view name_of(TimeVerdict verdict) {
  constexpr std::string_view kNames[] = {"", "SAME", "FASTER", "SLOWER", "UNDECIDED"};
  return kNames[static_cast<std::size_t>(verdict)];
}

double median_of_times(std::span<const double> times) {
  std::vector<double> sorted(times.begin(), times.end());
  std::ranges::sort(sorted);
  return quantile_of_sorted(sorted, 0.5);
}

namespace {

// Logarithms of the times of one side.
struct SideLogs {
  std::vector<double> logs, lows;

  explicit SideLogs(const ProcessTimes& times) {
    KS_ASSERT(!times.medians.empty());
    for (const double median : times.medians) logs.push_back(std::log(median));
    for (std::size_t i = 0; i < times.costs.size(); ++i) lows.push_back(logs[i] - times.costs[i]);
  }
  WayTimes way(const TimedSide& side, const StoredSpread& spread) const {
    WayTimes way = spread.way(logs, side.stratum);
    way.lows = lows;
    way.blocks = side.processes.blocks;
    return way;
  }
};

}  // namespace

TimeDifference difference_of(const TimedSide& a, const TimedSide& b, const StoredSpread& spread,
                             const EvidenceRules& rules, Centre (*centres)[2]) {
  const SideLogs logs_a(a.processes), logs_b(b.processes);
  const WayTimes way_a = logs_a.way(a, spread), way_b = logs_b.way(b, spread);
  const PairEvidence found = weigh(way_a, way_b, spread.spread(), rules);
  if (centres) {
    (*centres)[0] = centre_of(way_a);
    (*centres)[1] = centre_of(way_b);
  }
  TimeDifference difference;
  difference.ratio = median_of_times(b.processes.medians) / median_of_times(a.processes.medians);
  difference.bounds = {std::min(found.ratio.low, difference.ratio),
                       std::max(found.ratio.high, difference.ratio)};
  difference.p = found.p;
  difference.shown_same = found.verdict == PairVerdict::same;
  difference.equal_within = found.equal_within;
  difference.processes_a = logs_a.logs.size();
  difference.processes_b = logs_b.logs.size();
  difference.processes_needed = found.processes_needed;
  // If medians and centres disagree about which is faster, it is not known.
  const bool slower = found.verdict == PairVerdict::first_faster;
  if (found.p <= rules.alpha && slower != (difference.ratio > 1)) difference.p = 1;
  return difference;
}

std::size_t processes_needed_at(const TimedSide& a, const TimedSide& b, const StoredSpread& spread,
                                EvidenceRules rules, double alpha) {
  const SideLogs logs_a(a.processes), logs_b(b.processes);
  rules.alpha = alpha;
  return processes_needed(logs_a.way(a, spread), logs_b.way(b, spread), spread.spread(), rules);
}

bool too_few_processes(const TimeDifference& difference) {
  return !difference.identical &&
         std::min(difference.processes_a, difference.processes_b) < kVerdictProcessesLeast;
}

TimeVerdict verdict_of(const TimeDifference& difference, double adjusted_p, const EvidenceRules& rules) {
  if (difference.identical || difference.shown_same) return TimeVerdict::same;
  if (adjusted_p > rules.alpha) return TimeVerdict::undecided;
  return difference.ratio > 1 ? TimeVerdict::slower : TimeVerdict::faster;
}

}  // namespace kernsweep
