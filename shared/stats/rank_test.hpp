// Whether two samples come from one distribution, by the order of their numbers only. Pure.
#pragma once

#include <cstdint>
#include <span>

namespace kernsweep {

struct RankTest {
  double u = 0;  // pairs (x, y) with x > y, ties counted half
  double p = 1;  // two-sided; 0 < p <= 1
  bool exact = false;
};

// The test of Mann and Whitney (1947). Without ties between the sides and with at most kExactMax numbers in
// all, p is exact: twice the share of all orders whose U is as far out, counted by their recurrence. (Ties
// within a side do not change U.) Otherwise by the normal
// approximation with continuity correction and the variance corrected for ties (Lehmann 1975). An empty
// side, or numbers that are all equal: p = 1. Requires finite numbers.
inline constexpr std::size_t kExactMax = 50;
RankTest mann_whitney(std::span<const double> x, std::span<const double> y);

// The smallest p that the exact test can give for samples of these sizes: 2 / C(n + m, n), if all numbers
// of one are below those of the other; 1 if a side is empty. If that is above the significance level, the
// test cannot reject, whatever was measured.
double smallest_p(std::size_t n, std::size_t m);

// The sign test: twice the probability that at most `fewer` of `count` numbers lie on one side of a value
// on either side of which they lie equally often; at most 1. Requires fewer <= count.
double sign_test_p(std::size_t fewer, std::size_t count);

}  // namespace kernsweep
