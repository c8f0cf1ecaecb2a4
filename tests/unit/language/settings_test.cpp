// measure, verify, timeout, retry, overrides: defaults, values, bounds.
#include <gmock/gmock.h>

#include "language/file/replacements_text.hpp"
#include "language/file/setting.hpp"
#include "tests/unit/language/sweep_text.hpp"

namespace kernsweep::sweep_test {
namespace {

using testing::ElementsAre;

const std::string kSettingAxes = "axes: {m: [1, 2, 3]}\n";

TEST(Settings, WithoutAWordTheDefaultsHold) {
  const auto e = expansion_of(kSettingAxes);
  Rules usual;
  usual.retry.on_throttled = false;  // further processes take the place of a retry
  EXPECT_EQ(e.rules(0), usual);
  EXPECT_TRUE(expansion_of(kSettingAxes + "measure: {processes: 3}\n").rules(0).retry.on_throttled);
  EXPECT_TRUE(expansion_of(kSettingAxes + "retry: {for: [throttled]}\n").rules(0).retry.on_throttled);
  EXPECT_EQ(e.sweep().processes_least, 10u);
  EXPECT_EQ(e.sweep().processes, 20u);
  EXPECT_THAT(e.sweep().caches, ElementsAre(Cache::hot));
  EXPECT_EQ(e.sweep().order, Order::shuffle);
  EXPECT_EQ(e.sweep().hosts, Hosts::any);
  EXPECT_EQ(e.sweep().seed, 1u);
}

TEST(Settings, EveryKeyReachesItsRule) {
  const auto e = expansion_of(
      kSettingAxes +
      "measure:\n  cache: [cold, hot]\n  warmup: {min_runs: 4, min_time: 1ms, max_time: 2s}\n"
      "  samples: {min: 5, max: 6, min_time: 0, max_time: 1m}\n  stop: {noise: 2%, or_stable: false}\n"
      "  processes: 7\n  order: sequential\n  alone_on: numa\n"
      "  metric: latency\n  discard: {clock: 80%, share: 5%}\n  interference: 0\n"
      "verify: {reference: ref, tolerance: {f32: 1e-5}, repeat: 3, asked: fail}\n"
      "timeout: {setup: 500us, run: 2m, sweep: 4h}\nretry: {max: 1, for: [signal]}\n"
      "seed: 18446744073709551615\nhosts: each\ntags: {owner: infra, year: 2026}");
  const Rules rules = e.rules(0);
  EXPECT_EQ(rules.measure.warmup, (WarmupRules{4, 1ms, 2s}));
  EXPECT_EQ(rules.measure.samples, (SampleRules{5, 6, 0ms, 60s}));
  EXPECT_EQ(rules.measure.stop, (StopRules{0.02, false}));
  EXPECT_EQ(rules.measure.alone_on, Exclusion::numa);
  EXPECT_EQ(rules.measure.verify, (VerifyRules{true, "ref", {{"f32", 1e-5}}, 3, AskedRule::fail}));
  EXPECT_EQ(rules.measure.discard, (DiscardRules{0.8, 0.05}));
  EXPECT_EQ(rules.measure.metric, Metric::latency);
  EXPECT_EQ(rules.measure.interference, 0);
  EXPECT_EQ(rules.timeout, (TimeoutRules{500us, 120s, 300s, 4h}));
  EXPECT_EQ(rules.retry, (RetryRules{1, {Outcome::signal}, false}));
  EXPECT_EQ(e.sweep().processes, 7u);
  EXPECT_THAT(e.sweep().caches, ElementsAre(Cache::cold, Cache::hot));
  EXPECT_EQ(e.sweep().order, Order::sequential);
  EXPECT_EQ(e.sweep().hosts, Hosts::each);
  EXPECT_EQ(e.sweep().seed, UINT64_MAX);
  EXPECT_EQ(e.sweep().tags.at("year"), "2026");
}

TEST(Settings, VerifyIsSwitchedOffByOneWord) {
  EXPECT_FALSE(expansion_of(kSettingAxes + "verify: false").rules(0).measure.verify.enabled);
  EXPECT_TRUE(expansion_of(kSettingAxes + "verify: true").rules(0).measure.verify.enabled);
}

TEST(Settings, DurationsHaveUnits) {
  const std::pair<const char*, Duration> good[] = {{"100ms", 100ms}, {"3s", 3s},       {"2m", 2min},
                                                   {"4h", 4h},       {"500us", 500us}, {"7ns", 7ns},
                                                   {"0", 0ns},       {"1.5s", 1500ms}};
  for (const auto& [text, duration] : good) {
    const auto read = duration_of(text);
    ASSERT_TRUE(read) << text;
    EXPECT_EQ(*read, duration) << text;
  }
  EXPECT_EQ(duration_of("5").error().message, "'5' has no unit; write 5s or 5ms");
  EXPECT_EQ(duration_of("5d").error().message, "'5d' is not a duration; units are ns, us, ms, s, m, h");
  for (const char* text : {"", "s", "-1s", "1 s", "1ss", "nan", "inf", "1e400s", "9000h", "."}) {
    EXPECT_FALSE(duration_of(text)) << text;
  }
}

TEST(Settings, SharesArePercentagesOrFractions) {
  EXPECT_DOUBLE_EQ(share_of("0.5%").value(), 0.005);
  EXPECT_DOUBLE_EQ(share_of("0.005").value(), 0.005);
  EXPECT_DOUBLE_EQ(share_of("0").value(), 0);
  for (const char* text : {"", "%", "5", "101%", "-1%", "x"}) EXPECT_FALSE(share_of(text)) << text;
}

TEST(Settings, WrongKindsSayWhatIsExpected) {
  const auto error = [](const std::string& rest) { return error_of(kSettingAxes + rest); };
  EXPECT_EQ(error("measure: 3"), "s.yaml:5:10: measure takes a mapping of settings, not '3'");
  EXPECT_EQ(error("measure: {samples: {min: 3x}}"),
            "s.yaml:5:26: measure.samples.min takes a whole number, not '3x'");
  EXPECT_EQ(error("measure: {samples: {min: 0}}"),
            "s.yaml:5:26: measure.samples.min goes from 1 to 1000000000, not 0");
  EXPECT_EQ(error("measure: {processes: -1}"),
            "s.yaml:5:22: measure.processes takes a whole number, or a mapping with min and max, not '-1'");
  EXPECT_EQ(error("measure: {warmup: {min_time: 5}}"),
            "s.yaml:5:30: measure.warmup.min_time: '5' has no unit; write 5s or 5ms");
  EXPECT_EQ(error("measure: {stop: {or_stable: on}}"),
            "s.yaml:5:29: measure.stop.or_stable takes true or false, not 'on'");
  EXPECT_EQ(error("measure: {order: shuffel}"),
            "s.yaml:5:18: measure.order cannot be 'shuffel'; did you mean 'shuffle'?");
  EXPECT_EQ(error("measure: {cache: []}"), "s.yaml:5:18: measure.cache needs at least one of hot, cold");
  EXPECT_EQ(error("measure: {cache: [hot, hot]}"), "s.yaml:5:24: measure.cache: 'hot' appears twice");
  EXPECT_EQ(error("verify: no"), "s.yaml:5:9: verify takes true, false or a mapping, not 'no'");
  EXPECT_EQ(error("verify: {tolerance: {f32: x}}"),
            "s.yaml:5:27: verify.tolerance.f32 takes a number that is not negative, not 'x'");
  EXPECT_EQ(error("verify: {tolerance: {f23: 1}}"),
            "s.yaml:5:22: verify.tolerance: there is no data type 'f23'; did you mean 'f32'?");
  EXPECT_EQ(error("overrides: [{when: m == 1, set: {verify.tolerance.f23: 1}}]"),
            "s.yaml:5:34: verify.tolerance: there is no data type 'f23'; did you mean 'f32'?");
  EXPECT_EQ(error("retry: {for: [ok]}").substr(0, 40), "s.yaml:5:15: retry.for cannot be 'ok'; k");
  EXPECT_EQ(error("hosts: [any]"), "s.yaml:5:8: hosts takes one of any, each, not a list");
}

TEST(Settings, BoundsThatContradictEachOtherAreRefused) {
  EXPECT_EQ(error_of(kSettingAxes + "measure: {samples: {min: 9, max: 3}}"),
            "s.yaml:5:10: measure.samples.min (9) is above measure.samples.max (3)");
  EXPECT_EQ(error_of(kSettingAxes + "measure: {samples: {max_time: 200ms}}"),
            "s.yaml:5:10: measure.samples.min_time (500 ms) is above measure.samples.max_time (200 ms)");
}

TEST(Overrides, ChangeTheRulesOfTheirPointsOnly) {
  const auto e =
      expansion_of(kSettingAxes +
                   "overrides:\n- {when: m >= 2, set: {measure.samples.min: 3, timeout.run: 300s}}\n"
                   "- {when: m == 3, set: {measure.samples.min: 4, verify.tolerance.f32: 0.5}}");
  Point point;
  std::vector<std::uint32_t> numbers;
  for (std::uint64_t i = 0; i < 3; ++i) {
    e.point_at(i, point);
    numbers.push_back(e.rules_of(point));
  }
  EXPECT_THAT(numbers, ElementsAre(0, 1, 2));
  EXPECT_EQ(e.rules(0).measure, MeasureRules{});
  EXPECT_EQ(e.rules(1).measure.samples.min, 3u);
  EXPECT_EQ(e.rules(1).timeout.run, 300s);
  EXPECT_EQ(e.rules(2).measure.samples.min, 4u);  // the later entry wins
  EXPECT_EQ(e.rules(2).timeout.run, 300s);
  EXPECT_EQ(e.rules(2).measure.verify.tolerance.at("f32"), 0.5);
}

TEST(Overrides, EqualRulesHaveEqualNumbers) {
  const auto e = expansion_of(kSettingAxes + "overrides: [{when: m == 2, set: {measure.samples.min: 10}}]");
  Point point;
  e.point_at(1, point);
  EXPECT_EQ(e.rules_of(point), 0u);  // 10 is the default
}

TEST(Overrides, OnlyWhatBelongsToOnePointCanDiffer) {
  EXPECT_EQ(error_of(kSettingAxes + "overrides: [{when: m == 2, set: {measure.processes: 5}}]"),
            "s.yaml:5:34: 'measure.processes' applies to the whole sweep and cannot differ between points");
  EXPECT_EQ(error_of(kSettingAxes + "overrides: [{when: m == 2, set: {measure.sample.min: 5}}]"),
            "s.yaml:5:34: there is no setting 'measure.sample.min'; did you mean 'measure.samples.min'?");
  EXPECT_EQ(error_of(kSettingAxes + "overrides: [{when: m == 2, set: {timeout.run: 5}}]"),
            "s.yaml:5:47: timeout.run: '5' has no unit; write 5s or 5ms");
}

TEST(Overrides, TogetherTheyNeverPutAMinimumAboveItsMaximum) {
  const auto e = expansion_of(kSettingAxes +
                              "overrides:\n- {when: m == 2, set: {measure.samples.min: 50}}\n"
                              "- {when: m == 2, set: {measure.samples.max: 20}}");
  Point point;
  e.point_at(1, point);
  const Rules rules = e.rules(e.rules_of(point));
  EXPECT_EQ(rules.measure.samples.min, 20u);
  EXPECT_EQ(rules.measure.samples.max, 20u);
}

// How many processes a sweep has that does not say it, and how long a program is then measured.
std::string with_points(int count) {
  return "axes: {i: {range: [1, " + std::to_string(count) + "]}}\n";
}

std::uint32_t processes_with(const std::string& rest, const Replacements& replacements = {}) {
  return expansion_of(rest, replacements).sweep().processes;
}

// A sweep of a program that is given `i`.
Result<Expansion> sort_sweep(const std::string& rest, const Replacements& replacements = {}) {
  return Expansion::parse("sweep: 1\nname: p\ncommand: sort -n {i}\n" + rest, "", replacements);
}

const SampleRules kShort{1, 2000, 100ms, 100ms};

TEST(Blocks, AreTenToTwentyOfAtMostEightPointsAndThreeOfMore) {
  EXPECT_EQ(processes_with(with_points(1)), 20u);
  EXPECT_EQ(processes_with(with_points(8)), 20u);
  EXPECT_EQ(processes_with(with_points(9)), 3u);
  EXPECT_EQ(processes_with(with_points(8) + "include: [{i: 77}]\n"), 3u);
}

TEST(Blocks, PointsThatAreRejectedDoNotCount) {
  EXPECT_EQ(processes_with(with_points(4000) + "constraints: [i % 500 == 1]\n"), 20u);
  EXPECT_EQ(processes_with(with_points(4000) + "constraints: [i % 500 < 2]\n"), 3u);
  Replacements few;
  few.only = "i <= 8";
  EXPECT_EQ(processes_with(with_points(100), few), 20u);
  EXPECT_EQ(processes_with(with_points(1'000'000), few), 3u) << "a large sweep is not counted";
}

TEST(Blocks, WhatTheFileSaysHolds) {
  EXPECT_EQ(processes_with(with_points(2) + "measure: {processes: 5}\n"), 5u);
  Replacements given;
  given.settings = {"measure.processes=20"};
  EXPECT_EQ(processes_with(with_points(2), given), 20u);
  Replacements quick;
  quick.quick = true;
  EXPECT_EQ(processes_with(with_points(2), quick), 1u);
}

// Its jobs have the numbers of three processes, or of twelve.
TEST(Blocks, ASweepThatAnEarlierVersionHasStoredKeepsItsOwn) {
  EXPECT_EQ(processes_with(with_points(2), replacements_of("order shuffle\n")), 3u);
  EXPECT_EQ(processes_with(with_points(2), replacements_of("order shuffle\nsmall_sweeps\n")), 12u);
  EXPECT_EQ(processes_with(with_points(2), replacements_of(text_of(Replacements{}))), 20u);
}

TEST(Blocks, OfAProgramTakeASecondTogether) {
  const auto rules = [](const std::string& rest, const Replacements& replacements = {}) {
    return sort_sweep(rest, replacements)->rules(0).measure;
  };
  EXPECT_EQ(rules(with_points(2)).samples, kShort);
  EXPECT_EQ(rules(with_points(2)).warmup, (WarmupRules{1, 20ms, 100ms}));
  EXPECT_EQ(rules(with_points(9)).samples, SampleRules{});
  for (const auto& [processes, each] : {std::pair("5", 200ms), {"1", 1000ms}}) {
    const SampleRules samples = rules(with_points(2) + "measure: {processes: " + processes + "}\n").samples;
    EXPECT_EQ(samples.min_time, each) << processes;
    EXPECT_EQ(samples.max_time, each) << processes;
  }
  Replacements quick;
  quick.quick = true;
  EXPECT_NE(rules(with_points(2), quick).samples.min_time, 1000ms);
  EXPECT_EQ(rules(with_points(2) + "measure: {processes: 20}\n").samples, kShort)
      << "so that more processes take over those that are there";
  EXPECT_EQ(rules(with_points(2) + "measure: {metric: latency}\n").samples, SampleRules{});
  EXPECT_EQ(expansion_of(with_points(2)).rules(0).measure.samples, SampleRules{}) << "of a kernel";
}

TEST(Blocks, WhoSaysHowToSampleSaysItAll) {
  for (const char* said :
       {"measure: {samples: {min: 7}}", "measure: {stop: {noise: 1%}}", "measure: {warmup: {min_runs: 2}}",
        "overrides: [{when: i == 1, set: {measure.samples.min_time: 2s}}]"}) {
    const auto e = sort_sweep(with_points(2) + said + "\n");
    ASSERT_TRUE(e) << said << e.error().message;
    EXPECT_EQ(e->rules(0).measure.samples.max_time, 15s) << said;
    EXPECT_EQ(e->sweep().processes_least, 10u) << said;
  }
}

TEST(Blocks, AReplayHasTheRulesOfItsSweep) {
  Replacements one;
  one.point = 1;
  for (const int count : {2, 9}) {
    const auto whole = sort_sweep(with_points(count)), replayed = sort_sweep(with_points(count), one);
    ASSERT_TRUE(whole && replayed);
    EXPECT_EQ(whole->sweep().processes, replayed->sweep().processes);
    EXPECT_EQ(whole->rules(0), replayed->rules(0));
    EXPECT_EQ(replayed->raw_points(), 1u);
  }
}

}  // namespace
}  // namespace kernsweep::sweep_test
