#include "shared/stats/comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <vector>

namespace kernsweep {
namespace {

using Times = std::vector<ProcessTime>;

Times times(const std::vector<double>& medians) {
  Times made;
  for (const double median : medians) made.push_back({median, 0, 0});
  return made;
}

// Logarithms of noise around `centre`, normal, from a seed.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : engine_(seed) {}
  Times around(double centre, double spread, std::size_t count) {
    Times made;
    for (std::size_t i = 0; i < count; ++i) made.push_back({centre * std::exp(spread * normal()), 0, 0});
    return made;
  }

 private:
  double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) / 9007199254740992.0; }
  double normal() {
    return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform());
  }
  std::mt19937_64 engine_;
};

TimeDifference differ(const Times& a, const Times& b, std::size_t comparisons = 1) {
  const auto difference = difference_of(a, b, {.resamples = 199}, comparisons);
  EXPECT_TRUE(difference);
  return difference.value_or(TimeDifference{});
}
TimeVerdict judged(const Times& a, const Times& b) {
  const TimeDifference difference = differ(a, b);
  return verdict_of(difference, difference.p, {});
}

// Logarithms -0.01, 0, 0.01 on both sides, B moved by log 2. Deviation 0.01, so the variance of each mean
// is 0.0001 / 3, of their difference 0.0002 / 3, with 2 + 2 degrees of freedom. t(0.995; 4) = 4.6041: half
// = 4.6041 * sqrt(0.0002 / 3) = 0.037592.
TEST(Comparison, OfThreeProcessesIsWelchsTestOfLogarithms) {
  const double e = std::exp(0.01);
  const TimeDifference d = differ(times({1, e, 1 / e}), times({2 * e, 2, 2 / e}));
  EXPECT_EQ(d.method, CompareMethod::trimmed);
  EXPECT_DOUBLE_EQ(d.ratio, 2);
  EXPECT_NEAR(std::log(d.bounds.low), std::log(2.0) - 0.037592, 1e-6);
  EXPECT_NEAR(std::log(d.bounds.high), std::log(2.0) + 0.037592, 1e-6);
  EXPECT_LT(d.p, 1e-6);  // t = 0.693 / 0.008165 = 85
  EXPECT_EQ(d.processes_a, 3U);
}

// Five numbers: the outermost are trimmed, so the slow one (x 100) does not count. Winsorised logarithms
// -0.01, -0.01, 0, 0.01, 0.01: squares 0.0004 / (3 * 2), degrees 2; the same twice: 4 degrees.
// half = 4.6041 * sqrt(2 * 0.0004 / 6) = 0.053163.
TEST(Comparison, ADisturbedProcessOfFiveIsTrimmed) {
  const double e = std::exp(0.01);
  const TimeDifference d = differ(times({1, e, 1 / e, 100, 0.9}), times({2, 2 * e, 2 / e, 1.8, 200}), 2);
  EXPECT_EQ(d.method, CompareMethod::trimmed);
  EXPECT_NEAR(std::log(d.bounds.high / d.ratio), 0.053163, 1e-6);
  EXPECT_LT(d.p, 0.001);
}

// 5 against 5 could give 2 / 252 = 0.0079, but with one process astray not less than 0.095 (U = 5). 9
// against 9 with one astray: U = 9, p = 0.0040, enough for one or two comparisons at 1 %, not for three.
TEST(Comparison, RanksAreUsedWhereOneDisturbedProcessDoesNotSpoilThem) {
  std::vector<double> low, high;
  for (int i = 0; i < 9; ++i) low.push_back(1 + 0.01 * i), high.push_back(1.2 + 0.01 * i);
  const TimeDifference nine = differ(times(low), times(high), 1);
  EXPECT_EQ(nine.method, CompareMethod::ranks);
  EXPECT_NEAR(nine.p, 2.0 / 48620, 1e-12);  // C(18, 9) = 48620
  EXPECT_LE(nine.bounds.low, nine.ratio);
  EXPECT_GT(nine.bounds.low, 1.2 / 1.08 - 1e-12);
  EXPECT_EQ(differ(times(low), times(high), 2).method, CompareMethod::ranks);
  EXPECT_EQ(differ(times(low), times(high), 3).method, CompareMethod::trimmed);
  low.resize(5), high.resize(5);
  EXPECT_EQ(differ(times(low), times(high), 1).method, CompareMethod::trimmed);
  low[2] = 9;
  EXPECT_LE(differ(times(low), times(high), 1).p, 0.01) << "the disturbed one is trimmed";
}

TEST(Comparison, VerdictsFollowTheRules) {
  const Times base = times({1, 1.001, 0.999, 1.0005, 0.9995});
  const auto scaled = [&](double by) {
    Times all = base;
    for (ProcessTime& each : all) each.median_s *= by;
    return all;
  };
  EXPECT_EQ(judged(base, base), TimeVerdict::same);
  EXPECT_EQ(judged(base, scaled(1.03)), TimeVerdict::slower);
  EXPECT_EQ(judged(base, scaled(0.97)), TimeVerdict::faster);
  EXPECT_EQ(judged(base, scaled(1.005)), TimeVerdict::same) << "certain, but of no interest";
  EXPECT_EQ(judged(times({1, 1.2, 0.8, 1.1, 0.9}), times({1, 1.2, 0.8, 1.1, 0.9})), TimeVerdict::ambiguous)
      << "a difference of 3 % would not have been seen";
}

