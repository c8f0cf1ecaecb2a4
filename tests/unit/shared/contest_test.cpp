#include "shared/stats/contest.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/bench/evidence/contests.hpp"

namespace kernsweep {
namespace {

using Logs = std::vector<double>;
using contests::Counts;
using contests::simulate;
using contests::World;

// Of times in milliseconds.
Logs logs(const std::vector<double>& times) {
  Logs made;
  for (const double time : times) made.push_back(std::log(time / 1000));
  return made;
}

// A sweep whose other points have so many processes of 1, 1.01, 1 ms, ...
ProcessSpread quiet(std::size_t points, std::size_t processes = 3) {
  ProcessSpread spread;
  for (std::size_t i = 0; i < points; ++i) {
    Logs point(processes, 0.0);
    for (std::size_t p = 1; p < processes; p += 2) point[p] = std::log(1.01);
    spread.add(point, 0);
  }
  spread.fit();
  return spread;
}

ContestResult decided(const std::vector<Logs>& points, const ProcessSpread& spread,
                      const std::vector<char>& disturbed = {}) {
  std::vector<WayTimes> ways;
  for (std::size_t i = 0; i < points.size(); ++i) {
    WayTimes way{.logs = points[i], .expected = spread.expected(0, points[i][0])};
    if (!disturbed.empty() && disturbed[i] != 0) {
      way.disturbed = true;
      way.best_case_log = points[i].back();
    }
    ways.push_back(way);
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
  EXPECT_EQ(close.processes_needed, 4U);  // 2 / 4^4 = 0.8 %
  EXPECT_EQ(decided({logs({30, 30.2, 30.1}), logs({10, 10.1, 10.05})}, none).verdict, ContestVerdict::wins);
}

TEST(Contest, TheRiskOfHiddenGroupsIsThatOfUnlikePointsWhoseProcessesAgree) {
  ProcessSpread two;
  for (int i = 0; i < 2; ++i) two.add(logs({1, 1, 1}), 0);
  two.fit();
  // p = q = 1/2 is worst: 2 (1/2)^3 (1/2)^3.
  EXPECT_NEAR(two.hidden_groups_risk(3), 2.0 / 64, 1e-12);
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

// A coin of 5 or 10 ms is never called the winner of a steady 20 ms, and never loses against it.
TEST(Contest, APointThatFallsApartKeepsItsPlace) {
  const ContestResult result =
      decided({logs({20, 20.1, 20.05, 20.02}), logs({5, 10, 5.05, 10.1})}, quiet(20, 4));
  EXPECT_EQ(result.verdict, ContestVerdict::leads);
  EXPECT_EQ(result.leader, 1U);
  ASSERT_TRUE(result.split);
  EXPECT_EQ(result.split.fast, 2U);
  EXPECT_EQ(result.split.slow, 2U);
  EXPECT_NEAR(std::exp(result.split.fast_log) * 1000, 5.025, 0.01);
  EXPECT_NEAR(std::exp(result.split.slow_log) * 1000, 10.05, 0.01);
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

// Five against five, wholly apart: p = 2 / C(10, 5) = 0.0079. Each differs by less than the gap.
TEST(Contest, FiveProcessesDecideByTheirOrder) {
  ProcessSpread spread;
  for (int i = 0; i < 20; ++i) spread.add(logs({10, 11, 10, 11, 10}), 0);
  spread.fit();
  const WayTimes fast{.logs = {}, .expected = {}};
  const Logs a = logs({10, 10.01, 10.02, 10.03, 10.04}), b = logs({10.5, 10.51, 10.52, 10.53, 10.54});
  WayTimes first = fast, second = fast;
  first.logs = a;
  second.logs = b;
  const PairEvidence pair = weigh(first, second, spread, {});
  EXPECT_EQ(pair.verdict, PairVerdict::first_faster);
  EXPECT_GT(pair.ratio.low, 1.04);
  EXPECT_LT(pair.ratio.high, 1.06);
  EXPECT_EQ(weigh(second, first, spread, {}).verdict, PairVerdict::second_faster);
  // Four say the same, and are too few for that: the gap of 1.1 decides.
  first.logs = std::span(a).first(4);
  EXPECT_EQ(weigh(first, second, spread, {}).verdict, PairVerdict::undecided);
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
  // Of memory, which has no such groups, nothing else is asked.
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

// A leads by its order: 2 of 252. What is shown is a ratio above 1.01, whatever the bounds of a wild B say.
TEST(Weigh, WhatIsShownIsWithinTheBounds) {
  const ProcessSpread spread = quiet(20, 5);
  const Logs a = logs({5, 5.1, 5.2, 5.25, 5.3}), b = logs({5.6, 5.8, 12, 20, 30});
  const PairEvidence found = weigh({.logs = a}, {.logs = b}, spread, {});
  EXPECT_EQ(found.verdict, PairVerdict::first_faster);
  EXPECT_GE(found.ratio.low, 1.01);
  EXPECT_LE(weigh({.logs = b}, {.logs = a}, spread, {}).ratio.high, 1 / 1.01);
}

// 16 of 30 at 5 ms and 14 at 5.06 against the other way round: the centres agree within 1 %, the medians do
// not.
TEST(Contest, WaysWhoseMediansAreFurtherApartAreNotTheSame) {
  const ProcessSpread spread = quiet(40, 10);
  const auto two = [](std::size_t low) {
    Logs made(30, std::log(0.00506));
    for (std::size_t i = 0; i < low; ++i) made[i] = std::log(0.005);
    return made;
  };
  const Logs a = two(16), b = two(14);
  EXPECT_EQ(weigh({.logs = a}, {.logs = b}, spread, {}).verdict, PairVerdict::undecided);
}

// A point of two groups is slower in both: the exact test with the first made slower by 1 % has p = 2 /
// 252, though the bounds of the second, which hold both of its groups, reach far below.
TEST(Contest, FiveSteadyProcessesBeatBothGroupsOfAnother) {
  const ProcessSpread spread = quiet(20, 5);
  const Logs steady = logs({4, 4.01, 4.02, 4, 4.01}), coin = logs({5, 5.02, 5.01, 10, 10.1});
  EXPECT_EQ(weigh({.logs = steady}, {.logs = coin}, spread, {}).verdict, PairVerdict::first_faster);
  EXPECT_EQ(decided({coin, steady}, spread).verdict, ContestVerdict::wins);
  // Beyond the margin: 4.98 of the second is not 1 % slower than 4.95.
  const Logs near = logs({4.95, 4.9, 4.9, 4.9, 4.9}), by_less = logs({4.98, 5.02, 5.01, 10, 10.1});
  EXPECT_EQ(weigh({.logs = near}, {.logs = by_less}, spread, {}).verdict, PairVerdict::undecided);
}

TEST(Contest, ASingleProcessDecidesNothing) {
  const ContestResult result = decided({logs({10}), logs({1000})}, quiet(50));
  EXPECT_EQ(result.verdict, ContestVerdict::leads);
  EXPECT_EQ(result.set.size(), 2U);
  EXPECT_GE(result.processes_needed, 2U);
}

// A disturbed point never leads while there is another one, and leaves the set only if its fastest sample
// is slower than the leader.
TEST(Contest, ADisturbedPointMayBeTheBest) {
  const ProcessSpread spread = quiet(20);
  const std::vector<Logs> points = {logs({10, 10.05, 10.02}), logs({9, 9.1, 9.05}), logs({30, 30, 30})};
  const ContestResult result = decided(points, spread, {0, 1, 1});
  EXPECT_EQ(result.leader, 0U);
  EXPECT_EQ(result.verdict, ContestVerdict::doubtful);  // what is slower than another one does not lead
  EXPECT_EQ(result.set, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(result.processes_needed, 0U);  // more processes do not undo what has disturbed these
  // Slower by its median, and by its fastest sample maybe not.
  const std::vector<Logs> slower = {logs({10, 10.05, 10.02}), logs({11, 11, 9}), logs({30, 30, 30})};
  EXPECT_EQ(decided(slower, spread, {0, 1, 1}).verdict, ContestVerdict::leads);
  const std::vector<Logs> far = {logs({10, 10.05, 10.02}), logs({30, 30, 30})};
  EXPECT_EQ(decided(far, spread, {0, 1}).verdict, ContestVerdict::wins);
  EXPECT_EQ(decided(points, spread, {1, 1, 1}).verdict, ContestVerdict::doubtful);
  // Where all are disturbed, too: the fastest sample of the third is 9 ms.
  const std::vector<Logs> all = {logs({10, 10, 10}), logs({30, 30, 30}), logs({30, 30, 9})};
  EXPECT_EQ(decided(all, spread, {1, 1, 1}).set, (std::vector<std::size_t>{0, 2}));
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
  EXPECT_NEAR(spread.hidden_groups_risk(3), 2.0 / 64, 1e-12);
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
  EXPECT_DOUBLE_EQ(gap_of(quiet(0), 5, {}), 0);
}

// What `weigh` calls faster is what has p <= alpha, whichever side comes first.
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
  // One process tells nothing.
  const Logs one = logs({10});
  EXPECT_EQ(weigh(way(one), way(slow), spread, {}).p, 1);
}

// 5 of 10 ms below 5 of 20 ms, where the gap is 3: the ranks have p = 2 / 252, which could not be adjusted
// for two pairs. The bounds could for many.
TEST(Weigh, PIsThatOfTheBoundsWhereTheRanksAgree) {
  ProcessSpread wild;
  for (int i = 0; i < 20; ++i) wild.add(logs({10, 30, 10, 30, 10}), 0);
  wild.fit();
  const Logs fast = logs({10, 10.1, 10.2, 10.3, 10.4}), slow = logs({20, 20.1, 20.2, 20.3, 20.4});
  EXPECT_LT(weigh({.logs = fast}, {.logs = slow}, wild, {}).p, 1e-4);
  const Logs mixed = logs({10, 10.1, 10.2, 10.3, 20.05});
  // 20.05 ms made slower by 1 % lie above three of five: 7 of 252 orders are as far out, on either side.
  EXPECT_NEAR(weigh({.logs = mixed}, {.logs = slow}, wild, {}).p, 14.0 / 252 * 0.01 / kRankAlpha, 1e-9);
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
  EXPECT_LT(shown.p, 1e-6);                            // of the bounds; that of the signs is a condition
  const Logs five = logs({20, 20.1, 20.2, 20, 20.1});  // 2 / 2^5 is too much
  EXPECT_EQ(weigh({.logs = five}, std::log(0.014), wild, {}).verdict, PairVerdict::undecided);
}

}  // namespace
}  // namespace kernsweep
