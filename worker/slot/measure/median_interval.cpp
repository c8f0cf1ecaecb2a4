#include "worker/slot/measure/median_interval.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

// From the middle downwards, where the sum of the probabilities is known: about 2 sqrt(n) terms. With few
// samples from 0 upwards, where 2^-n is representable.
std::uint64_t median_interval_rank(std::uint64_t n) {
  constexpr double kBelow = 0.025;
  constexpr std::uint64_t kFew = 256;
  if (n == 0) return 0;
  const auto all = static_cast<double>(n);
  if (n <= kFew) {
    std::uint64_t rank = 0;
    double exactly = std::ldexp(1, -static_cast<int>(n));
    for (double at_most = exactly; at_most < kBelow; at_most += exactly) {
      exactly *= static_cast<double>(n - rank) / static_cast<double>(rank + 1);
      ++rank;
    }
    return rank;
  }
  const auto middle = n / 2;
  auto k = static_cast<double>(middle);
  double exactly =
      std::exp(std::lgamma(all + 1) - std::lgamma(k + 1) - std::lgamma(all - k + 1) - all * std::log(2.0));
  double at_most = n % 2 == 1 ? 0.5 : 0.5 + exactly / 2;
  while (k >= 0 && at_most >= kBelow) {
    at_most -= exactly;
    exactly *= k / (all - k + 1);
    --k;
  }
  return static_cast<std::uint64_t>(k + 1);  // P(at most k) is below, so of k + 1 it is P(fewer)
}

double median_error(std::span<const double> samples) {
  KS_ASSERT(!samples.empty());
  std::vector<double> order(samples.begin(), samples.end());
  const auto nth = [&](std::size_t from, std::size_t place) {
    const auto at = order.begin() + static_cast<std::ptrdiff_t>(place);
    std::nth_element(order.begin() + static_cast<std::ptrdiff_t>(from), at, order.end());
    return *at;
  };
  const std::size_t n = order.size();
  const std::size_t rank = std::max<std::size_t>(median_interval_rank(n), 1);
  const double low = nth(0, rank - 1);
  const double middle = nth(rank - 1, (n - 1) / 2);
  const double upper_middle = n % 2 == 1 ? middle : nth((n - 1) / 2, n / 2);
  const double high = nth(n / 2, n - rank);
  const double median = (middle + upper_middle) / 2;
  return median > 0 ? (high - low) / 2 / median : 0;
}

}  // namespace kernsweep
