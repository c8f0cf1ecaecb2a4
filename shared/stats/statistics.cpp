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

}  // namespace kernsweep
