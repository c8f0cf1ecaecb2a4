// Verdicts from hand-made processes; every expectation is derived where it is made.
#include "results/answer/claims/claim_evidence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace kernsweep {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Logs = std::vector<double>;

Logs side(std::initializer_list<double> numbers) {
  Logs out;
  for (const double number : numbers) out.push_back(std::log(number));
  return out;
}

// Three processes 0.1 % apart around `median`.
Logs three(double median) {
  return side({median * 0.999, median, median * 1.001});
}
Logs five(double median) {
  return side({median * 0.998, median * 0.999, median, median * 1.001, median * 1.002});
}

// The other points of the sweep: thirty of three processes 0.1 % apart. So the gap is 0.2 %, groups that
// nothing has shown are no reason for a difference, and a point's processes are expected to vary by 0.1 %,
// which is known so well that the 99 % interval of a pair is about +-2.6 * sqrt(2 / 3) * 0.1 % = 0.2 %.
ProcessSpread calm() {
  ProcessSpread spread;
  for (int i = 0; i < 30; ++i) spread.add(three(1 + i), 0);
  spread.fit();
  return spread;
}
ProcessSpread unknown() {
  ProcessSpread spread;
  spread.fit();
  return spread;
}

struct Pairs {
  std::vector<Logs> sides;
  ProcessSpread spread = calm();
  void add(Logs first, Logs second) {
    sides.push_back(std::move(first));
    sides.push_back(std::move(second));
  }
  WayTimes way(std::size_t i) const {
    return {.logs = sides[i], .expected = spread.expected(0, sides[i][0])};
  }
  ClaimEvidence weighed(const ClaimRange& range = {}) const {
    std::vector<ClaimPair> pairs;
    for (std::uint32_t i = 0; i < sides.size(); i += 2) pairs.push_back({way(i), way(i + 1), i, i});
    return weigh_pairs(pairs, range, spread, {});
  }
};

const ClaimRange kAtLeastOneAndAHalf{1.5, kInfinity, true};
const ClaimRange kTwoToFour{2, 4, true};

// Twice as fast in the one pair there is: 2 +- 0.2 %.
TEST(ClaimEvidence, OneClearPairConfirms) {
  Pairs pairs;
  pairs.add(three(1), three(2));
  const ClaimEvidence found = pairs.weighed();
  EXPECT_EQ(found.verdict, ClaimVerdict::confirmed);
  EXPECT_NEAR(found.ratio, 2, 1e-12);
  EXPECT_GT(found.bounds.low, 1.99);
  EXPECT_LT(found.bounds.high, 2.01);
  EXPECT_EQ(found.pairs[0].stand, ClaimStand::in_favour);
}

TEST(ClaimEvidence, SlowerThanClaimedRefutes) {
  Pairs pairs;
  pairs.add(three(1), three(1.2));
  EXPECT_EQ(pairs.weighed().verdict, ClaimVerdict::confirmed);  // faster it is
  const ClaimEvidence found = pairs.weighed(kAtLeastOneAndAHalf);
  EXPECT_EQ(found.verdict, ClaimVerdict::refuted);  // but not by half
  EXPECT_EQ(found.against, 1u);
}

// Where nothing else is known of the host, three processes of each may lie in unlike groups, up to twice
// apart: no pair is against. The interval of the mean is narrow all the same, and lies outside the range.
TEST(ClaimEvidence, GroupsThatNothingHasShownAreNoPairAgainst) {
  Pairs pairs{.sides = {}, .spread = unknown()};
  pairs.add(three(1), three(0.6));
  EXPECT_EQ(pairs.weighed().against, 0u);
  Pairs far{.sides = {}, .spread = unknown()};
  far.add(three(1), three(0.4));
  EXPECT_EQ(far.weighed().against, 1u);
  Pairs many{.sides = {}, .spread = unknown()};
  many.add(five(1), five(0.6));  // the ranks of five and five cannot be chance
  EXPECT_EQ(many.weighed().against, 1u);
}