// Threshold 0.01, resolution 3: the bounds of SAME are 1 / 1.03 and 1.03, of FASTER 1 / 1.01.
TEST(Comparison, VerdictAtTheEdges) {
  TimeDifference d{.ratio = 1.01, .bounds = {0.98, 1.03}, .p = 1e-9};
  EXPECT_EQ(verdict_of(d, 1e-9, {}), TimeVerdict::same);
  d.bounds.high = 1.0301;
  EXPECT_EQ(verdict_of(d, 1e-9, {}), TimeVerdict::ambiguous);
  d.ratio = 1.0101;
  EXPECT_EQ(verdict_of(d, 0.01, {}), TimeVerdict::slower);
  EXPECT_EQ(verdict_of(d, 0.0101, {}), TimeVerdict::ambiguous) << "the adjusted p decides";
  d = {.ratio = 1 / 1.0101, .bounds = {0.9, 1.0}, .p = 0};
  EXPECT_EQ(verdict_of(d, 0, {}), TimeVerdict::faster);
  EXPECT_EQ(verdict_of(d, 0, {.threshold = 0.02}), TimeVerdict::ambiguous) << "0.9 is below 1 / 1.06";
}

// One process on a side: whatever the ratio, and however many the other side has.
TEST(Comparison, OfASingleProcessSaysNothing) {
  const Times many = times({1, 1.001, 0.999, 1.0005, 0.9995});
  for (const double factor : {1.0, 1.05, 2.0, 1e6}) {
    EXPECT_EQ(judged(times({1}), times({factor})), TimeVerdict::ambiguous) << factor;
    EXPECT_EQ(judged(many, times({factor})), TimeVerdict::ambiguous) << factor;
    EXPECT_EQ(judged(times({factor}), many), TimeVerdict::ambiguous) << factor;
  }
  EXPECT_TRUE(too_few_processes(differ(many, times({1}))));
  EXPECT_FALSE(too_few_processes(differ(many, times({1, 1}))));
  EXPECT_FALSE(too_few_processes({})) << "the same stored measurements";
  // The interval is still told, as that of an assumed spread of 3 %.
  EXPECT_GT(differ(times({1}), times({2})).bounds.low, 1);
}

TEST(Comparison, OfTwoProcessesFindsLargeDifferences) {
  EXPECT_EQ(judged(times({1, 1.001}), times({1.5, 1.501})), TimeVerdict::slower);
}

// The median of 4 samples with MAD 0.2 is known to 1.2533 * 1.4826 * 0.2 / 2 = 18.6 %.
TEST(Comparison, SpreadWithinAProcessCountsWhenProcessesHappenToAgree) {
  const Times noisy = {{1, 0.2, 4}, {1, 0.2, 4}};
  EXPECT_EQ(judged(noisy, times({1.2, 1.2})), TimeVerdict::ambiguous);
  EXPECT_EQ(judged(times({1, 1}), times({1.2, 1.2})), TimeVerdict::slower);
}

TEST(Comparison, OfConstantsAndOfNumbersCloseTogetherStaysFinite) {
  for (const auto& [a, b] : {std::pair(times({0.5, 0.5}), times({0.5, 0.5})),
                             std::pair(times({1e9 - 1, 1e9, 1e9 + 1}), times({1e9 + 1, 1e9, 1e9 - 1})),
                             std::pair(times(std::vector<double>(9, 2)), times(std::vector<double>(7, 2))),
                             std::pair(times({1e-300, 1e300}), times({1e300, 1e-300})),
                             std::pair(times({1e-9}), times({1, 1e9}))}) {
    const TimeDifference d = differ(a, b);
    for (const double each : {d.ratio, d.bounds.low, d.bounds.high, d.p}) EXPECT_TRUE(std::isfinite(each));
    EXPECT_LE(d.bounds.low, d.ratio);
    EXPECT_GE(d.bounds.high, d.ratio);
  }
  EXPECT_EQ(judged(times({1e9 - 1, 1e9, 1e9 + 1}), times({1e9 + 1, 1e9, 1e9 - 1})), TimeVerdict::same);
  EXPECT_EQ(judged(times({0.5, 0.5, 0.5}), times({0.5, 0.5, 0.5})), TimeVerdict::same);
}

TEST(Comparison, WhatIsNoTimeIsLeftOut) {
  EXPECT_FALSE(difference_of({}, times({1}), {}, 1));
  EXPECT_FALSE(difference_of(times({NAN, 0, -1, INFINITY}), times({1}), {}, 1));
  const TimeDifference d = differ(times({1, NAN, 1, 0, 1}), times({2, 2, 2}));
  EXPECT_EQ(d.processes_a, 3U);
  EXPECT_DOUBLE_EQ(d.ratio, 2);
}

// Both sides from one distribution: p <= 0.01 in about 1 % of 4,000 trials (deviation 0.16 %), and never
// more than that when a difference must also exceed the threshold.
TEST(Comparison, ChanceIsCalledADifferenceAsOftenAsAlphaSays) {
  for (const std::size_t processes : {2, 3, 5, 7, 10}) {
    Noise noise(processes);
    int wrong = 0;
    for (int trial = 0; trial < 4000; ++trial)
      wrong += differ(noise.around(1, 0.02, processes), noise.around(1, 0.02, processes)).p <= 0.01 ? 1 : 0;
    EXPECT_LT(wrong, 60) << processes << " processes";
  }
}

// 3 % slower, processes that differ by 0.3 %: found with three processes and with more.
TEST(Comparison, ASmallDifferenceIsFoundWhereProcessesAgree) {
  for (const std::size_t processes : {3, 5, 10}) {
    Noise noise(processes);
    int found = 0;
    for (int trial = 0; trial < 200; ++trial)
      found += judged(noise.around(1, 0.003, processes), noise.around(1.03, 0.003, processes)) ==
                       TimeVerdict::slower
                   ? 1
                   : 0;
    EXPECT_GE(found, 190) << processes << " processes";
  }
}

}  // namespace
}  // namespace kernsweep
