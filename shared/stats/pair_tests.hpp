// Two ways beside each other: the tests by which shared/stats/contest.hpp decides. Its own parts; others
// use weigh() and decide().
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>

#include "shared/stats/contest.hpp"

namespace kernsweep {

// The bound of Student's t that is exceeded, on either side, with probability `outside`; degrees of freedom
// are rounded down, which makes it wider.
double t_bound(double outside, double degrees);

// The difference of two centres.
struct Difference {
  double away = 0;   // second less first, logarithm of a ratio
  double error = 0;  // standard error of that
  double degrees = 0;
  std::size_t fewer = 0;  // processes of the side that has fewer
  std::size_t more = 0;
  bool steady = true;  // Centre::steady of both
  bool known() const { return std::isfinite(error) && degrees > 0; }
  double half(double outside) const { return t_bound(outside, degrees) * error; }
  // The `outside` for which the lower bound is `least`; 1 if the centres are no further apart than that.
  double outside_of(double least) const;
};
Difference difference_of(const Centre& first, const Centre& second);

// The ratio, as a logarithm, that a lower bound has to exceed by rule 1 of contest.hpp.
double least_gap(const ProcessSpread& spread, std::size_t processes, const EvidenceRules& rules);

// What the rank test (or sign test) adds to the bounds in rule 2: its p, which grows with the number of
// pairs that are judged at once, or a condition that has no probability of error of its own.
enum class OrderAs : std::uint8_t { p, condition };

// The smallest two-sided probability of error at which the first is shown faster than the second by the
// rules of the header, or one that is at most `enough`. `least`: the ratio, as a logarithm, that rule 1
// asks for. `by_order(shift)`: p of the test that looks at the order of the processes only, with the first
// made slower by that logarithm of a ratio.
template <class ByOrder>
double least_error(const Difference& difference, double least, const EvidenceRules& rules, double enough,
                   OrderAs order_as, const ByOrder& by_order) {
  if (difference.fewer < kVerdictProcessesLeast || !difference.known()) return 1;
  const bool by_bounds = difference.steady || difference.fewer < kRankProcessesLeast;
  double error = by_bounds ? difference.outside_of(least) : 1;
  if (error <= enough || difference.fewer < kRankProcessesLeast) return error;
  const double margin = std::log1p(rules.margin), scale = rules.alpha / kRankAlpha;
  const double by_margin = difference.outside_of(margin);
  if (by_margin < error && (enough == 0 || by_margin <= enough)) {
    const double p = by_order(0.0);
    error = std::min(error, std::max(by_margin, order_as == OrderAs::p ? p * scale
                                                : p <= kRankAlpha      ? 0
                                                                       : 1));
  }
  return error <= enough ? error : std::min(error, by_order(margin) * scale);
}

// p of the exact test of Mann and Whitney with the first made slower by the logarithm `shift`; 1 unless the
// first is ahead.
double by_ranks(const WayTimes& first, const WayTimes& second, double shift);

// Whether the first is shown faster than the second, at the two-sided probability of error `outside`.
bool shown_faster(const WayTimes& first, const WayTimes& second, const Difference& difference,
                  const ProcessSpread& spread, const EvidenceRules& rules, double outside);

// Whether two ways that lie together would be equally fast.
bool shown_same(const Difference& difference, const ProcessSpread& spread, const EvidenceRules& rules);
// Whether nothing speaks against two ways being equally fast but their difference: the processes of each
// lie together, in the middle no further apart than the margin, and groups that they do not show are
// unlikely.
bool may_be_same(const WayTimes& first, const WayTimes& second, const ProcessSpread& spread,
                 const EvidenceRules& rules);

}  // namespace kernsweep
