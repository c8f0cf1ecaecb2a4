// Counted events: only calls after the samples, nothing around them.
#include <gmock/gmock.h>

#include "tests/unit/host/fake_counters.hpp"
#include "tests/unit/slot/measure/sampling_rules.hpp"
#include "tests/unit/slot/watch/fake_gauges.hpp"
#include "worker/slot/measure/sampler.hpp"

namespace kernsweep {
namespace {

using testing::AllOf;
using testing::Each;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;

// A variant with seven events in each call; the test sets the time.
struct Work {
  testing_host::FakeCounters counters;
  testing_slot::FakeGauges gauges;
  std::uint64_t calls = 0, calls_with_counters = 0, restored = 0;
  std::uint64_t fails_with_counters = 0;  // 0: never
};

class CountedCalls : public testing::Test {
 protected:
  CountedCalls() {
    work_.gauges.counter_system = &work_.counters;
    work_.gauges.clock = [this](int) {
      work_.counters.work(1000000);
      return 3.0;
    };
  }
  Samples sample(std::uint64_t samples, Cache cache = Cache::hot, bool restores = false,
                 bool is_long = false) {
    ks_variant variant{};
    variant.run = [](void* state) {
      auto& work = *static_cast<Work*>(state);
      ++work.calls;
      work.calls_with_counters += work.counters.on.empty() ? 0 : 1;
      work.counters.work(7);
      return work.fails_with_counters > 0 && work.calls_with_counters == work.fails_with_counters
                 ? KS_FAILED
                 : KS_OK;
    };
    variant.elapsed = [](void*) { return 0.0625; };
    if (is_long) variant.elapsed = [](void*) { return 0.125; };
    MeasureRules rules = rules_for(samples);
    rules.cache = cache;
    const auto other_work = [this] {
      ++work_.restored;
      work_.counters.work(1000);
    };
    double best = 0;
    SectionWatch watch(work_.gauges, rules, 1, best);
    BetweenCalls between;
    if (cache == Cache::cold) between.evict = other_work;
    if (restores) between.restore = other_work;
    return kernsweep::sample(variant, &work_, rules, between, &watch);
  }
  void expect_seven_a_call(const Samples& samples) {
    EXPECT_EQ(samples.status, KS_OK);
    EXPECT_EQ(samples.counted_calls, work_.calls_with_counters);
    EXPECT_GT(samples.counted_calls, 0u);
    EXPECT_THAT(samples.counted.events,
                AllOf(SizeIs(5), Each(Field(&CounterTotals::Event::count, 7.0 * samples.counted_calls))));
    EXPECT_THAT(work_.counters.open_now, IsEmpty()) << "the descriptors are the kernel's again";
  }

  Work work_;
};

TEST_F(CountedCalls, AreNoSamplesAndNothingElseIsCounted) {
  const Samples samples = sample(5);
  expect_seven_a_call(samples);
  EXPECT_EQ(samples.seconds.size(), 5u);
  EXPECT_LE(samples.counted_calls, 5u) << "no more than there were samples";
  EXPECT_EQ(work_.calls, samples.warmup_runs + 5 + samples.counted_calls);
}

TEST_F(CountedCalls, AreNotMadeWhereACallTakesATenthOfASecond) {
  const Samples samples = sample(5, Cache::hot, false, true);
  EXPECT_EQ(samples.counted_calls, 0u);
  EXPECT_EQ(work_.calls, samples.warmup_runs + 5);
}

TEST_F(CountedCalls, BeginWhenTheCachesAreEmptyAndTheOperandsWrittenBack) {
  const Samples samples = sample(5, Cache::cold, true);
  expect_seven_a_call(samples);
  EXPECT_GE(work_.restored, 2 * (5 + samples.counted_calls)) << "before each of them, both";
}

TEST_F(CountedCalls, CostNoSampleWhenOneFails) {
  work_.fails_with_counters = 2;
  const Samples samples = sample(5);
  EXPECT_EQ(samples.status, KS_OK);
  EXPECT_EQ(samples.seconds.size(), 5u);
  EXPECT_THAT(samples.counted.events, IsEmpty());
  EXPECT_THAT(work_.counters.open_now, IsEmpty());
}

TEST_F(CountedCalls, AreNotMadeWhereNothingCanBeCounted) {
  work_.counters.error = [](const std::string&, int) { return EPERM; };
  const Samples samples = sample(5);
  EXPECT_EQ(work_.calls, samples.warmup_runs + 5);
  work_.gauges.counter_system = nullptr;
  EXPECT_EQ(sample(5).counted_calls, 0u);
}

}  // namespace
}  // namespace kernsweep
