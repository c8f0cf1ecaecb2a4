#include "shared/stats/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

double quantile_of_sorted(std::span<const double> sorted, double q) {
  KS_ASSERT(!sorted.empty() && q >= 0 && q <= 1);
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double share = position - static_cast<double>(below);
  return sorted[below] + share * (sorted[above] - sorted[below]);
}

Tail tail_of(std::span<const double> samples) {
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  return {quantile_of_sorted(sorted, 0.9), quantile_of_sorted(sorted, 0.99),
          quantile_of_sorted(sorted, 0.999)};
}

Summary summarise(std::span<const double> samples) {
  KS_ASSERT(!samples.empty());
  Summary summary;
  double count = 0;
  double squares = 0;
  for (const double x : samples) {
    count += 1;
    const double from_old = x - summary.mean;
    summary.mean += from_old / count;
    squares += from_old * (x - summary.mean);
  }
  summary.stdev = count > 1 ? std::sqrt(squares / (count - 1)) : 0;

  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  summary.min = sorted.front();
  summary.q1 = quantile_of_sorted(sorted, 0.25);
  summary.median = quantile_of_sorted(sorted, 0.5);
  summary.q3 = quantile_of_sorted(sorted, 0.75);
  summary.max = sorted.back();

  for (double& x : sorted) x = std::abs(x - summary.median);
  std::sort(sorted.begin(), sorted.end());
  summary.mad = quantile_of_sorted(sorted, 0.5);
  return summary;
}

TrimmedMean trimmed_mean_of(std::span<const double> samples, double least_variance) {
  KS_ASSERT(!samples.empty());
  std::vector<double> sorted(samples.begin(), samples.end());
  std::ranges::sort(sorted);
  const std::size_t trimmed = sorted.size() / 5, kept = sorted.size() - 2 * trimmed;
  const auto n = static_cast<double>(sorted.size()), h = static_cast<double>(kept);
  TrimmedMean found{.degrees = h - 1};
  for (std::size_t i = trimmed; i < trimmed + kept; ++i) found.mean += sorted[i] / h;
  if (kept < 2) return found;
  // Winsorised: each trimmed value is replaced by the nearest one that was kept.
  for (std::size_t i = 0; i < trimmed; ++i) {
    sorted[i] = sorted[trimmed];
    sorted[sorted.size() - 1 - i] = sorted[trimmed + kept - 1];
  }
  const double stdev = summarise(sorted).stdev;
  found.variance = (n - 1) * std::max(stdev * stdev, least_variance) / (h * (h - 1));
  return found;
}

}  // namespace kernsweep
