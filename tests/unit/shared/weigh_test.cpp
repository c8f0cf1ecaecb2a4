// Compares two points.
#include <gtest/gtest.h>

#include <cmath>

#include "shared/stats/contest.hpp"
#include "tests/unit/shared/contest_points.hpp"

namespace kernsweep {
namespace {

using test::Logs;
using test::logs;
using test::quiet;
using test::twelve;

// A leads in each of eight blocks. What is shown is a ratio above 1.01, whatever a wild B does.
TEST(Weigh, WhatIsShownIsWithinTheBounds) {
  const ProcessSpread spread = quiet(20, 5);
  const Logs a = logs({5, 5.1, 5.2, 5.25, 5.3, 5.1, 5, 5.2}), b = logs({5.6, 5.8, 12, 20, 30, 9, 40, 7});
  const PairEvidence found = weigh({.logs = a}, {.logs = b}, spread, {});
  EXPECT_EQ(found.verdict, PairVerdict::first_faster);
  EXPECT_GE(found.ratio.low, 1.01);
  EXPECT_LE(weigh({.logs = b}, {.logs = a}, spread, {}).ratio.high, 1 / 1.01);
}

TEST(Weigh, ADisturbanceMakesTheRatioWider) {
  const Logs fast = twelve(10), slow = twelve(20);
  Logs least = slow;
  for (std::size_t i = 0; i < 4; ++i) least[i] -= std::log(1.5);
  const ProcessSpread none = quiet(0);
  const PairEvidence clean = weigh({.logs = fast}, {.logs = slow}, none, {});
  const PairEvidence disturbed = weigh({.logs = fast}, {.logs = slow, .lows = least}, none, {});
  EXPECT_EQ(disturbed.verdict, PairVerdict::first_faster);
  EXPECT_LT(disturbed.ratio.low, clean.ratio.low);
  EXPECT_EQ(disturbed.ratio.high, clean.ratio.high);
  const Interval bounds = bounds_of({.logs = slow, .lows = least}, 0.01);
  EXPECT_LT(bounds.low, 0.018);
  EXPECT_GT(bounds.high, 0.02);
  const Logs unknown(12, -HUGE_VAL);
  EXPECT_EQ(weigh({.logs = fast}, {.logs = slow, .lows = unknown}, none, {}).verdict,
            PairVerdict::undecided);
}

// `weigh` returns faster exactly if p <= alpha, in either order of the sides.
TEST(Weigh, PIsTheProbabilityOfErrorAtWhichAPairIsDecided) {
  const ProcessSpread spread = quiet(20);
  const Logs slow = logs({15, 15.2, 15.1}), fast = logs({10, 10.1, 10.05});
  const auto way = [&](const Logs& of) {
    return WayTimes{.logs = of, .expected = spread.expected(0, of[0])};
  };
  const PairEvidence found = weigh(way(fast), way(slow), spread, {});
  EXPECT_EQ(found.verdict, PairVerdict::first_faster);
  EXPECT_LT(found.p, 0.01);
  EXPECT_EQ(weigh(way(slow), way(fast), spread, {}).p, found.p);
  EXPECT_EQ(weigh(way(slow), way(fast), spread, {}).verdict, PairVerdict::second_faster);
  // At half of that p nothing is decided, at twice it is.
  EXPECT_EQ(weigh(way(fast), way(slow), spread, {.alpha = found.p / 2}).verdict, PairVerdict::undecided);
  EXPECT_EQ(weigh(way(fast), way(slow), spread, {.alpha = found.p * 2}).verdict, PairVerdict::first_faster);
  // One process shows nothing.
  const Logs one = logs({10});
  EXPECT_EQ(weigh(way(one), way(slow), spread, {}).p, 1);
}

// Eight of 10 ms below eight of 20 ms, where the gap is 3: 2 of 2^8 choices of signs.
TEST(Weigh, PIsThatOfTheBlocksWhereTheGapIsLarge) {
  ProcessSpread wild;
  for (int i = 0; i < 20; ++i) wild.add(logs({10, 30, 10, 30, 10}), 0);
  wild.fit();
  const Logs fast = logs({10, 10.1, 10.2, 10.3, 10.4, 10.2, 10.1, 10});
  const Logs slow = logs({20, 20.1, 20.2, 20.3, 20.4, 20, 20.1, 20.3});
  EXPECT_NEAR(weigh({.logs = fast}, {.logs = slow}, wild, {}).p, 2.0 / 256 * 0.01 / kBlockAlpha, 1e-9);
}

// Against a time that is known exactly: 10 ms with the gap of 1.01 is shown faster than 11 ms, and not than
// 10.1 ms. Processes that take 10 or 20 ms are not shown slower than 14 ms by four of five above it; by all
// of eight within 1 % they are, though the gap is 2: the sign test has p = 2 / 2^8.
TEST(Weigh, HoldsAPointAgainstANumber) {
  const ProcessSpread calm = quiet(20);
  const Logs ten = logs({10, 10.02, 10.01});
  const WayTimes way{.logs = ten, .expected = calm.expected(0, ten[0])};
  EXPECT_EQ(weigh(way, std::log(0.011), calm, {}).verdict, PairVerdict::first_faster);
  EXPECT_EQ(weigh(way, std::log(0.009), calm, {}).verdict, PairVerdict::second_faster);
  EXPECT_EQ(weigh(way, std::log(0.0101), calm, {}).verdict, PairVerdict::undecided);
  ProcessSpread wild;
  for (int i = 0; i < 20; ++i) wild.add(logs({10, 20, 10, 20, 10}), 0);
  wild.fit();
  const Logs coin = logs({20, 20, 10, 20, 20}), eight = logs({20, 20.1, 20.2, 20, 20.1, 20, 20.2, 20.1});
  EXPECT_EQ(weigh({.logs = coin}, std::log(0.014), wild, {}).verdict, PairVerdict::undecided);
  const PairEvidence shown = weigh({.logs = eight}, std::log(0.014), wild, {});
  EXPECT_EQ(shown.verdict, PairVerdict::second_faster);
  EXPECT_LE(shown.p, 0.01);
  const Logs five = logs({20, 20.1, 20.2, 20, 20.1});  // 2 / 2^5 is too much
  EXPECT_EQ(weigh({.logs = five}, std::log(0.014), wild, {}).verdict, PairVerdict::undecided);
}

}  // namespace
}  // namespace kernsweep