TEST(ClaimEvidence, FasterThanTheRangeSaysRefutesToo) {
  Pairs pairs;
  pairs.add(three(1), three(5));
  const ClaimEvidence found = pairs.weighed(kTwoToFour);
  EXPECT_EQ(found.verdict, ClaimVerdict::refuted);
  EXPECT_EQ(found.pairs[0].stand, ClaimStand::against);
}

// Twelve pairs, eleven of them 3 : 1, one 0.8 : 1. The mean is (3^11 * 0.8)^(1/12) = 2.687.
TEST(ClaimEvidence, OnePairAgainstIsEnoughToRefuteAndIsNamed) {
  Pairs pairs;
  for (int i = 0; i < 11; ++i) pairs.add(three(1), three(3));
  pairs.add(three(1), three(0.8));
  const ClaimEvidence found = pairs.weighed();
  EXPECT_EQ(found.verdict, ClaimVerdict::refuted);
  EXPECT_NEAR(found.ratio, std::pow(std::pow(3.0, 11) * 0.8, 1.0 / 12), 1e-9);
  EXPECT_GT(found.bounds.low, 1);  // as a whole it is as claimed
  EXPECT_EQ(found.against, 1u);
  EXPECT_EQ(found.pairs[11].stand, ClaimStand::against);
  EXPECT_NEAR(found.lowest, 0.8, 1e-9);
  EXPECT_NEAR(found.highest, 3, 1e-9);
}

// 0.8 of the time once, but its processes are 40 % apart: that is not known well enough to count against.
TEST(ClaimEvidence, ANoisyPairOnTheWrongSideDoesNotRefute) {
  Pairs pairs;
  for (int i = 0; i < 11; ++i) pairs.add(three(1), three(3));
  pairs.add(side({0.7, 1, 1.4}), side({0.55, 0.8, 1.2}));
  const ClaimEvidence found = pairs.weighed();
  EXPECT_EQ(found.verdict, ClaimVerdict::confirmed);
  EXPECT_EQ(found.against, 0u);
  EXPECT_EQ(found.outside, 1u);
  EXPECT_EQ(found.pairs[11].stand, ClaimStand::open);
}

// The ratio is 1.1, but the processes of both sides span a factor of two.
TEST(ClaimEvidence, NoiseLeavesItUndecided) {
  Pairs pairs;
  pairs.add(side({0.7, 1, 1.4}), side({0.8, 1.1, 1.6}));
  const ClaimEvidence found = pairs.weighed();
  EXPECT_EQ(found.verdict, ClaimVerdict::undecided);
  EXPECT_LT(found.bounds.low, 1);
  EXPECT_GT(found.bounds.high, 1.1);
}

// Not faster, not slower: 1 is not "more than 1", and no difference counts against it. With `by: 1` both
// ends of the interval would have to be 1 or more.
TEST(ClaimEvidence, ConstantEqualTimesAreUndecided) {
  Pairs pairs;
  pairs.add(side({1, 1, 1}), side({1, 1, 1}));
  const ClaimEvidence found = pairs.weighed();
  EXPECT_EQ(found.verdict, ClaimVerdict::undecided);
  EXPECT_EQ(found.ratio, 1);
  EXPECT_TRUE(std::isfinite(found.bounds.low) && std::isfinite(found.bounds.high));
  // 3 % slack on the other hand is kept: the interval is 1 +- 0.2 %.
  EXPECT_EQ(pairs.weighed({0.97, kInfinity, true}).verdict, ClaimVerdict::confirmed);
}

// 0.5 % too slow, and surely so: below the margin of 1 % nothing speaks against the claim, but the whole
// interval lies below 1, so that it is refuted as a whole.
TEST(ClaimEvidence, LessThanTheMarginIsNeverAgainst) {
  Pairs pairs;
  for (int i = 0; i < 6; ++i) pairs.add(three(1), three(0.995));
  const ClaimEvidence found = pairs.weighed();
  EXPECT_EQ(found.against, 0u);
  EXPECT_EQ(found.outside, 6u);
  EXPECT_LT(found.bounds.high, 1);
  EXPECT_EQ(found.verdict, ClaimVerdict::refuted);
}

