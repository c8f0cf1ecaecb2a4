#include "shared/stats/split.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "shared/stats/statistics.hpp"

namespace kernsweep {

Split split_of(std::span<const double> logs) {
  Split split;
  if (logs.size() < 2) return split;
  std::vector<double> all(logs.begin(), logs.end());
  std::ranges::sort(all);
  const std::size_t fewest = all.size() < 4 ? 1 : 2;
  std::size_t at = fewest;
  for (std::size_t i = fewest + 1; i + fewest <= all.size(); ++i)
    if (all[i] - all[i - 1] > all[at] - all[at - 1]) at = i;
  const double gap = all[at] - all[at - 1], rest = all.back() - all.front() - gap;
  if (gap < std::log(kSplitRatio) || gap < 2 * rest) return split;
  const std::span<const double> both(all);
  return {at, all.size() - at, quantile_of_sorted(both.first(at), 0.5),
          quantile_of_sorted(both.subspan(at), 0.5)};
}

bool lie_together(std::span<const double> logs) {
  if (logs.size() < 2) return true;
  std::vector<double> all(logs.begin(), logs.end());
  std::ranges::sort(all);
  const std::size_t last = all.size() - 1;
  const double reach =
      all.size() < 20 ? all[last] - all[0] : std::min(all[last - 1] - all[0], all[last] - all[1]);
  return reach < std::log(kSplitRatio);
}

}  // namespace kernsweep
