// Verdicts from hand-made processes; every expectation is derived where it is made.
#include "results/answer/claim_evidence.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

namespace kernsweep {
namespace {

using testing::AllOf;
using testing::Ge;
using testing::Le;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using Processes = std::vector<ProcessTime>;

Processes side(std::initializer_list<double> medians) {
  Processes out;
  for (const double median : medians) out.push_back({median, 0, 0});
  return out;
}

// Three processes 0.1 % apart around `median`: the spread is 0.1 %, so that a pair's 99 % interval is
// about +- t(0.01, 4) * sqrt(2/3) * 0.1 % = 4.6 * 0.08 % = 0.4 %.
Processes three(double median) {
  return side({median * 0.999, median, median * 1.001});
}

struct Pairs {
  std::vector<Processes> sides;
  void add(Processes first, Processes second) {
    sides.push_back(std::move(first));
    sides.push_back(std::move(second));
  }
  ClaimEvidence weighed(const ClaimRange& range = {}) const {
    std::vector<ClaimPair> pairs;
    for (std::uint32_t i = 0; i < sides.size(); i += 2) pairs.push_back({sides[i], sides[i + 1], i, i});
    return weigh_pairs(pairs, range, {});
  }
};

const ClaimRange kAtLeastOneAndAHalf{1.5, kInfinity, true};
const ClaimRange kTwoToFour{2, 4, true};

// Twice as fast in the one pair there is: 2 +- 0.4 %.
TEST(ClaimEvidence, OneClearPairConfirms) {
  Pairs pairs;
  pairs.add(three(1), three(2));
  const ClaimEvidence found = pairs.weighed();
  EXPECT_EQ(found.verdict, ClaimVerdict::confirmed);
  EXPECT_DOUBLE_EQ(found.ratio, 2);
  EXPECT_GT(found.bounds.low, 1.98);
  EXPECT_LT(found.bounds.high, 2.02);
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
  // 3 % slack on the other hand is kept: the interval is 1 +- 0.4 %.
  EXPECT_EQ(pairs.weighed({0.97, kInfinity, true}).verdict, ClaimVerdict::confirmed);
}

// 0.5 % too slow, and surely so (0.4 % is the half-width of the interval of one pair; six agree): below the
// threshold of 1 % nothing speaks against the claim, but the whole interval lies below 1.
TEST(ClaimEvidence, LessThanTheThresholdIsNeverAgainst) {
  Pairs pairs;
  for (int i = 0; i < 6; ++i) pairs.add(three(1), three(0.995));
  const ClaimEvidence found = pairs.weighed();
  EXPECT_EQ(found.against, 0u);
  EXPECT_EQ(found.outside, 6u);
}

// Five pairs 1.2 1.4 1.6 1.8 2.0: their spread says nothing about the interval of the mean, each one's own
// does. Ten such pairs: it is drawn from the pairs, and is wider than that.
TEST(ClaimEvidence, FromSixPairsOnTheIntervalIsDrawnFromThem) {
  Pairs few, many;
  for (const double ratio : {1.2, 1.4, 1.6, 1.8, 2.0}) few.add(three(1), three(ratio));
  for (int i = 0; i < 2; ++i)
    for (const double ratio : {1.2, 1.4, 1.6, 1.8, 2.0}) many.add(three(1), three(ratio));
  const ClaimEvidence five = few.weighed(), ten = many.weighed();
  EXPECT_NEAR(five.ratio, ten.ratio, 1e-9);
  EXPECT_LT(five.bounds.high / five.bounds.low, 1.02);
  EXPECT_GT(ten.bounds.high / ten.bounds.low, 1.1);
  EXPECT_THAT(ten.bounds.low, AllOf(Ge(1.2), Le(ten.ratio)));
  EXPECT_THAT(ten.bounds.high, AllOf(Ge(ten.ratio), Le(2.0)));
  // The same numbers give the same interval.
  EXPECT_EQ(many.weighed().bounds.low, ten.bounds.low);
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

// Three pairs of equal truth, processes 1 % apart: "more than once" is neither right nor wrong. At 99 % one
// of a hundred verdicts may be a wrong one; of 300 about 3, and more than 12 (p < 1e-4) would be too many.
TEST(ClaimEvidence, EqualTimesAreSeldomTakenForDifferent) {
  std::mt19937_64 engine(7);
  std::normal_distribution<double> normal;
  int decided = 0;
  for (int trial = 0; trial < 300; ++trial) {
    Pairs pairs;
    for (int pair = 0; pair < 3; ++pair) {
      Processes first, second;
      for (int process = 0; process < 3; ++process) {
        first.push_back({std::exp(0.01 * normal(engine)), 0, 0});
        second.push_back({std::exp(0.01 * normal(engine)), 0, 0});
      }
      pairs.add(first, second);
    }
    if (pairs.weighed().verdict != ClaimVerdict::undecided) ++decided;
  }
  EXPECT_LE(decided, 12);
}

TEST(ClaimEvidence, ALevelIsAboutEveryPoint) {
  // 120, 130 and 140 % of what is claimed.
  const std::vector<std::vector<double>> good = {{1.2, 1.201, 1.199}, {1.3, 1.3, 1.301}, {1.4, 1.4, 1.4}};
  EXPECT_EQ(weigh_levels(good, {}).verdict, ClaimVerdict::confirmed);
  // One at 90 %, surely.
  auto bad = good;
  bad.push_back({0.9, 0.901, 0.899});
  const ClaimEvidence refuted = weigh_levels(bad, {});
  EXPECT_EQ(refuted.verdict, ClaimVerdict::refuted);
  EXPECT_EQ(refuted.against, 1u);
  EXPECT_DOUBLE_EQ(refuted.lowest, 0.9);
  // One at 90 %, but its processes reach from 60 to 130 %: unlike a ratio, that is not confirmed.
  auto noisy = good;
  noisy.push_back({0.6, 0.9, 1.3});
  EXPECT_EQ(weigh_levels(noisy, {}).verdict, ClaimVerdict::undecided);
}

TEST(ClaimEvidence, ALevelOfOneProcessDecidesNothing) {
  for (const double level : {0.01, 1.0, 100.0}) {
    const ClaimEvidence found = weigh_levels(std::vector<std::vector<double>>{{level}}, {});
    EXPECT_EQ(found.verdict, ClaimVerdict::undecided);
    EXPECT_EQ(found.single, 1U);
    EXPECT_LT(found.bounds.low, level) << "an interval is still told, of an assumed spread";
  }
}

TEST(ClaimEvidence, ALevelAtItsBoundIsOpen) {
  EXPECT_EQ(weigh_levels(std::vector<std::vector<double>>{{1, 1, 1}}, {}).verdict, ClaimVerdict::undecided);
}

}  // namespace
}  // namespace kernsweep
