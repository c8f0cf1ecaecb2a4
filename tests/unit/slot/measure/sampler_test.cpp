#include "worker/slot/measure/sampler.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/slot/measure/sampling_rules.hpp"
#include "tests/unit/slot/watch/fake_gauges.hpp"

namespace kernsweep {
namespace {

// A variant that counts its calls, fails at one of them, and optionally has a clock of its own.
struct Counted {
  std::uint64_t calls = 0;
  std::uint64_t fails_at = 0;  // 0: never
  double elapsed_s = 0.125;
};

ks_status run(void* state) {
  auto& counted = *static_cast<Counted*>(state);
  return ++counted.calls == counted.fails_at ? KS_FAILED : KS_OK;
}
double elapsed(void* state) {
  return static_cast<Counted*>(state)->elapsed_s;
}

ks_variant host_timed() {
  ks_variant variant{};
  variant.run = run;
  return variant;
}
ks_variant self_timed() {
  ks_variant variant = host_timed();
  variant.elapsed = elapsed;
  return variant;
}

const BetweenCalls kNever{[] { ADD_FAILURE() << "a hot measurement keeps its caches"; }, {}};

TEST(TimerCost, IsAPlausibleTime) {
  EXPECT_GT(timer_cost(), 1e-10);
  EXPECT_LT(timer_cost(), 1e-3);
  EXPECT_EQ(timer_cost(), timer_cost()) << "measured once";
}

TEST(Sampler, CallsTheKernelForWarmUpAndSamplesAndNoMore) {
  Counted counted;
  const Samples samples = sample(host_timed(), &counted, rules_for(5), kNever);
  EXPECT_EQ(samples.status, KS_OK);
  EXPECT_GE(samples.warmup_runs, 2u) << "and what was too short for a sample";
  EXPECT_EQ(samples.seconds.size(), 5u);
  EXPECT_EQ(counted.calls, samples.warmup_runs + 5 * samples.calls);
  EXPECT_GT(samples.calls, 1u) << "an empty call is far shorter than a reading of the clock";
  EXPECT_EQ(samples.stopped_by, "max_samples");
  for (const double each : samples.seconds) EXPECT_GT(each, 0);
}

// A variant whose first call takes 20 ms and each other one nothing.
struct LateStarter {
  std::uint64_t calls = 0;
};
ks_variant late_starter() {
  ks_variant variant{};
  variant.run = [](void* state) {
    const Instant begun = monotonic_now();
    if (++static_cast<LateStarter*>(state)->calls == 1) {
      while (monotonic_now() - begun < 20ms) {
      }
    }
    return KS_OK;
  };
  return variant;
}

// The mean of the warm-up would be 20, 10 or 4 ms, and one call a sample.
TEST(Sampler, ASlowFirstCallDoesNotDecideHowManyCallsMakeASample) {
  for (const std::uint64_t runs : {1u, 2u, 5u}) {
    LateStarter starter;
    MeasureRules rules = rules_for(3);
    rules.warmup = {runs, 0s, 10s};
    const Samples samples = sample(late_starter(), &starter, rules, kNever);
    EXPECT_GT(samples.calls, 1000u) << runs;
    EXPECT_EQ(samples.seconds.size(), 3u);
    EXPECT_EQ(starter.calls, samples.warmup_runs + 3 * samples.calls);
    EXPECT_GE(samples.warmup_s, 20e-3);
  }
}

// Blocks that are long enough were too short by nothing: the first three of a size are looked at.
TEST(Sampler, ReadingTheClockTakesLessThanATenThousandthOfASample) {
  Counted counted;
  const Samples samples = sample(host_timed(), &counted, rules_for(3), kNever);
  if (samples.calls == kCallsMax) GTEST_SKIP() << "this machine counts faster than its clock is read";
  for (const double each : samples.seconds)
    EXPECT_LT(timer_cost(), kTimerShare * each * static_cast<double>(samples.calls));
  EXPECT_GT(samples.timer_share, 0);
  EXPECT_LT(samples.timer_share, kTimerShare);
}

TEST(Sampler, TellsWhatTheClockTakesOfSamplesThatMayNotBeLonger) {
  Counted counted;
  MeasureRules rules = rules_for(3);
  rules.warmup.min_runs = 9;
  rules.samples.max_time = 1us;
  const Samples samples = sample(host_timed(), &counted, rules, kNever);
  EXPECT_GT(samples.calls, 1u);
  EXPECT_GT(samples.timer_share, kTimerShare) << "a microsecond is no ten thousand readings";
}

TEST(Sampler, WarmUpEndsWithItsTimeButRunsOnce) {
  Counted counted;
  MeasureRules rules = rules_for(1);
  rules.warmup = {1'000'000'000, 0s, 0s};
  EXPECT_EQ(sample(self_timed(), &counted, rules, kNever).warmup_runs, 1u);
}

TEST(Sampler, WarmUpLastsForItsTime) {
  Counted counted;
  MeasureRules rules = rules_for(1);
  rules.warmup = {1, 50ms, 10s};  // longer than a busy machine keeps one call from its core
  const Samples samples = sample(self_timed(), &counted, rules, kNever);
  EXPECT_GE(samples.warmup_s, 50e-3);
  EXPECT_GT(samples.warmup_runs, 1u);
}

TEST(Sampler, WithoutWarmUpASampleIsOneCall) {
  Counted counted;
  MeasureRules rules = rules_for(3);
  rules.warmup = {0, 0s, 10s};
  const Samples samples = sample(host_timed(), &counted, rules, kNever);
  EXPECT_EQ(samples.warmup_runs, 0u);
  EXPECT_EQ(counted.calls, 3u);
  EXPECT_EQ(samples.timer_share, 0) << "nobody asked for more than a look";
}

TEST(Sampler, AFailingWarmUpEndsIt) {
  Counted counted{0, 2};
  const Samples samples = sample(host_timed(), &counted, rules_for(5), kNever);
  EXPECT_EQ(samples.status, KS_FAILED);
  EXPECT_TRUE(samples.seconds.empty());
  EXPECT_EQ(counted.calls, 2u);
}

TEST(Sampler, AFailingCallEndsIt) {
  Counted counted{0, 2 + 3};  // the third sample
  const Samples samples = sample(self_timed(), &counted, rules_for(5), kNever);
  EXPECT_EQ(samples.status, KS_FAILED);
  EXPECT_EQ(samples.seconds.size(), 2u);
  EXPECT_EQ(counted.calls, 5u);
}

TEST(Sampler, ColdEmptiesTheCachesBeforeEachSampleOfOneCall) {
  Counted counted;
  MeasureRules rules = rules_for(4);
  rules.cache = Cache::cold;
  std::vector<std::uint64_t> calls_before;
  const Samples samples =
      sample(host_timed(), &counted, rules, {[&] { calls_before.push_back(counted.calls); }, {}});
  EXPECT_EQ(samples.calls, 1u);
  EXPECT_EQ(calls_before, (std::vector<std::uint64_t>{2, 3, 4, 5}));
  EXPECT_EQ(counted.calls, 6u);
}

// Sorting in place: a call on what the former one has left would be another computation.
TEST(Sampler, WritesBackWhatCallsOverwriteBeforeEachOfThem) {
  for (const Cache cache : {Cache::hot, Cache::cold}) {
    Counted counted;
    MeasureRules rules = rules_for(4);
    rules.cache = cache;
    std::vector<std::uint64_t> restored, emptied;
    const Samples samples = sample(host_timed(), &counted, rules,
                                   {[&] {
                                      EXPECT_EQ(restored.back(), counted.calls) << "written back first";
                                      emptied.push_back(counted.calls);
                                    },
                                    [&] { restored.push_back(counted.calls); }});
    EXPECT_EQ(samples.status, KS_OK);
    EXPECT_EQ(samples.calls, 1u) << "also hot";
    EXPECT_EQ(restored, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5})) << "warm-up too";
    EXPECT_EQ(emptied.size(), cache == Cache::cold ? 4u : 0u);
    EXPECT_EQ(counted.calls, 6u);
  }
}

TEST(Sampler, TakesNothingFromTheQueueThatNeedsItsOperandsWrittenBack) {
  Counted counted;
  QueuedRuns queued;
  queued.run_many = [](void*, std::uint64_t) { return KS_FAILED; };
  queued.runs_max = 1000;
  const Samples samples = sample(self_timed(), &counted, rules_for(3), {{}, [] {}}, nullptr, queued);
  EXPECT_EQ(samples.status, KS_OK);
  EXPECT_EQ(samples.calls, 1u);
}

TEST(Sampler, SeveralStatesTakeTurnsAndNothingIsEmptied) {
  Counted counted[3];
  void* const states[] = {&counted[0], &counted[1], &counted[2]};
  MeasureRules rules = rules_for(4);
  rules.cache = Cache::cold;
  const Samples samples = sample(host_timed(), std::span<void* const>(states), rules, kNever);
  const std::uint64_t calls = samples.warmup_runs + 4 * samples.calls;
  EXPECT_GT(samples.calls, 1u) << "cold by themselves";
  EXPECT_EQ(counted[0].calls + counted[1].calls + counted[2].calls, calls);
  EXPECT_EQ(counted[0].calls, (calls + 2) / 3);
  EXPECT_EQ(counted[2].calls, calls / 3);
}

TEST(Sampler, ADevicesOwnClockIsBelieved) {
  Counted counted;
  const Samples samples = sample(self_timed(), &counted, rules_for(3), kNever);
  EXPECT_EQ(samples.seconds, (std::vector<double>{0.125, 0.125, 0.125}));
  EXPECT_EQ(samples.calls, 1u);
  EXPECT_EQ(samples.noise, 0);
}

TEST(Sampler, AnImpossibleElapsedTimeIsAFailure) {
  for (const double impossible : {0.0, 0.9e-12, -1e-9, std::numeric_limits<double>::quiet_NaN(),
                                  std::numeric_limits<double>::infinity()}) {
    Counted counted{0, 0, impossible};
    const Samples samples = sample(self_timed(), &counted, rules_for(3), kNever);
    EXPECT_EQ(samples.status, KS_FAILED) << impossible;
    EXPECT_TRUE(samples.seconds.empty());
  }
}

TEST(Sampler, AnImpossibleElapsedTimeIsToldInWords) {
  Counted counted{0, 0, 0};
  EXPECT_EQ(sample(self_timed(), &counted, rules_for(3), kNever).why,
            "the kernel's own clock said 0 s for a call");
  counted = {0, 2 + 1};
  EXPECT_EQ(sample(self_timed(), &counted, rules_for(3), kNever).why, "")
      << "the call failed, not the clock";
}

TEST(Sampler, APicosecondIsATime) {
  Counted counted{0, 0, 1e-12};
  EXPECT_EQ(sample(self_timed(), &counted, rules_for(3), kNever).seconds.size(), 3u);
}

// The device says 0.125 s a call; the watch's clock passes 2 ms with each look.
struct PassingGauges : testing_slot::FakeGauges {
  Instant now() override { return time = time + 2ms; }
};

TEST(Sampler, AWatchedSectionTellsItsConditions) {
  Counted counted;
  PassingGauges gauges;
  double best = 0;
  MeasureRules rules = rules_for(3);
  SectionWatch watch(gauges, rules, 1, best);
  const Samples samples = sample(self_timed(), &counted, rules, kNever, &watch);
  ASSERT_TRUE(samples.conditions);
  EXPECT_EQ(samples.seconds.size(), 3u);
  EXPECT_EQ(samples.stopped_by, "max_samples");
  EXPECT_EQ(samples.conditions->samples_taken, 3u);
  EXPECT_EQ(samples.warmup_runs, 2u) << "without a time to warm up nothing is waited for";
}

// Blocks that were too short are neither samples nor left out.
TEST(Sampler, AWatchedSectionStartsOverWithMoreCalls) {
  LateStarter starter;
  testing_slot::FakeGauges gauges;
  double best = 0;
  MeasureRules rules = rules_for(3);
  rules.warmup = {1, 0s, 10s};
  SectionWatch watch(gauges, rules, 1, best);
  const Samples samples = sample(late_starter(), &starter, rules, kNever, &watch);
  EXPECT_GT(samples.calls, 1000u);
  EXPECT_EQ(samples.seconds.size(), 3u);
  ASSERT_TRUE(samples.conditions);
  EXPECT_EQ(samples.conditions->samples_taken, 3u);
  EXPECT_EQ(starter.calls, samples.warmup_runs + 3 * samples.calls);
}

// A variant that does something to the gauges with one of its calls.
struct Shaking {
  PassingGauges gauges;
  std::uint64_t shakes_at = 0;
  std::function<void(PassingGauges&)> shake;
  std::uint64_t calls = 0;
};

Samples sample_cold(Shaking& shaking, std::uint64_t samples, const std::function<void()>& evict) {
  ks_variant variant{};
  variant.run = [](void* state) {
    auto& shaken = *static_cast<Shaking*>(state);
    if (++shaken.calls == shaken.shakes_at) shaken.shake(shaken.gauges);
    return KS_OK;
  };
  variant.elapsed = [](void*) { return 0.125; };
  double best = 0;
  MeasureRules rules = rules_for(samples);
  rules.cache = Cache::cold;
  SectionWatch watch(shaking.gauges, rules, 1, best);
  return sample(variant, &shaking, rules, {evict, {}}, &watch);
}

TEST(Sampler, WhatHappensWhileTheCachesAreEmptiedDisturbsNothing) {
  Shaking shaking;
  const Samples samples = sample_cold(shaking, 5, [&] {
    ++shaking.gauges.reading.involuntary_switches;
    ++shaking.gauges.reading.cpu;
    shaking.gauges.host->own_steal_s += 1;
  });
  ASSERT_TRUE(samples.conditions);
  EXPECT_EQ(listed(samples.conditions->causes), "");
  EXPECT_EQ(samples.seconds.size(), 5u);
}

// The third sample of five is a fifth of them, which may be left out: the caches were emptied around it, so
// the others have nothing to do with it.
TEST(Sampler, ADisturbanceOfOneColdCallCostsThatSampleAlone) {
  Shaking shaking;
  shaking.shakes_at = 2 + 3;
  shaking.shake = [](PassingGauges& gauges) { ++gauges.reading.involuntary_switches; };
  Samples samples = sample_cold(shaking, 5, [] {});
  EXPECT_EQ(listed(samples.conditions->causes), "switched 1");
  EXPECT_EQ(samples.seconds.size(), 4u);
  shaking.calls = 0;
  shaking.shake = [](PassingGauges& gauges) { gauges.host->own_steal_s += 0.01; };
  samples = sample_cold(shaking, 5, [] {});
  EXPECT_EQ(listed(samples.conditions->causes), "steal 1");
}

// Every probe is a call: probes 1 to 4 differ, 5 to 9 agree.
TEST(Sampler, AWatchedWarmUpGoesOnUntilTheClockIsStable) {
  Counted counted;
  PassingGauges gauges;
  gauges.clock = [](int probe) { return probe < 5 ? 1.0 * probe : 3.0; };
  double best = 0;
  MeasureRules rules = rules_for(3);
  rules.warmup = {1, 1ns, 60s};
  SectionWatch watch(gauges, rules, 1, best);
  // Five probes after each call: the first five differ, the next ones are equal.
  EXPECT_EQ(sample(self_timed(), &counted, rules, kNever, &watch).warmup_runs, 2u);
}

TEST(Sampler, AWatchedWarmUpEndsWithItsTimeAllTheSame) {
  Counted counted;
  PassingGauges gauges;
  gauges.clock = [](int probe) { return probe % 2 ? 1.0 : 3.0; };
  double best = 0;
  MeasureRules rules = rules_for(3);
  rules.warmup = {1, 1ns, 1ms};
  SectionWatch watch(gauges, rules, 1, best);
  const Samples samples = sample(self_timed(), &counted, rules, kNever, &watch);
  EXPECT_EQ(samples.seconds.size(), 3u);
  EXPECT_FALSE(samples.conditions->clock_stable);
}

TEST(Sampler, AFailingCallEndsAWatchedSectionToo) {
  Counted counted{0, 4};
  PassingGauges gauges;
  double best = 0;
  MeasureRules rules = rules_for(3);
  SectionWatch watch(gauges, rules, 1, best);
  const Samples samples = sample(self_timed(), &counted, rules, kNever, &watch);
  EXPECT_EQ(samples.status, KS_FAILED);
  EXPECT_TRUE(samples.seconds.empty());
}

TEST(Sampler, LatencySamplesAreSingleCallsOfHotCaches) {
  Counted counted;
  MeasureRules rules = rules_for(4);
  rules.metric = Metric::latency;
  const Samples samples = sample(host_timed(), &counted, rules, kNever);
  EXPECT_EQ(samples.calls, 1u);
  EXPECT_EQ(counted.calls, 6u);
  EXPECT_GT(samples.timer_share, kTimerShare) << "an empty call is shorter than ten thousand readings";
  EXPECT_EQ(samples.warmup_runs, 2u) << "nothing is to be found out";
}

TEST(Sampler, StopsByTheNoiseRule) {
  Counted counted;
  MeasureRules rules = rules_for(10);
  rules.samples = {4, 1000, 0s, 60s};
  rules.stop = {0.005, false};
  const Samples samples = sample(self_timed(), &counted, rules, kNever);
  EXPECT_EQ(samples.stopped_by, "noise");
  EXPECT_EQ(samples.seconds.size(), 4u) << "equal samples have no noise: the minimum is enough";
}

}  // namespace
}  // namespace kernsweep
