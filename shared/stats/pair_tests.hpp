// The tests on two ways by which shared/stats/contest.hpp decides. Internal to it; other code uses weigh()
// and decide().
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "shared/stats/contest.hpp"

namespace kernsweep {

// The bound that |t| of Student's distribution exceeds with probability `outside`; degrees of freedom are
// rounded down, which widens it.
double t_bound(double outside, double degrees);

// The difference of two centres.
struct Difference {
  double away = 0;   // second minus first, as the logarithm of a ratio
  double error = 0;  // standard error of that
  double degrees = 0;
  std::size_t fewer = 0;  // processes of the side with the smaller number
  std::size_t more = 0;
  bool steady = true;  // Centre::steady of both
  bool known() const { return std::isfinite(error) && degrees > 0; }
  double half(double outside) const { return t_bound(outside, degrees) * error; }
  // The `outside` for which the lower bound is `least`; 1 if the centres are no further apart than that.
  double outside_of(double least) const;
};
Difference difference_of(const Centre& first, const Centre& second);

// The ratio, as a logarithm, that a lower bound must exceed by the second rule of contest.hpp.
double least_gap(const ProcessSpread& spread, std::size_t processes, const EvidenceRules& rules);

// The differences of the blocks that both ways have.
std::vector<BlockDifference> block_differences(const WayTimes& first, const WayTimes& second);

// The smallest two-sided probability of error at which the first is shown faster than the second by the
// rules of contest.hpp, or one that is at most `enough`. `difference`: the first as it was measured, the
// second with its least times.
double shown_at(const WayTimes& first, const WayTimes& second, const Difference& difference,
                const ProcessSpread& spread, const EvidenceRules& rules, double enough);

// The bound within which both ways are equal, 0.024 for 2.4 %. Infinity: not known.
double equal_bound(const WayTimes& first, const WayTimes& second, const Difference& difference,
                   const ProcessSpread& spread, const EvidenceRules& rules);

}  // namespace kernsweep
