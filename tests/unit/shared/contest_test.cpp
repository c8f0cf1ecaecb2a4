#include "shared/stats/contest.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/bench/evidence/contests.hpp"
#include "tests/unit/shared/contest_points.hpp"

namespace kernsweep {
namespace {

using contests::Counts;
using contests::simulate;
using contests::World;
using test::Logs;
using test::logs;
using test::quiet;
using test::twelve;

// `lows`: of each point the least that its processes may have taken.
ContestResult decided(const std::vector<Logs>& points, const ProcessSpread& spread,
                      const std::vector<Logs>& lows = {}) {
  std::vector<WayTimes> ways;
  for (std::size_t i = 0; i < points.size(); ++i) {
    ways.push_back({.logs = points[i], .expected = spread.expected(0, points[i][0])});
    if (!lows.empty()) ways.back().lows = lows[i];
  }
  return decide(ways, spread, {});
}

// Three clean processes each, and 20 points that show what processes of this host do: the gap is 1.01, so
// that a bound of nearly 1.5 lies beyond it.
TEST(Contest, ThreeCleanProcessesDecideALargeRatio) {
  const ContestResult result = decided({logs({15, 15.2, 15.1}), logs({10, 10.1, 10.05})}, quiet(20));
  EXPECT_EQ(result.verdict, ContestVerdict::wins);
  EXPECT_EQ(result.leader, 1U);
  EXPECT_EQ(result.set, std::vector<std::size_t>{1});
}

// The same where nothing else is known: three processes of each may lie in unlike groups by chance, with
// a probability of 2 / 4^3 = 3 %. At 3x no such groups are assumed.
TEST(Contest, GroupsThatNothingHasShownAreAllowedForBelowTwice) {
  const ProcessSpread none = quiet(0);
  const ContestResult close = decided({logs({15, 15.2, 15.1}), logs({10, 10.1, 10.05})}, none);
  EXPECT_EQ(close.verdict, ContestVerdict::leads);
  EXPECT_EQ(close.leader, 1U);
  EXPECT_EQ(close.set, (std::vector<std::size_t>{1, 0}));
  EXPECT_EQ(close.processes_needed, kBlocksLeast);  // 2 / 2^8 = 0.8 %
  EXPECT_EQ(decided({logs({30, 30.2, 30.1}), logs({10, 10.1, 10.05})}, none).verdict, ContestVerdict::wins);
}

TEST(Contest, TheRiskOfHiddenGroupsIsThatOfUnlikePointsWhoseProcessesAgree) {
  ProcessSpread two;
  for (int i = 0; i < 2; ++i) two.add(logs({1, 1, 1}), 0);
  two.fit();
  // With only two, a disturbance that hits one of them in each block may hit the same one each time: 2 /
  // 2^3.
  EXPECT_NEAR(two.hidden_groups_risk(3), 2.0 / 8, 1e-12);
  // A third point whose processes agree: 2 u^3 (1 - 3 u) with u = p q, largest at u = 1/4: 1/128.
  ProcessSpread three;
  for (int i = 0; i < 3; ++i) three.add(logs({1, 1, 1}), 0);
  three.fit();
  EXPECT_NEAR(three.hidden_groups_risk(3), 1.0 / 128, 1e-12);
}

// One point of the sweep shows 5 and 10 ms: a ratio of 2 is what processes of one point do here.
TEST(Contest, WhatProcessesOfOnePointDoIsNoDifference) {
  ProcessSpread spread = quiet(30);
  ProcessSpread coin;
  for (int i = 0; i < 20; ++i) coin.add(logs({1, 1.01, 1}), 0);
  coin.add(logs({5, 10, 5}), 0);
  coin.fit();
  EXPECT_NEAR(std::exp(coin.gap()), 2, 1e-9);
  const std::vector<Logs> points = {logs({18, 18.1, 18}), logs({10, 10.1, 10})};
  EXPECT_EQ(decided(points, spread).verdict, ContestVerdict::wins);
  EXPECT_EQ(decided(points, coin).verdict, ContestVerdict::leads);
}

// A coin of 5 or 10 ms does not win over a steady 15 ms with four processes, because two such coins may
// fall unlike. It wins over 25 ms: its slowest process is twice as fast.
TEST(Contest, APointThatFallsApartWinsWithFewProcessesOnlyIfItsSlowestIsTwiceAsFast) {
  const Logs coin = logs({5, 10, 5.05, 10.1});
  const ContestResult result = decided({logs({15, 15.1, 15.05, 15.02}), coin}, quiet(20, 4));
  EXPECT_EQ(result.verdict, ContestVerdict::leads);
  EXPECT_EQ(result.leader, 1U);
  ASSERT_TRUE(result.split);
  EXPECT_EQ(result.split.fast, 2U);
  EXPECT_EQ(result.split.slow, 2U);
  EXPECT_NEAR(std::exp(result.split.fast_log) * 1000, 5.025, 0.01);
  EXPECT_NEAR(std::exp(result.split.slow_log) * 1000, 10.05, 0.01);
  EXPECT_EQ(decided({logs({25, 25.1, 25.05, 25.02}), coin}, quiet(20, 4)).verdict, ContestVerdict::wins);
}

// With twelve blocks it wins like any other: 12 of 12 are below 15 ms.
TEST(Contest, APointThatFallsApartWinsByItsBlocks) {
  Logs coin = twelve(5, 0.001);
  for (std::size_t i = 0; i < coin.size(); i += 3) coin[i] += std::log(2);
  const ContestResult result = decided({twelve(15), coin}, quiet(0));
  EXPECT_EQ(result.verdict, ContestVerdict::wins);
  EXPECT_TRUE(result.split);
}

TEST(Contest, GroupsAreATenthApartAndNarrow) {
  EXPECT_FALSE(split_of(logs({10})));
  EXPECT_FALSE(split_of(logs({10, 10.9})));
  EXPECT_TRUE(split_of(logs({10, 11.1})));
  EXPECT_FALSE(split_of(logs({10, 10.6, 11.8})));  // the gap is less than twice the rest
  EXPECT_TRUE(split_of(logs({10, 10.2, 11.8})));
  EXPECT_FALSE(split_of(logs({10, 10.1, 10.2, 15})));  // one of four is no group
  EXPECT_TRUE(split_of(logs({10, 10.1, 15, 15.1})));
}

// Each process differs by up to 1.3x, and the order of the two in each block decides: 1.1 apart.
TEST(Contest, BlocksDecideWhereProcessesDifferMore) {
  Logs a, b;
  for (int i = 0; i < 12; ++i) {
    const double block = 0.26 * std::sin(2.5 * i);
    a.push_back(std::log(0.010) + block + 0.003 * std::cos(i));
    b.push_back(std::log(0.011) + block);
  }
  const ProcessSpread none = quiet(0);
  const PairEvidence pair = weigh({.logs = a}, {.logs = b}, none, {});
  EXPECT_EQ(pair.verdict, PairVerdict::first_faster);
  EXPECT_GT(pair.ratio.low, 1.09);
  EXPECT_LT(pair.ratio.high, 1.11);
  EXPECT_EQ(weigh({.logs = b}, {.logs = a}, none, {}).verdict, PairVerdict::second_faster);
  EXPECT_EQ(decided({b, a}, none).verdict, ContestVerdict::wins);
  // Seven say the same, and are too few.
  const WayTimes seven_a{.logs = std::span(a).first(7)}, seven_b{.logs = std::span(b).first(7)};
  EXPECT_EQ(weigh(seven_a, seven_b, none, {}).verdict, PairVerdict::undecided);
  // Only blocks that both have are compared: of eight and eight four.
  const std::vector<std::uint32_t> first = {0, 1, 2, 3, 4, 5, 6, 7}, last = {4, 5, 6, 7, 8, 9, 10, 11};
  const WayTimes early{.logs = std::span(a).first(8), .blocks = first};
  const WayTimes late{.logs = std::span(b).last(8), .blocks = last};
  EXPECT_EQ(weigh(early, late, none, {}).verdict, PairVerdict::undecided);
}

// Nine blocks prove nothing by their signs at the alpha of a look, 2 / 2^9, so the centres have shown it.
TEST(Contest, TheBoundsAreThoseOfTheTestThatShowsTheDifference) {
  Logs half, whole;
  for (int i = 0; i < 9; ++i) {
    half.push_back(std::log(0.503 + 0.001 * std::sin(2.5 * i)));
    whole.push_back(std::log(1.003 + 0.002 * std::cos(2.5 * i)));
  }
  const EvidenceRules look{.alpha = 0.01 * kLookShare};
  const PairEvidence pair = weigh({.logs = half}, {.logs = whole}, quiet(20), look);
  EXPECT_EQ(pair.verdict, PairVerdict::first_faster);
  EXPECT_GT(pair.ratio.low, 1.98);
  EXPECT_LT(pair.ratio.high, 2.01);
  EXPECT_GT(weigh({.logs = whole}, {.logs = half}, quiet(20), look).ratio.low, 0.49);
  EXPECT_LT(weigh({.logs = whole}, {.logs = half}, quiet(20), look).ratio.high, 0.51);
}

// One of two equal points is disturbed in each block, and nothing notices it: neither wins.
TEST(Contest, WhatHitsOneOfTwoInEachBlockDecidesNothing) {
  for (const std::size_t processes : {2, 3, 5, 8, 12}) {
    const Counts counts =
        simulate({.world = World::one_in_each_block, .processes = processes, .rivals = 1}, 1000, 3);
    EXPECT_LE(counts.wins, 15U) << processes;
  }
}

// 99 % of the ratio lies within about 2 %: equal within that, not within the margin of 1 %.
TEST(Contest, NearPointsAreEqualWithinTheirBound) {
  const ContestResult result = decided({twelve(10, 0.012), twelve(10.01, 0.012)}, quiet(0));
  EXPECT_EQ(result.verdict, ContestVerdict::equal);
  EXPECT_GT(result.equal_within, 0.01);
  EXPECT_LT(result.equal_within, 0.03);
  const ContestResult close = decided({twelve(10, 0.002), twelve(10.01, 0.002)}, quiet(0));
  EXPECT_EQ(close.verdict, ContestVerdict::tied);
  EXPECT_LT(close.equal_within, 0.01);
  EXPECT_EQ(decided({twelve(10, 0.2), twelve(10.01, 0.2)}, quiet(0)).verdict, ContestVerdict::leads);
}

// 20 points of 6 processes that agree, the two that are asked about among them: g(6) = (2/3)^6 + (1/3)^6 =
// 0.0892, so that the risk of groups that these two do not show is 0.5 / (18 * 0.911 + 1) * 2 * 0.0892 =
// 0.5 %. With 8 points it is 1.4 %, and with 7 processes 0.9 %.
TEST(Contest, TiedIsShownNotAssumed) {
  const ProcessSpread spread = quiet(20, 6);
  const Logs a = logs({10, 10.005, 10.01, 10.004, 10.007, 10.003});
  const Logs b = logs({10.01, 10.004, 10.012, 10.006, 10.009, 10.011});
  WayTimes first{.logs = a}, second{.logs = b};
  EXPECT_EQ(weigh(first, second, spread, {}).verdict, PairVerdict::same);
  const PairEvidence open = weigh(first, second, quiet(8, 6), {});
  EXPECT_EQ(open.verdict, PairVerdict::undecided);
  EXPECT_EQ(open.processes_needed, 7U);
  // Memory has no such groups, so nothing else is required.
  EXPECT_EQ(weigh(first, second, quiet(0), {.hidden_groups = false}).verdict, PairVerdict::same);
  // Two noisy ones whose means agree: nothing is shown.
  const Logs c = logs({8, 10, 12, 9, 11, 10}), d = logs({9, 10, 12, 8, 11, 10});
  first.logs = c;
  second.logs = d;
  EXPECT_EQ(weigh(first, second, spread, {}).verdict, PairVerdict::undecided);
}

// The risk, by hand: g(3) = (2/3)^3 + (1/3)^3 = 1/3. Of 13 points of 3 processes two are the ones asked
// about; the other 11 count 2/3 each. One split point makes it three times as large.
TEST(Contest, TheRiskOfUnseenGroupsIsLearntFromOtherPoints) {
  EXPECT_NEAR(quiet(13).unseen_groups_risk(3, 3), 0.5 / (11 * 2 / 3.0 + 1) * 2 / 3, 1e-12);
  ProcessSpread shown;
  for (int i = 0; i < 12; ++i) shown.add(logs({1, 1.01, 1}), 0);
  shown.add_earlier(logs({5, 10, 5}));
  shown.fit();
  EXPECT_NEAR(shown.unseen_groups_risk(3, 3), 1.5 / (11 * 2 / 3.0 + 1) * 2 / 3, 1e-12);
  // g(2) = 5/9; 12 processes: (2/3)^12 = 0.8 %.
  EXPECT_NEAR(quiet(0).unseen_groups_risk(2, 2), 0.5 * 2 * 5 / 9, 1e-12);
  EXPECT_GT(quiet(0).unseen_groups_risk(11, 11), 0.01);
  EXPECT_LT(quiet(0).unseen_groups_risk(12, 12), 0.01);
}

// Its centre, trimmed, is that of the larger group.
TEST(Contest, APointThatFallsIntoGroupsIsTiedWithNothing) {
  const ProcessSpread spread = quiet(40, 10);
  const Logs steady = logs({5, 5.002, 5, 5.001, 5, 5.002, 5, 5.001, 5, 5});
  const Logs coin = logs({5, 5.002, 5, 10, 5, 5.002, 10, 5.001, 5, 5});
  EXPECT_EQ(decided({steady, steady}, spread).verdict, ContestVerdict::tied);
  EXPECT_EQ(decided({steady, coin}, spread).verdict, ContestVerdict::leads);
  const PairEvidence pair = weigh({.logs = steady}, {.logs = coin}, spread, {});
  EXPECT_EQ(pair.verdict, PairVerdict::undecided);
  EXPECT_EQ(pair.processes_needed, 0U);
}

// One of five at twice the time may be all that was seen of a second group; one of 20 may be an accident.
TEST(Contest, OneProcessFarOffKeepsAFewFromBeingTheSame) {
  const ProcessSpread spread = quiet(60, 10);
  const Logs five = logs({5, 5.002, 5, 5.001, 5}), with_one = logs({5, 5.002, 10, 5.001, 5});
  EXPECT_EQ(weigh({.logs = five}, {.logs = five}, spread, {}).verdict, PairVerdict::same);
  EXPECT_EQ(weigh({.logs = five}, {.logs = with_one}, spread, {}).verdict, PairVerdict::undecided);
  EXPECT_EQ(decided({five, with_one}, spread).verdict, ContestVerdict::leads);
  Logs many(20, std::log(0.005));
  many[7] = std::log(0.01);
  EXPECT_TRUE(lie_together(many));
  EXPECT_FALSE(lie_together(std::span(many).first(19)));
}

// A = 5 5 5 5 10 and B = 5 10 10 10 10 ms are equal coins that fell unlike; trimming drops the odd one of
// each, and 100 steady points say that processes do not differ. The ranks of these have p far above 0.8 %.
TEST(Contest, TwoCoinsAmongSteadyPointsAreNotToldApartByTrimmedBounds) {
  const ProcessSpread spread = quiet(100, 5);
  const Logs a = logs({5, 5.01, 5, 5.01, 10}), b = logs({5, 10, 10.01, 10, 10.01});
  const auto way = [&](const Logs& of) {
    return WayTimes{.logs = of, .expected = spread.expected(0, of[0])};
  };
  EXPECT_FALSE(centre_of(way(a)).steady);
  EXPECT_EQ(weigh(way(a), way(b), spread, {}).verdict, PairVerdict::undecided);
  EXPECT_EQ(decided({a, b}, spread).verdict, ContestVerdict::leads);
}

// A point of two groups is slower in both, in each of eight blocks.
TEST(Contest, EightBlocksBeatBothGroupsOfAnother) {
  const ProcessSpread spread = quiet(20, 5);
  const Logs steady = logs({4, 4.01, 4.02, 4, 4.01, 4, 4.02, 4.01});
  const Logs coin = logs({5, 5.02, 5.01, 10, 10.1, 5, 10, 5});
  EXPECT_EQ(weigh({.logs = steady}, {.logs = coin}, spread, {}).verdict, PairVerdict::first_faster);
  EXPECT_EQ(decided({coin, steady}, spread).verdict, ContestVerdict::wins);
  // Beyond the margin: 4.98 of the second is not 1 % slower than 4.95.
  const Logs near = logs({4.95, 4.9, 4.9, 4.9, 4.9, 4.9, 4.9, 4.9});
  const Logs by_less = logs({4.98, 5.02, 5.01, 10, 10.1, 5, 10, 5});
  EXPECT_EQ(weigh({.logs = near}, {.logs = by_less}, spread, {}).verdict, PairVerdict::undecided);
}

TEST(Contest, ASingleProcessDecidesNothing) {
  const ContestResult result = decided({logs({10}), logs({1000})}, quiet(50));
  EXPECT_EQ(result.verdict, ContestVerdict::leads);
  EXPECT_EQ(result.set.size(), 2U);
  EXPECT_GE(result.processes_needed, 2U);
}

// A disturbance only adds time: the first counts as it was measured, the second with the least that it may
// have taken.
TEST(Contest, ADisturbedProcessCountsWithTheLeastThatItMayHaveTaken) {
  const ProcessSpread spread = quiet(20);
  const std::vector<Logs> points = {logs({10, 10.05, 10.02}), logs({20, 20.1, 20.05})};
  EXPECT_EQ(decided(points, spread, {points[0], logs({15, 15.1, 15})}).verdict, ContestVerdict::wins);
  const ContestResult open = decided(points, spread, {points[0], logs({9, 9.1, 9})});
  EXPECT_EQ(open.verdict, ContestVerdict::leads);
  EXPECT_EQ(open.leader, 0U);
  EXPECT_EQ(open.set, (std::vector<std::size_t>{0, 1}));
  // A result that may have been even faster wins as measured.
  EXPECT_EQ(decided(points, spread, {logs({5, 5.1, 5}), points[1]}).verdict, ContestVerdict::wins);
  // Nothing is known of the least.
  EXPECT_EQ(decided(points, spread, {points[0], Logs(3, -HUGE_VAL)}).verdict, ContestVerdict::leads);
}

// Two processes that differ by 20 % have bounds a hundred times apart, which is no result.
TEST(Contest, BoundsThatSayNothingAreNotKnown) {
  EXPECT_EQ(bounds_of({.logs = logs({10, 12})}, 0.01).high, HUGE_VAL);
  EXPECT_LT(bounds_of({.logs = twelve(10)}, 0.01).high, 0.0103);
}

// Earlier sweeps say how far processes of one point lie apart, and how often points have groups at all: 500
// of three processes count 2/3 each. They do not say that all points of this sweep lack groups, and many
// quiet points of theirs do not hide what this sweep shows.
TEST(Contest, EarlierResultsCountForTheGapAndUnseenGroups) {
  ProcessSpread spread;
  for (int i = 0; i < 2; ++i) spread.add(logs({1, 1, 1}), 0);
  for (int i = 0; i < 500; ++i) spread.add_earlier(logs({1, 1.02, 1}));
  spread.fit();
  EXPECT_NEAR(std::exp(spread.gap()), 1.02, 1e-9);
  EXPECT_NEAR(spread.hidden_groups_risk(3), 2.0 / 8, 1e-12);
  EXPECT_NEAR(spread.unseen_groups_risk(3, 3), 0.5 / (500 * 2 / 3.0 + 1) * 2 / 3, 1e-12);
  EXPECT_EQ(spread.expected(0, 0).degrees, 0);
  ProcessSpread shown;
  shown.add(logs({1, 2, 1}), 0);
  for (int i = 0; i < 500; ++i) shown.add_earlier(logs({1, 1.02, 1}));
  shown.fit();
  EXPECT_NEAR(std::exp(shown.gap()), 2, 1e-9);
}

// Normal noise of variance v: the centre of four is known to v / 4, that of five, trimmed, to 1.15 v / 5.
TEST(Contest, WhatIsExpectedCountsOnTheScaleOfTheCentre) {
  const Logs four = logs({10, 10, 10, 10}), five = logs({10, 10, 10, 10, 10});
  const ExpectedVariance sure{0.01, 1e9};
  EXPECT_NEAR(centre_of({.logs = four, .expected = sure}).variance, 0.0025, 1e-9);
  EXPECT_NEAR(centre_of({.logs = five, .expected = sure}).variance, 0.0023, 1e-9);
}

TEST(Contest, AloneThereIsNothingToDecide) {
  EXPECT_EQ(decided({logs({10, 11})}, quiet(0)).verdict, ContestVerdict::alone);
}

// A smaller number of what `bench_evidence` counts: the limits are 1 % with a confidence of 95 %.
TEST(Contest, EqualWaysSeldomWin) {
  for (const World world : {World::normal, World::student, World::coin_even, World::coin_usual})
    for (const std::size_t processes : {2, 3, 5})
      for (const std::size_t rivals : {1, 2, 10}) {
        const Counts counts = simulate({.world = world, .processes = processes, .rivals = rivals}, 300, 1);
        EXPECT_LE(counts.wins, 8U) << name_of(world) << " " << processes << " " << rivals;
      }
}

// A sweep that ends by what is seen errs with a share of the limit at each look.
TEST(Contest, EqualWaysSeldomWinWhereASweepIsLookedAtWhileItRuns) {
  for (const World world : {World::normal, World::coin_even, World::one_in_each_block})
    for (const std::size_t rivals : {1, 2}) {
      const Counts counts =
          simulate({.world = world, .processes = 20, .rivals = rivals, .looks = {10, 13, 16, 20}}, 500, 1);
      EXPECT_LE(counts.wins, 10U) << name_of(world) << " " << rivals;
    }
  const Counts far =
      simulate({.spread = 0.03, .processes = 20, .rivals = 1, .advantage = 1.5, .looks = {10, 20}}, 100, 1);
  EXPECT_GE(far.right, 99U);
  EXPECT_EQ(far.processes, 1000U) << "ten of each decide";
}

TEST(Contest, ThreeCleanProcessesDecideInASweep) {
  const Counts counts =
      simulate({.spread = 0.03, .processes = 3, .rivals = 2, .advantage = 1.5, .others = 12}, 300, 1);
  EXPECT_GE(counts.right, 285U);
  EXPECT_EQ(counts.wins, counts.right);
}

TEST(Contest, AnUpperBoundIsThatOfClopperAndPearson) {
  EXPECT_NEAR(contests::upper_bound(0, 300), 1 - std::pow(0.05, 1.0 / 300), 1e-9);
  EXPECT_EQ(contests::upper_bound(3, 3), 1);
}

// 2 / 4^3 = 3 % is the risk of groups that nothing has shown while three processes are all that is known.
TEST(Contest, EqualPointsMayDifferByTheGapOrByGroupsThatNothingHasShown) {
  EXPECT_DOUBLE_EQ(gap_of(quiet(0), 3, {}), std::log(kHiddenRatio));
  EXPECT_DOUBLE_EQ(gap_of(quiet(20), 3, {}), std::log(1.01));
  EXPECT_DOUBLE_EQ(gap_of(quiet(0), 7, {}), std::log(kHiddenRatio));
  EXPECT_DOUBLE_EQ(gap_of(quiet(0), 8, {}), 0);
}

}  // namespace
}  // namespace kernsweep
