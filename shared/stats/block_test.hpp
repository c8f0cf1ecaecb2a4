// Which of two ways, measured next to each other in blocks, is faster, by the signs and ranks of their
// differences. Pure.
//
// A block holds one process of each way, close in time and on the same cores, in a random order. A
// disturbance of a block disturbs either of them with the same probability, so under the hypothesis that
// both are equal the difference of a block has either sign with probability 1/2. Under that hypothesis the
// test of Wilcoxon (1945) is exact; the interval of Hodges and Lehmann (1963) contains the ratios that it
// does not reject.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "shared/stats/intervals.hpp"

namespace kernsweep {

// The test is exact up to this many numbers; beyond, it uses the normal approximation.
inline constexpr std::size_t kExactSignedRanksMax = 200;

// Two-sided p: twice the probability that random signs give the ranks of the absolute numbers a sum of
// positive (or negative) ones as small as the smaller of both; at most 1. Ties get their mean rank; zeros
// count half to either side (Pratt 1959 keeps their ranks). Requires finite numbers; none: 1.
double signed_rank_p(std::span<const double> numbers);

// The interval of the median of the numbers. Its ends are the least and the greatest shift that the test
// does not reject at `outside`: order statistics of the means of all pairs. {-infinity, infinity} where the
// test can reject nothing. Requires finite numbers and 0 < outside < 1. Time: n^2 log n.
Interval signed_rank_interval(std::span<const double> numbers, double outside);

// The sign test of a value as the median: twice the probability that at most `fewer` of `count` numbers lie
// on one side of it; at most 1. Requires fewer <= count.
double sign_test_p(std::size_t fewer, std::size_t count);

// How far the second way is behind the first in one block, as a logarithm of a ratio: the least and the
// most that are possible, because disturbances add time.
struct BlockDifference {
  double least = 0, most = 0;
};

// One process of a way. `low`: the logarithm of the least time that it may have taken.
struct BlockTime {
  std::uint32_t block = 0;
  double log = 0, low = 0;
};

// The differences of all blocks that both ways have. A block may occur once on each side; in any order.
std::vector<BlockDifference> differences_of(std::vector<BlockTime> first, std::vector<BlockTime> second);

}  // namespace kernsweep
