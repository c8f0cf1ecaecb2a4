#include "worker/slot/measure/sample_ledger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kernsweep {
namespace {

using Reason = StoppingRule::Reason;
using testing::ElementsAre;

// Ends by `max` or by time only.
MeasureRules rules_from(std::uint64_t min, std::uint64_t max) {
  MeasureRules rules;
  rules.samples = {min, max, 0s, 60s};
  rules.stop = {0, false};
  return rules;
}

// One window of one sample of 2 ms.
void window(SampleLedger& ledger, double seconds, Cause cause = Cause::none) {
  ledger.add(seconds, 2ms);
  EXPECT_TRUE(ledger.window_full());
  ledger.close_window({cause});
}

TEST(SampleLedger, AWindowIsFullAfterAMillisecond) {
  SampleLedger ledger(rules_from(1, 100));
  EXPECT_FALSE(ledger.window_full()) << "of nothing";
  ledger.add(1, 600us);
  EXPECT_FALSE(ledger.window_full());
  ledger.add(1, 400us);
  EXPECT_TRUE(ledger.window_full());
  ledger.close_window({Cause::none});
  EXPECT_FALSE(ledger.window_full());
  ledger.add(1, 3s);
  EXPECT_TRUE(ledger.window_full()) << "one sample may be longer";
}

TEST(SampleLedger, AWindowIsFullWhenACapIsReached) {
  SampleLedger by_count(rules_from(1, 2));
  by_count.add(1, 1us);
  EXPECT_FALSE(by_count.window_full());
  by_count.add(1, 1us);
  EXPECT_TRUE(by_count.window_full());
  MeasureRules rules = rules_from(1, 100);
  rules.samples.max_time = 10us;
  SampleLedger by_time(rules);
  by_time.add(1, 10us);
  EXPECT_TRUE(by_time.window_full());
}

// Ten of 100 are disturbed: 10 % is within 20 %. The cap counts them.
TEST(SampleLedger, LeavesDisturbedSamplesOutUpToTheShare) {
  SampleLedger ledger(rules_from(100, 100));
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(ledger.reason(), Reason::none) << i;
    window(ledger, i, i % 10 == 3 ? Cause::switched : Cause::none);
  }
  EXPECT_EQ(ledger.reason(), Reason::max_samples);
  EXPECT_FALSE(ledger.kept_disturbed());
  EXPECT_EQ(ledger.taken(), 100u);
  EXPECT_EQ(ledger.disturbed(), 10u);
  EXPECT_EQ(ledger.kept().size(), 90u);
  EXPECT_EQ(ledger.kept()[3], 4) << "sample 3 is missing, the others are in their order";
  EXPECT_EQ(listed(ledger.causes()), "switched 10");
}

// Noise 0 ends at the third sample that counts; the two disturbed ones are replaced. Two of five are more
// than 20 %, but with a share of a half they may go.
TEST(SampleLedger, TakesMoreInTheirPlace) {
  MeasureRules rules = rules_from(3, 100);
  rules.stop = {0.005, false};
  rules.discard.share = 0.5;
  SampleLedger ledger(rules);
  window(ledger, 1);
  window(ledger, 9, Cause::clock);
  window(ledger, 1);
  EXPECT_EQ(ledger.reason(), Reason::none) << "three taken, two count";
  window(ledger, 8, Cause::steal);
  EXPECT_EQ(ledger.reason(), Reason::none);
  window(ledger, 1);
  EXPECT_EQ(ledger.reason(), Reason::noise);
  EXPECT_THAT(ledger.kept(), ElementsAre(1, 1, 1));
  EXPECT_EQ(listed(ledger.causes()), "clock 1, steal 1");
}

// The first window alone is 100 %: that is judged when the least of samples was taken, 5 here. Then 2 of 5
// are 40 %.
TEST(SampleLedger, KeepsEverythingOnceTooManyAreDisturbed) {
  MeasureRules rules = rules_from(5, 8);
  SampleLedger ledger(rules);
  window(ledger, 1, Cause::clock);
  window(ledger, 2);
  window(ledger, 3, Cause::switched);
  window(ledger, 4);
  EXPECT_FALSE(ledger.kept_disturbed());
  EXPECT_THAT(ledger.kept(), ElementsAre(2, 4));
  window(ledger, 5);
  EXPECT_TRUE(ledger.kept_disturbed());
  EXPECT_THAT(ledger.kept(), ElementsAre(1, 2, 3, 4, 5)) << "all, in the order of measuring";
  window(ledger, 6, Cause::clock);
  window(ledger, 7);
  window(ledger, 8);
  EXPECT_EQ(ledger.reason(), Reason::max_samples);
  EXPECT_EQ(ledger.kept().size(), 8u);
  EXPECT_EQ(ledger.disturbed(), 3u);
  EXPECT_EQ(listed(ledger.causes()), "clock 2, switched 1") << "counted though they are kept";
}

