// A CPU quota that stops a section.
#include <gtest/gtest.h>

#include "tests/unit/slot/watch/fake_gauges.hpp"
#include "worker/slot/watch/section_watch.hpp"

namespace kernsweep::testing_slot {
namespace {

// The conditions of a section of a second in which the system counted from `before` to `after`.
SectionConditions section(Throttling before, Throttling after) {
  FakeGauges gauges;
  MeasureRules rules;
  double best_ghz = 0;
  SectionWatch watch(gauges, rules, 1, best_ghz);
  watch.begin();
  gauges.throttled = before;  // counted in the warm-up
  watch.begin_sampling();
  gauges.time = gauges.time + 1s;
  gauges.throttled = after;
  return watch.end(SampleLedger(rules));
}

TEST(Quota, ThatStoppedTheSamplesIsACauseWithItsName) {
  SectionConditions seen = section({0.25, 7, 1}, {0.25, 9, 1.5});
  EXPECT_EQ(about_throttling(seen.throttled.value_or(Throttling())),
            "the quota of 0.25 processors (a control group) stopped it in 2 periods, for 0.5 s");
  EXPECT_EQ(doubt_cause(seen), DoubtCause::quota);
  EXPECT_EQ(name_of(doubt_cause(seen)), "quota");
}

TEST(Quota, IsTheCauseBeforeOthersAndAnotherTryNoHelp) {
  SectionConditions seen = section({0.5, 0, 0}, {0.5, 1, 0.1});
  seen.kept_disturbed = true;
  seen.least_median = 0;
  seen.samples_taken = seen.samples_disturbed = seen.causes[static_cast<std::size_t>(Cause::switched)] = 9;
  EXPECT_EQ(doubt_cause(seen), DoubtCause::quota);
  EXPECT_FALSE(another_try_may_help(seen, MeasureRules()));
  seen.throttled.reset();
  EXPECT_EQ(doubt_cause(seen), DoubtCause::switched);
  EXPECT_TRUE(another_try_may_help(seen, MeasureRules()));
}

// A median that all disturbances together can have changed by less than 1 % is in no doubt.
TEST(Doubt, IsNoneOfWhatCannotHaveMattered) {
  SectionConditions seen;
  seen.kept_disturbed = true;
  seen.samples_taken = 10;
  seen.samples_disturbed = 3;
  seen.causes[static_cast<std::size_t>(Cause::switched)] = 3;
  seen.least_median = 0.985;
  EXPECT_EQ(doubt(seen), "30 % of the samples were disturbed: switched 3");
  seen.least_median = 0.995;
  EXPECT_EQ(doubt(seen), std::nullopt);
  EXPECT_EQ(doubt_cause(seen), DoubtCause::unknown);
}

// 0.5 % of a second.
TEST(Quota, ThatStoppedHardlyAnythingSaysNothing) {
  EXPECT_FALSE(section({0.25, 7, 1}, {0.25, 7, 1}).throttled);
  EXPECT_FALSE(section({0.25, 7, 1}, {0.25, 8, 1.004}).throttled);
  EXPECT_TRUE(section({0.25, 7, 1}, {0.25, 8, 1.006}).throttled);
  EXPECT_TRUE(section({0.25, 7, 0}, {0.25, 8, 0}).throttled) << "for how long is not known";
}

}  // namespace
}  // namespace kernsweep::testing_slot
