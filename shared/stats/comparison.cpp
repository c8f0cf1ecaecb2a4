#include "shared/stats/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "shared/base/result.hpp"
#include "shared/stats/distributions.hpp"
#include "shared/stats/rank_test.hpp"
#include "shared/stats/statistics.hpp"

namespace kernsweep {

std::string_view name_of(TimeVerdict verdict) {
  switch (verdict) {
    case TimeVerdict::same:
      return "SAME";
    case TimeVerdict::faster:
      return "FASTER";
    case TimeVerdict::slower:
      return "SLOWER";
    case TimeVerdict::ambiguous:
      return "AMBIGUOUS";
  }
  return "AMBIGUOUS";
}

std::string_view name_of(CompareMethod method) {
  switch (method) {
    case CompareMethod::ranks:
      return "ranks";
    case CompareMethod::trimmed:
      return "trimmed";
    case CompareMethod::identical:
      return "identical";
  }
  return "identical";
}

namespace {

constexpr double kDegreesOfAssumed = 30;  // of freedom, for an assumed spread: almost as if it were known

double median_of(std::vector<double> numbers) {
  std::ranges::sort(numbers);
  return quantile_of_sorted(numbers, 0.5);
}

// Relative standard error of the median of a process's samples: sqrt(pi / 2) sigma / sqrt(n) with sigma
// from the MAD, as for normal samples. Returns the median over the processes; 0 if none has one.
double spread_within(std::span<const ProcessTime> times) {
  std::vector<double> errors;
  for (const ProcessTime& time : times)
    if (time.samples > 0 && std::isfinite(time.mad_s) && time.mad_s > 0)
      errors.push_back(1.2533 * 1.4826 * time.mad_s / time.median_s /
                       std::sqrt(static_cast<double>(time.samples)));
  return errors.empty() ? 0 : median_of(std::move(errors));
}

}  // namespace

LogCentre log_centre_of(std::span<const ProcessTime> times) {
  std::vector<double> logs;
  for (const ProcessTime& time : times) logs.push_back(std::log(time.median_s));
  const double least = std::max(kSpreadLeast, spread_within(times));
  if (logs.size() == 1) {
    const double spread = std::max(kSpreadOfOne, least);
    return {logs[0], spread * spread, kDegreesOfAssumed};
  }
  const TrimmedMean trimmed = trimmed_mean_of(logs, least * least);
  return {trimmed.mean, trimmed.variance, trimmed.degrees};
}

namespace {

void by_trimmed(std::span<const ProcessTime> a, std::span<const ProcessTime> b, double alpha,
                TimeDifference& difference) {
  const LogCentre of_a = log_centre_of(a), of_b = log_centre_of(b);
  const double variance = of_a.variance + of_b.variance;
  const double error = std::sqrt(variance);
  const double degrees =
      variance * variance /
      (of_a.variance * of_a.variance / of_a.degrees + of_b.variance * of_b.variance / of_b.degrees);
  const double away = of_b.mean - of_a.mean;
  difference.method = CompareMethod::trimmed;
  difference.p = std::min(1.0, students_t_outside(std::abs(away) / error, degrees));
  const double half = students_t_bound(alpha, degrees) * error;
  // Limited, so that the bounds of a very large spread are finite and above 0.
  difference.bounds = exp_of(away - half, away + half);
}

std::vector<ProcessTime> usable(std::span<const ProcessTime> times) {
  std::vector<ProcessTime> kept;
  for (const ProcessTime& time : times)
    if (std::isnormal(time.median_s) && time.median_s > 0) kept.push_back(time);
  return kept;
}

// Whether the rank test can give a p of at most `limit` even if one process of the smaller side was
// disturbed so much that its time is on the wrong side of all others.
bool ranks_can_answer(std::size_t n, std::size_t m, double limit) {
  if (smallest_p(n, m) > limit) return false;
  const std::size_t fewer = std::min(n, m), more = std::max(n, m);
  std::vector<double> low, high;
  for (std::size_t i = 0; i + 1 < fewer; ++i) low.push_back(static_cast<double>(i));
  for (std::size_t i = 0; i < more; ++i) high.push_back(static_cast<double>(fewer + i));
  low.push_back(static_cast<double>(fewer + more));
  return mann_whitney(low, high).p <= limit;
}

std::vector<double> medians_of(std::span<const ProcessTime> times) {
  std::vector<double> medians;
  for (const ProcessTime& time : times) medians.push_back(time.median_s);
  return medians;
}

}  // namespace

std::optional<TimeDifference> difference_of(std::span<const ProcessTime> a, std::span<const ProcessTime> b,
                                            const ComparisonRules& rules, std::size_t comparisons) {
  KS_ASSERT(comparisons > 0 && rules.alpha > 0 && rules.alpha < 1);
  const auto times_a = usable(a), times_b = usable(b);
  if (times_a.empty() || times_b.empty()) return std::nullopt;
  const auto medians_a = medians_of(times_a), medians_b = medians_of(times_b);
  TimeDifference difference;
  difference.processes_a = medians_a.size();
  difference.processes_b = medians_b.size();
  difference.ratio = median_of(medians_b) / median_of(medians_a);
  if (!std::isnormal(difference.ratio)) return std::nullopt;
  if (ranks_can_answer(medians_a.size(), medians_b.size(),
                       rules.alpha / static_cast<double>(comparisons))) {
    difference.method = CompareMethod::ranks;
    difference.p = mann_whitney(medians_a, medians_b).p;
    difference.bounds = bootstrap_ratio(medians_a, medians_b, 1 - rules.alpha, rules.resamples, rules.seed);
  } else {
    by_trimmed(times_a, times_b, rules.alpha, difference);
  }
  difference.bounds.low = std::min(difference.bounds.low, difference.ratio);
  difference.bounds.high = std::max(difference.bounds.high, difference.ratio);
  return difference;
}

bool too_few_processes(const TimeDifference& difference) {
  return difference.method != CompareMethod::identical &&
         std::min(difference.processes_a, difference.processes_b) < kProcessesLeast;
}

TimeVerdict verdict_of(const TimeDifference& difference, double adjusted_p, const ComparisonRules& rules) {
  if (too_few_processes(difference)) return TimeVerdict::ambiguous;
  const double most = 1 + rules.threshold;
  const bool beyond = difference.ratio > most || difference.ratio < 1 / most;
  if (beyond && adjusted_p <= rules.alpha)
    return difference.ratio > 1 ? TimeVerdict::slower : TimeVerdict::faster;
  const double seen = 1 + rules.resolution * rules.threshold;
  if (!beyond && difference.bounds.low >= 1 / seen && difference.bounds.high <= seen)
    return TimeVerdict::same;
  return TimeVerdict::ambiguous;
}

}  // namespace kernsweep