// Two of the first five; of twenty they are a tenth.
TEST(SampleLedger, ADisturbanceThatPassesLeavesNoTrace) {
  SampleLedger ledger(rules_from(5, 20));
  for (int i = 0; i < 20; ++i) {
    window(ledger, i + 1, i < 2 ? Cause::switched : Cause::none);
    EXPECT_EQ(ledger.kept_disturbed(), i >= 4 && i < 9) << i;
  }
  EXPECT_EQ(ledger.reason(), Reason::max_samples);
  EXPECT_EQ(ledger.kept().size(), 18u);
  EXPECT_EQ(ledger.kept()[0], 3);
}

// 3 of 10 are disturbed, the median of all is the fifth: 5. Had these taken no time it were the second of
// the others, 1 2 3 5 6 8 9. Of half of them nothing is known.
TEST(SampleLedger, TheLeastMedianIsThatOfTheOthers) {
  SampleLedger ledger(rules_from(10, 20));
  for (int i = 1; i <= 10; ++i) window(ledger, i, i == 4 || i == 7 || i == 10 ? Cause::clock : Cause::none);
  EXPECT_DOUBLE_EQ(ledger.least_median(), 2.0 / 5);
  ledger.mark_disturbed_since(7, Cause::steal);
  EXPECT_EQ(ledger.least_median(), 0);
  EXPECT_EQ(SampleLedger(rules_from(1, 2)).least_median(), 0);
}

// Each of 5 samples of 2 s was disturbed, and lost at most 0.5 s. That none of them may have been disturbed
// at all, which only the last look says, changes nothing before that.
TEST(SampleLedger, TheLeastMedianGoesByWhatWasLost) {
  SampleLedger ledger(rules_from(5, 5));
  for (int i = 0; i < 5; ++i) {
    ledger.add(2, 2s);
    ledger.close_window({Cause::none, 0.5, true});
  }
  EXPECT_TRUE(ledger.has_suspected());
  EXPECT_EQ(ledger.least_median(), 1);
  EXPECT_EQ(listed(ledger.causes()), "");
  ledger.mark_suspected();
  EXPECT_FALSE(ledger.has_suspected());
  EXPECT_EQ(ledger.least_median(), 0.75);
  EXPECT_EQ(listed(ledger.causes()), "switched 5");
  EXPECT_TRUE(ledger.kept_disturbed());
  // A program that keeps its own time of half a second, in runs of two: all of it may be what was lost.
  SampleLedger own(rules_from(1, 1));
  own.add(0.5, 2s);
  own.close_window({Cause::switched, 0.5, false});
  EXPECT_EQ(own.least_median(), 0);
}

// A section that is disturbed from end to end takes no longer than a quiet one: 3 samples and noise 0.
TEST(SampleLedger, WhatIsDisturbedThroughoutEndsAsSoonAsAQuietSection) {
  MeasureRules rules = rules_from(3, 100);
  rules.stop = {0.005, false};
  SampleLedger ledger(rules);
  for (int i = 0; i < 3; ++i) window(ledger, 1, Cause::clock);
  EXPECT_EQ(ledger.reason(), Reason::noise);
  EXPECT_TRUE(ledger.kept_disturbed());
  EXPECT_THAT(ledger.kept(), ElementsAre(1, 1, 1));
}

TEST(SampleLedger, ARuleThatWouldDiscardEverythingLeavesEverything) {
  MeasureRules rules = rules_from(2, 4);
  rules.discard.share = 1;
  SampleLedger ledger(rules);
  for (int i = 1; i <= 4; ++i) window(ledger, i, Cause::clock);
  EXPECT_EQ(ledger.reason(), Reason::max_samples);
  EXPECT_THAT(ledger.kept(), ElementsAre(1, 2, 3, 4)) << "never an empty result";
  EXPECT_TRUE(ledger.kept_disturbed());
}

TEST(SampleLedger, AShareOfZeroDiscardsNothing) {
  MeasureRules rules = rules_from(2, 3);
  rules.discard.share = 0;
  SampleLedger ledger(rules);
  window(ledger, 1);
  window(ledger, 2, Cause::switched);
  window(ledger, 3);
  EXPECT_THAT(ledger.kept(), ElementsAre(1, 2, 3));
  EXPECT_TRUE(ledger.kept_disturbed());
}

