// Samples of a device that takes calls from a queue.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "tests/unit/slot/measure/sampling_rules.hpp"
#include "worker/slot/measure/sampler.hpp"

namespace kernsweep {
namespace {

// A device whose calls take `each_s`, by its own clock, and which takes them from a queue.
struct OwnClock {
  double each_s = 2e-6;
  std::uint64_t single = 0, queued = 0, blocks = 0, last = 1;
};
ks_variant by_its_own_clock() {
  ks_variant variant{};
  variant.run = [](void* state) {
    auto& device = *static_cast<OwnClock*>(state);
    ++device.single;
    device.last = 1;
    return KS_OK;
  };
  variant.elapsed = [](void* state) {
    const auto& device = *static_cast<OwnClock*>(state);
    return device.each_s * static_cast<double>(device.last);
  };
  return variant;
}
const QueuedRuns kQueued = {[](void* state, std::uint64_t runs) {
                              auto& device = *static_cast<OwnClock*>(state);
                              device.queued += runs;
                              ++device.blocks;
                              device.last = runs;
                              return KS_OK;
                            },
                            128, 0.5e-6};

Samples sampled(OwnClock& device, const MeasureRules& rules = rules_for(5)) {
  const BetweenCalls nothing_to_empty{[] {}, {}};
  return sample(by_its_own_clock(), &device, rules, nothing_to_empty, nullptr, kQueued);
}

TEST(QueuedSamples, ADeviceTakesShortCallsFromAQueueUntilItsClockIsFineEnough) {
  for (const auto& [each_s, calls] : {std::pair{20e-6, 32u}, {2e-6, 128u}, {1e-3, 1u}}) {
    OwnClock device{.each_s = each_s};
    const Samples samples = sampled(device);
    EXPECT_EQ(samples.status, KS_OK);
    EXPECT_GE(samples.calls, calls) << each_s;
    EXPECT_LE(samples.calls, calls == 1 ? 1 : std::min(calls * 5 / 4 + 1, 128u)) << each_s;
    ASSERT_EQ(samples.seconds.size(), 5u);
    for (const double each : samples.seconds) EXPECT_DOUBLE_EQ(each, each_s);
    EXPECT_EQ(device.single, 2u) << "the warm-up";
    EXPECT_EQ(samples.warmup_runs + 5 * samples.calls, device.single + device.queued);
  }
}

TEST(QueuedSamples, LatenciesAndFirstCallsOfADeviceAreSingleCallsThatBeginAtOnce) {
  MeasureRules latency = rules_for(5), first = rules_for(1);
  latency.metric = Metric::latency;
  first.warmup = {0, 0s, 0s};
  for (const auto& [rules, calls] : {std::pair{latency, 7u}, {first, 1u}}) {
    OwnClock device;
    EXPECT_EQ(sampled(device, rules).calls, 1u);
    EXPECT_EQ(device.queued, 0u);
    EXPECT_EQ(device.single, calls);
  }
}

TEST(QueuedSamples, AColdDeviceIsHeldForEachCall) {
  OwnClock device;
  MeasureRules rules = rules_for(5);
  rules.cache = Cache::cold;
  EXPECT_EQ(sampled(device, rules).calls, 1u);
  EXPECT_EQ(device.blocks, 5u);
  EXPECT_EQ(device.queued, 5u);
}

TEST(QueuedSamples, ADevicesClockThatIsNoNumberEndsTheQueueToo) {
  for (const double each_s : {std::numeric_limits<double>::quiet_NaN(), 0.0}) {
    OwnClock device{.each_s = each_s};
    EXPECT_EQ(sampled(device).status, KS_FAILED) << each_s;
  }
}

// A program may measure itself more than once in a run.
struct Repeated {
  std::vector<double> own = {0.5, 0.25, 0.75};
  std::uint64_t calls = 0;
};

Samples sample_repeated(Repeated& repeated, std::uint64_t most) {
  ks_variant variant{};
  variant.run = [](void* state) {
    ++static_cast<Repeated*>(state)->calls;
    return KS_OK;
  };
  variant.elapsed = [](void*) { return 0.5; };
  QueuedRuns queued;
  queued.samples = [](void* state, const double** seconds, std::size_t* count) {
    const auto& own = static_cast<Repeated*>(state)->own;
    *seconds = own.data();
    *count = own.size();
    return KS_OK;
  };
  MeasureRules rules = rules_for(most);
  rules.warmup = {0, 0s, 0s};
  const BetweenCalls nothing_to_empty{[] {}, {}};
  return sample(variant, &repeated, rules, nothing_to_empty, nullptr, queued);
}

TEST(OwnSamples, ARunThatMeasuredItselfSeveralTimesGivesAllTheseSamples) {
  Repeated repeated;
  const Samples samples = sample_repeated(repeated, 6);
  EXPECT_EQ(samples.status, KS_OK);
  EXPECT_EQ(samples.seconds, (std::vector<double>{0.5, 0.25, 0.75, 0.5, 0.25, 0.75}));
  EXPECT_EQ(repeated.calls, 2u);
  Repeated one{.own = {0.5, -1}};
  EXPECT_EQ(sample_repeated(one, 2).seconds, (std::vector<double>{0.5, 0.5})) << "no times: its clock";
}

}  // namespace
}  // namespace kernsweep
