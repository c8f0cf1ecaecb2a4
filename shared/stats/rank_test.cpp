#include "shared/stats/rank_test.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>
#include <vector>

#include "shared/base/result.hpp"

namespace kernsweep {

namespace {

// P(U <= u) if all orders of n and m numbers are equally likely. ways[i][k]: orders of i of the first and j
// of the second numbers with U = k. Recurrence: the largest number is one of the first, and above all j, or
// it is one of the second. The shares of each pair of sizes are computed once.
double share_up_to(std::size_t u, std::size_t n, std::size_t m) {
  thread_local std::map<std::pair<std::size_t, std::size_t>, std::vector<double>> known;
  std::vector<double>& shares = known[{n, m}];
  if (!shares.empty()) return shares[u];
  const std::size_t most = n * m;
  std::vector<std::vector<double>> ways(n + 1, std::vector<double>(most + 1, 0.0));
  for (auto& row : ways) row[0] = 1;  // j = 0: U is 0
  for (std::size_t j = 1; j <= m; ++j)
    for (std::size_t i = 1; i <= n; ++i)  // ways[i] is still for j - 1, ways[i - 1] already for j
      for (std::size_t k = i * j; k >= j; --k) ways[i][k] += ways[i - 1][k - j];
  double all = 0, low = 0;
  for (const double each : ways[n]) all += each;
  for (const double each : ways[n]) shares.push_back((low += each) / all);
  return shares[u];
}

}  // namespace

RankTest mann_whitney(std::span<const double> x, std::span<const double> y) {
  RankTest test;
  const std::size_t n = x.size(), m = y.size();
  if (n == 0 || m == 0) return test;
  std::vector<std::pair<double, bool>> all;
  for (const double each : x) all.emplace_back(each, true);
  for (const double each : y) all.emplace_back(each, false);
  for (const auto& each : all) KS_ASSERT(std::isfinite(each.first));
  std::ranges::sort(all);

  double ties = 0;  // sum over groups of equal numbers of t^3 - t
  double y_below = 0;
  bool tied_sides = false;
  for (std::size_t i = 0; i < all.size();) {
    double of_x = 0, of_y = 0;
    std::size_t end = i;
    for (; end < all.size() && all[end].first == all[i].first; ++end) (all[end].second ? of_x : of_y) += 1;
    test.u += of_x * (y_below + of_y / 2);
    y_below += of_y;
    const double t = of_x + of_y;
    ties += t * t * t - t;
    tied_sides = tied_sides || (of_x > 0 && of_y > 0);
    i = end;
  }
  const auto dn = static_cast<double>(n), dm = static_cast<double>(m), count = dn + dm;
  test.exact = !tied_sides && n + m <= kExactMax;
  if (test.exact) {
    const double smaller = std::min(test.u, dn * dm - test.u);
    test.p = std::min(1.0, 2 * share_up_to(static_cast<std::size_t>(smaller), n, m));
    return test;
  }
  const double variance = dn * dm / 12 * (count + 1 - ties / (count * (count - 1)));
  const double away = std::abs(test.u - dn * dm / 2) - 0.5;
  if (variance <= 0 || away <= 0) return test;
  test.p = std::max(std::erfc(away / std::sqrt(2 * variance)), smallest_p(n, m));
  return test;
}

double smallest_p(std::size_t n, std::size_t m) {
  if (n == 0 || m == 0) return 1;
  double p = 2;
  for (std::size_t i = 1; i <= n; ++i) p *= static_cast<double>(i) / static_cast<double>(m + i);
  return std::min(1.0, std::max(p, 1e-300));
}

double sign_test_p(std::size_t fewer, std::size_t count) {
  // Of logarithms: 0.5^1075 is no double.
  const auto n = static_cast<double>(count);
  double sum = 0;
  for (std::size_t k = 0; k <= fewer; ++k) {
    const auto i = static_cast<double>(k);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1) - n * std::log(2.0));
  }
  return std::min(1.0, 2 * sum);
}

}  // namespace kernsweep