// 2 ms each: the third reaches 6 ms. One of three is 33 %.
TEST(SampleLedger, TheCapOnTimeCountsWhatIsLeftOut) {
  MeasureRules rules = rules_from(10, 100);
  rules.samples.max_time = 6ms;
  rules.discard.share = 0.4;
  SampleLedger ledger(rules);
  window(ledger, 1);
  window(ledger, 2, Cause::migrated);
  window(ledger, 3);
  EXPECT_EQ(ledger.reason(), Reason::max_time);
  EXPECT_THAT(ledger.kept(), ElementsAre(1, 3));
  EXPECT_DOUBLE_EQ(ledger.sampled_s(), 6e-3);
}

TEST(SampleLedger, AtACapTooManyIsTooManyHoweverFewThereAre) {
  MeasureRules rules = rules_from(10, 100);
  rules.samples.max_time = 6ms;
  SampleLedger ledger(rules);
  window(ledger, 1);
  window(ledger, 2, Cause::migrated);
  window(ledger, 3);
  EXPECT_THAT(ledger.kept(), ElementsAre(1, 2, 3)) << "a third is more than a fifth";
  EXPECT_TRUE(ledger.kept_disturbed());
}

TEST(SampleLedger, StolenTimeIsKnownLateAndCountsForAllWindowsSince) {
  MeasureRules rules = rules_from(2, 100);
  rules.stop = {0.005, false};
  rules.discard.share = 0.5;
  SampleLedger ledger(rules);
  window(ledger, 1);
  window(ledger, 1);
  EXPECT_EQ(ledger.reason(), Reason::noise);
  ledger.mark_disturbed_since(1, Cause::steal);
  EXPECT_EQ(ledger.reason(), Reason::none) << "there are no longer two that count";
  EXPECT_THAT(ledger.kept(), ElementsAre(1));
  window(ledger, 1);
  EXPECT_EQ(ledger.reason(), Reason::noise);
  EXPECT_EQ(listed(ledger.causes()), "steal 1");
}

TEST(SampleLedger, AWindowKeepsTheCauseItHas) {
  SampleLedger ledger(rules_from(100, 100));
  window(ledger, 1, Cause::clock);
  window(ledger, 1);
  ledger.mark_disturbed_since(0, Cause::steal);
  EXPECT_EQ(listed(ledger.causes()), "clock 1, steal 1");
}

// 3 of 4 are 75 %.
TEST(SampleLedger, LatencyKeepsTheTailAndSaysWhenTooMuchOfItWasDisturbed) {
  MeasureRules rules = rules_from(4, 4);
  rules.metric = Metric::latency;
  SampleLedger ledger(rules);
  for (int i = 1; i <= 4; ++i) window(ledger, i, i > 1 ? Cause::switched : Cause::none);
  EXPECT_THAT(ledger.kept(), ElementsAre(1, 2, 3, 4));
  EXPECT_TRUE(ledger.kept_disturbed());
  EXPECT_EQ(ledger.disturbed(), 3u);
}

// One of 5 is 20 %, one of 4 was 25 %: it is said of all that were taken.
TEST(SampleLedger, LatencyIsJudgedByAllItsSamples) {
  MeasureRules rules = rules_from(1, 5);
  rules.metric = Metric::latency;
  SampleLedger ledger(rules);
  for (int i = 1; i <= 4; ++i) window(ledger, i, i == 1 ? Cause::switched : Cause::none);
  EXPECT_TRUE(ledger.kept_disturbed());
  window(ledger, 5);
  EXPECT_FALSE(ledger.kept_disturbed());
  EXPECT_EQ(ledger.kept().size(), 5u);
  ledger.mark_disturbed_since(3, Cause::steal);
  EXPECT_TRUE(ledger.kept_disturbed()) << "3 of 5, known late";
  EXPECT_EQ(ledger.kept().size(), 5u);
  EXPECT_EQ(ledger.reason(), Reason::max_samples);
}

TEST(SampleLedger, TimeThatGoesBackwardsTakesNone) {
  MeasureRules rules = rules_from(1, 3);
  SampleLedger ledger(rules);
  ledger.add(1, -5s);
  EXPECT_EQ(ledger.sampled_s(), 0);
  EXPECT_FALSE(ledger.window_full());
  ledger.add(1, 0s);
  ledger.add(1, 0s);
  EXPECT_TRUE(ledger.window_full()) << "the cap on samples ends a clock that stands still";
  ledger.close_window({Cause::none});
  EXPECT_EQ(ledger.reason(), Reason::max_samples);
}

}  // namespace
}  // namespace kernsweep
