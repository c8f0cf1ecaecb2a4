#include "worker/slot/measure/stopping_rule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <span>
#include <vector>

#include "worker/slot/measure/median_interval.hpp"

namespace kernsweep {
namespace {

using Reason = StoppingRule::Reason;

struct End {
  Reason reason = Reason::none;
  std::uint64_t at = 0;  // samples taken
};
bool operator==(const End& a, const End& b) {
  return a.reason == b.reason && a.at == b.at;
}
std::ostream& operator<<(std::ostream& out, const End& end) {
  return out << name_of(end.reason) << " at sample " << end.at;
}

// Gives samples until the rule says stop, 5000 at most; each takes a second of the clock.
End end_of(const SampleRules& samples, const StopRules& stop, const std::function<double(int)>& sample) {
  StoppingRule rule(samples, stop);
  for (int i = 0; i < 5000; ++i) {
    const Reason reason = rule.add(sample(i), 1s);
    EXPECT_EQ(rule.count(), static_cast<std::uint64_t>(i + 1));
    if (reason != Reason::none) return {reason, rule.count()};
  }
  return {};
}

constexpr Duration kForever = std::chrono::hours(1000);
const SampleRules kFree{1, 100'000, 0s, kForever};

// 9, 11, and then 10 for ever. The interval of the median is the whole range up to 8 samples, so its half
// is 1 of 10; from the second lowest to the second highest of 9 samples it is 10 to 10.
double nine_eleven_ten(int i) {
  return i == 0 ? 9 : i == 1 ? 11 : 10;
}

TEST(StoppingRuleTest, EndsWhenTheErrorOfTheMedianIsAtMostTheLimit) {
  SampleRules samples = kFree;
  samples.min = 3;
  EXPECT_EQ(end_of(samples, {0.099, false}, nine_eleven_ten), (End{Reason::noise, 9}));
  EXPECT_EQ(end_of(samples, {0.1, false}, nine_eleven_ten), (End{Reason::noise, 3}));
}

// A program that now and then takes twice as long has a known median; its standard deviation is 40 %.
TEST(StoppingRuleTest, ATailDoesNotKeepTheMedianFromBeingKnown) {
  const auto tail = [](int i) { return i % 5 == 4 ? 2.0 : 1.0 + 0.001 * (i % 3); };
  EXPECT_EQ(end_of(kFree, {0.005, false}, tail).reason, Reason::noise);
  EXPECT_LE(end_of(kFree, {0.005, false}, tail).at, 20u);
}

// The header's sentence, word for word.
TEST(StoppingRuleTest, LooksWhenThereAreATwentiethMore) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    std::mt19937 random(seed);
    std::vector<double> values;
    for (int i = 0; i < 5000; ++i) values.push_back(1 + static_cast<double>(random() % 1000) / 3e4);
    std::uint64_t look = 10;
    while (median_error(std::span(values).first(look)) > 0.001)
      look += std::max<std::uint64_t>(1, look / 20);
    SampleRules samples = kFree;
    samples.min = 10;
    const auto at = [&](int i) { return values[static_cast<std::size_t>(i)]; };
    EXPECT_EQ(end_of(samples, {0.001, false}, at), (End{Reason::noise, look})) << "seed " << seed;
    EXPECT_GT(look, 100u);
  }
}

TEST(StoppingRuleTest, TellsTheErrorOfTheMedian) {
  StoppingRule rule(kFree, {0, false});
  EXPECT_EQ(rule.noise(), 0);
  rule.add(9, 1s);
  EXPECT_EQ(rule.noise(), 0) << "one sample has none";
  rule.add(11, 1s);
  EXPECT_DOUBLE_EQ(rule.noise(), 0.1);
}

TEST(StoppingRuleTest, WaitsForTheMinimumOfSamplesAndOfTime) {
  SampleRules samples = kFree;
  samples.min = 20;
  EXPECT_EQ(end_of(samples, {0.05, false}, nine_eleven_ten), (End{Reason::noise, 20}));
  samples.min_time = 33s;  // a second each
  EXPECT_EQ(end_of(samples, {0.05, false}, nine_eleven_ten), (End{Reason::noise, 33}));
}

TEST(StoppingRuleTest, CapOnSamplesEndsANoisyRun) {
  SampleRules samples = kFree;
  samples.min = 2;
  samples.max = 5;
  EXPECT_EQ(end_of(samples, {0.05, false}, nine_eleven_ten), (End{Reason::max_samples, 5}));
}

TEST(StoppingRuleTest, CapOnTimeCutsTheMinimumShort) {
  SampleRules samples = kFree;
  samples.min = 10;
  samples.max_time = 3s;
  EXPECT_EQ(end_of(samples, {0.05, true}, nine_eleven_ten), (End{Reason::max_time, 3}));
}

TEST(StoppingRuleTest, CapOnTimeLeavesOneSample) {
  SampleRules samples = kFree;
  samples.min = 10;
  samples.max_time = 1ms;  // the first sample alone takes a second
  EXPECT_EQ(end_of(samples, {0.05, true}, nine_eleven_ten), (End{Reason::max_time, 1}));
}

TEST(StoppingRuleTest, ARuleThatAsksForOneSampleIsContentWithIt) {
  EXPECT_EQ(end_of(kFree, {0.005, true}, nine_eleven_ten), (End{Reason::noise, 1}));
}

TEST(StoppingRuleTest, NoiseOfZeroMeansNeverByNoise) {
  SampleRules samples = kFree;
  samples.max = 300;
  EXPECT_EQ(end_of(samples, {0, false}, [](int) { return 1.0; }), (End{Reason::max_samples, 300}));
}

// Equal samples have a spread of 0 from the second on: 64 that do not change at all after 65 samples.
TEST(StoppingRuleTest, StabilityNeedsSixtyFourSpreads) {
  EXPECT_EQ(end_of(kFree, {0, true}, [](int) { return 1.0; }), (End{Reason::stable, 65}));
  SampleRules samples = kFree;
  samples.min = 100;
  EXPECT_EQ(end_of(samples, {0, true}, [](int) { return 1.0; }), (End{Reason::stable, 100}));
}

double mean_of(const std::vector<double>& x) {
  double sum = 0;
  for (const double each : x) sum += each;
  return sum / static_cast<double>(x.size());
}

// n - 1 in the denominator, in two passes.
double relative_deviation(const std::vector<double>& x) {
  const double mean = mean_of(x);
  double squares = 0;
  for (const double each : x) squares += (each - mean) * (each - mean);
  return std::sqrt(squares / static_cast<double>(x.size() - 1)) / mean;
}

// The header's sentence, word for word and without any running sum.
End settled_by_definition(const std::function<double(int)>& sample) {
  std::vector<double> samples;
  std::vector<double> noises;
  for (int i = 0; i < 5000; ++i) {
    samples.push_back(sample(i));
    if (samples.size() < 2) continue;
    noises.push_back(relative_deviation(samples));
    if (noises.size() > 512) noises.erase(noises.begin());
    if (noises.size() >= 64 && relative_deviation(noises) < 0.05) return {Reason::stable, samples.size()};
  }
  return {};
}

TEST(StoppingRuleTest, StopsWhereTheDefinitionOfStabilityDoes) {
  const auto alternating = [](int i) { return i % 2 ? 3.0 : 1.0; };
  // Steps far apart: the noise rises at each of them and settles late, beyond the 512 noises that are kept.
  const auto steps = [](int i) {
    return i < 100 ? 1.0 + 0.01 * (i % 7) : i < 400 ? 2.0 + 0.01 * (i % 5) : 5.0;
  };
  const auto rising = [](int i) { return 1.0 + 0.001 * i * i; };
  const auto alone = end_of(kFree, {0, true}, alternating);
  EXPECT_EQ(alone, settled_by_definition(alternating));
  EXPECT_GE(alone.at, 65u);
  const auto late = settled_by_definition(steps);
  EXPECT_GT(late.at, 512u) << "this case must reach the sliding of the window";
  EXPECT_EQ(end_of(kFree, {0, true}, steps), late);
  EXPECT_EQ(end_of(kFree, {0, true}, rising), settled_by_definition(rising));
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::vector<double> values;
    std::mt19937 random(seed);
    for (int i = 0; i < 5000; ++i)
      values.push_back(1e-3 * (1 + static_cast<double>(random() % 1000) / 1e3));
    const auto at = [&](int i) { return values[static_cast<std::size_t>(i)]; };
    EXPECT_EQ(end_of(kFree, {0, true}, at), settled_by_definition(at)) << "seed " << seed;
  }
}

TEST(StoppingRuleTest, ReasonsHaveTheNamesThatAreStored) {
  EXPECT_EQ(name_of(Reason::noise), "noise");
  EXPECT_EQ(name_of(Reason::stable), "stable");
  EXPECT_EQ(name_of(Reason::max_samples), "max_samples");
  EXPECT_EQ(name_of(Reason::max_time), "max_time");
}

}  // namespace
}  // namespace kernsweep