// 1.2 1.4 1.6 1.8 2.0 in five pairs: the mean is about these pairs, and each is known to 0.2 %. That they
// differ does not widen its interval.
TEST(ClaimEvidence, TheMeanIsAboutThesePairs) {
  Pairs few;
  for (const double ratio : {1.2, 1.4, 1.6, 1.8, 2.0}) few.add(three(1), three(ratio));
  const ClaimEvidence found = few.weighed();
  EXPECT_NEAR(found.ratio, std::pow(1.2 * 1.4 * 1.6 * 1.8 * 2.0, 0.2), 1e-9);
  EXPECT_LT(found.bounds.high / found.bounds.low, 1.01);
  EXPECT_EQ(few.weighed(kAtLeastOneAndAHalf).verdict, ClaimVerdict::refuted);  // by 1.2 and 1.4
  EXPECT_EQ(few.weighed(kAtLeastOneAndAHalf).against, 2u);
}

TEST(ClaimEvidence, OneProcessOnASideDecidesNothing) {
  Pairs faster, slower;
  faster.add(side({1}), three(5));
  slower.add(three(5), side({1}));
  EXPECT_EQ(faster.weighed().verdict, ClaimVerdict::undecided);
  EXPECT_EQ(faster.weighed().single, 1U);
  EXPECT_EQ(slower.weighed().verdict, ClaimVerdict::undecided);
  EXPECT_EQ(slower.weighed().pairs[0].stand, ClaimStand::open);
  // Beside it a pair that is surely slower refutes; nothing beside it confirms.
  faster.add(three(1), three(5));
  EXPECT_EQ(faster.weighed().verdict, ClaimVerdict::undecided);
  faster.add(three(5), three(1));
  EXPECT_EQ(faster.weighed().verdict, ClaimVerdict::refuted);
  EXPECT_EQ(faster.weighed().against, 1U);
}

TEST(ClaimEvidence, ALevelIsAboutEveryPoint) {
  const ProcessSpread spread = calm();
  const auto weighed = [&](const std::vector<Logs>& levels) {
    std::vector<WayTimes> ways;
    for (const Logs& level : levels)
      ways.push_back({.logs = level, .expected = spread.expected(0, level[0])});
    return weigh_levels(ways, spread, {});
  };
  // 120, 130 and 140 % of what is claimed.
  const std::vector<Logs> good = {three(1.2), three(1.3), three(1.4)};
  EXPECT_EQ(weighed(good).verdict, ClaimVerdict::confirmed);
  // One at 90 %, surely.
  auto bad = good;
  bad.push_back(three(0.9));
  const ClaimEvidence refuted = weighed(bad);
  EXPECT_EQ(refuted.verdict, ClaimVerdict::refuted);
  EXPECT_EQ(refuted.against, 1u);
  EXPECT_NEAR(refuted.lowest, 0.9, 1e-12);
  EXPECT_EQ(refuted.pairs[3].stand, ClaimStand::against);
  EXPECT_LT(refuted.pairs[3].bounds.low, 0.9);
  EXPECT_GT(refuted.pairs[3].bounds.high, 0.9);
  EXPECT_LT(refuted.pairs[3].bounds.high, 0.91);
  // One at 90 %, but its processes reach from 60 to 130 %: unlike a ratio, that is not confirmed.
  auto noisy = good;
  noisy.push_back(side({0.6, 0.9, 1.3}));
  EXPECT_EQ(weighed(noisy).verdict, ClaimVerdict::undecided);
  // A level at its bound is open.
  EXPECT_EQ(weighed({three(1)}).verdict, ClaimVerdict::undecided);
}

TEST(ClaimEvidence, ALevelOfOneProcessDecidesNothing) {
  for (const double level : {0.01, 1.0, 100.0}) {
    const Logs one = side({level});
    const ClaimEvidence found = weigh_levels(std::vector<WayTimes>{{.logs = one}}, unknown(), {});
    EXPECT_EQ(found.verdict, ClaimVerdict::undecided);
    EXPECT_EQ(found.single, 1U);
    EXPECT_EQ(found.bounds.low, 0) << "nothing is known of its spread";
  }
}

}  // namespace
}  // namespace kernsweep
