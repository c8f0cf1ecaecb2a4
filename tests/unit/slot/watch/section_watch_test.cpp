#include "worker/slot/watch/section_watch.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/slot/watch/fake_gauges.hpp"

namespace kernsweep::testing_slot {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SectionWatchTest : public testing::Test {
 protected:
  SectionWatchTest() {
    rules_.samples = {1, 1000, 0s, 3600s};
    rules_.stop = {0, false};
  }
  void begin() {
    watch_.emplace(gauges_, rules_, 1, best_);
    ledger_.emplace(rules_);
    watch_->begin();
  }
  // Warm-up calls of a millisecond each, until the watch is content; how many it took, 99 at most.
  int warm_up() {
    for (int call = 1; call < 99; ++call) {
      gauges_.time = gauges_.time + 1ms;
      if (watch_->clock_settled()) return call;
    }
    return 99;
  }
  // A window of one sample that takes this long.
  void window(Duration took = 2ms) {
    gauges_.time = gauges_.time + took;
    ledger_->add(1e-3, took);
    watch_->close_window(*ledger_);
  }
  SectionConditions end() { return watch_->end(*ledger_); }

  MeasureRules rules_;
  FakeGauges gauges_;
  double best_ = 0;
  std::optional<SectionWatch> watch_;
  std::optional<SampleLedger> ledger_;
};

// A look at the host is due every 20 ms: with the tenth window of 2 ms, and again with the tenth of those
// since. Numbers of windows restart with the ledger.
TEST_F(SectionWatchTest, WhatIsStolenAfterAFreshStartIsHeldAgainstTheFirstWindowsToo) {
  begin();
  watch_->begin_sampling();
  for (int i = 0; i < 12; ++i) window();
  ledger_.emplace(rules_);
  watch_->begin_sampling();
  window();
  gauges_.host->own_steal_s += 0.01;
  watch_->last_look(*ledger_);
  EXPECT_EQ(listed(end().causes), "steal 1");
}

TEST_F(SectionWatchTest, AQuietSectionHasNothingAgainstIt) {
  begin();
  EXPECT_EQ(warm_up(), 5) << "five probes";
  watch_->begin_sampling();
  for (int i = 0; i < 10; ++i) window();
  const SectionConditions seen = end();
  EXPECT_TRUE(seen.clock_known);
  EXPECT_EQ(seen.clock_ghz, 3);
  EXPECT_EQ(seen.clock_low, 1);
  EXPECT_EQ(seen.samples_taken, 10u);
  EXPECT_EQ(seen.samples_disturbed, 0u);
  EXPECT_DOUBLE_EQ(seen.wall_s, 0.025);
  EXPECT_THAT(complaints(seen, rules_), IsEmpty());
  EXPECT_EQ(doubt(seen), std::nullopt);
}

TEST_F(SectionWatchTest, WarmUpLastsUntilTheClockIsStable) {
  gauges_.clock = [](int probe) { return probe < 8 ? 1.0 + 0.2 * probe : 3.0; };
  begin();
  EXPECT_EQ(warm_up(), 12) << "probes 8 to 12 agree";
}

TEST_F(SectionWatchTest, ProbesAreAMillisecondApart) {
  begin();
  for (int call = 0; call < 1000; ++call) {
    gauges_.time = gauges_.time + 10us;  // 10 ms in all
    (void)watch_->clock_settled();
  }
  EXPECT_GE(gauges_.probes, 9);
  EXPECT_LE(gauges_.probes, 11);
}

TEST_F(SectionWatchTest, AClockThatIsNotKnownIsNotWaitedForAndNotGraded) {
  gauges_.ghz = 0;
  begin();
  EXPECT_EQ(warm_up(), 1);
  watch_->begin_sampling();
  window();
  const SectionConditions seen = end();
  EXPECT_FALSE(seen.clock_known);
  EXPECT_TRUE(seen.clock_stable);
  EXPECT_EQ(seen.samples_disturbed, 0u);
  EXPECT_THAT(complaints(seen, rules_), IsEmpty());
}

TEST_F(SectionWatchTest, AClockThatNeverSettlesIsToldAndMeasuredWith) {
  gauges_.clock = [](int probe) { return probe % 2 ? 3.0 : 2.8; };
  begin();
  EXPECT_EQ(warm_up(), 99);
  watch_->begin_sampling();
  window();
  const SectionConditions seen = end();
  EXPECT_FALSE(seen.clock_stable);
  EXPECT_THAT(complaints(seen, rules_), ElementsAre(HasSubstr("the clock was not stable")));
}

// 2.6 is below 0.9 x 3 = 2.7. A window is as slow as its slower edge, so one slow probe disturbs two.
TEST_F(SectionWatchTest, WindowsAreHeldAgainstTheJobsOwnClock) {
  begin();
  warm_up();
  watch_->begin_sampling();
  window();
  gauges_.ghz = 2.6;
  window();
  gauges_.ghz = 3;
  window();
  window();
  const SectionConditions seen = end();
  EXPECT_EQ(listed(seen.causes), "clock 2");
  EXPECT_DOUBLE_EQ(seen.clock_low, 2.6 / 3);
  EXPECT_EQ(gauges_.expected, 3) << "a probe knows what to expect";
}

// The best of the process was 4 GHz; this job's clock of 3 GHz is its own from the start.
TEST_F(SectionWatchTest, ALowerClockThatHoldsIsToldAndDisturbsNothing) {
  best_ = 4;
  begin();
  warm_up();
  watch_->begin_sampling();
  for (int i = 0; i < 5; ++i) window();
  const SectionConditions seen = end();
  EXPECT_EQ(seen.samples_disturbed, 0u);
  EXPECT_EQ(seen.clock_of_best, 0.75);
  EXPECT_EQ(best_, 4);
  EXPECT_THAT(complaints(seen, rules_),
              ElementsAre("the clock was 3.00 GHz, 75 % of the best that this process has seen"));
}

TEST_F(SectionWatchTest, RemembersTheBestClockForLaterJobs) {
  gauges_.ghz = 3.5;
  begin();
  warm_up();
  EXPECT_EQ(best_, 3.5);
}

TEST_F(SectionWatchTest, AWindowWithAnInvoluntarySwitchIsDisturbed) {
  begin();
  watch_->begin_sampling();
  window();
  gauges_.reading.involuntary_switches = 3;
  window();
  window();
  const SectionConditions seen = end();
  EXPECT_EQ(listed(seen.causes), "switched 1");
  EXPECT_EQ(seen.involuntary_switches, 3u);
}

// Looks at the host every 20 ms: after the tenth window of 2 ms. That marks those ten as disturbed, and no
// other.
TEST_F(SectionWatchTest, StolenTimeDisturbsAllWindowsSinceTheLastLook) {
  begin();
  const int looks = gauges_.looks;
  watch_->begin_sampling();
  for (int i = 0; i < 5; ++i) window();
  EXPECT_EQ(gauges_.looks, looks) << "not yet";
  gauges_.host->own_steal_s = 0.01;
  for (int i = 0; i < 15; ++i) window();
  const SectionConditions seen = end();
  EXPECT_EQ(listed(seen.causes), "steal 10");
  EXPECT_DOUBLE_EQ(*seen.steal_s, 0.01);
}

// A tick of 10 ms is 0.4 % of 2.5 s, and 1 % of one more second.
TEST_F(SectionWatchTest, StolenTimeThatIsNothingOfALongWindowDisturbsNothing) {
  begin();
  watch_->begin_sampling();
  gauges_.host->own_steal_s += 0.01;
  window(2500ms);
  EXPECT_EQ(listed(ledger_->causes()), "");
  gauges_.host->own_steal_s += 0.01;
  window(1000ms);
  EXPECT_EQ(listed(ledger_->causes()), "steal 1");
}

TEST_F(SectionWatchTest, TheLastLookSeesWhatWasStolenSince) {
  begin();
  watch_->begin_sampling();
  window();
  gauges_.host->own_steal_s = 0.01;
  watch_->last_look(*ledger_);
  EXPECT_EQ(listed(ledger_->causes()), "steal 1");
}

// 500 ms in which the host was busy for 1 s, we for 0.5 s.
TEST_F(SectionWatchTest, ANeighbourThatBurnsACoreIsTold) {
  begin();
  watch_->begin_sampling();
  for (int i = 0; i < 250; ++i) window();
  gauges_.host->busy_s += 1;
  gauges_.usage.cpu_s += 0.5;
  const SectionConditions seen = end();
  ASSERT_TRUE(seen.foreign_cores);
  EXPECT_DOUBLE_EQ(*seen.foreign_cores, 1);
  EXPECT_DOUBLE_EQ(seen.cpu_s, 0.5);
  EXPECT_THAT(complaints(seen, rules_), ElementsAre("others kept 1.00 cores of this host busy"));
}

TEST_F(SectionWatchTest, AHostWithoutTheFileIsNotKnown) {
  gauges_.host.reset();
  begin();
  watch_->begin_sampling();
  for (int i = 0; i < 30; ++i) window();
  const SectionConditions seen = end();
  EXPECT_FALSE(seen.foreign_cores);
  EXPECT_FALSE(seen.steal_s);
  EXPECT_THAT(complaints(seen, rules_), IsEmpty());
}

// 1000 faults x 0.5 us are 0.5 ms: 5 % of the 10 ms that were sampled. Those of the warm-up do not count.
TEST_F(SectionWatchTest, PageFaultsOfTheTimedPartAreTold) {
  gauges_.usage.minor_faults = 10;
  begin();
  gauges_.usage.minor_faults = 50'000;
  watch_->begin_sampling();
  for (int i = 0; i < 5; ++i) window();
  gauges_.usage.minor_faults = 51'000;
  const SectionConditions seen = end();
  EXPECT_EQ(seen.minor_faults, 1000u);
  EXPECT_THAT(complaints(seen, rules_),
              ElementsAre("page faults took about 5.0 % of the sampled time: 1000"));
}

TEST_F(SectionWatchTest, TooManyDisturbedSamplesAreToldWithTheirCauses) {
  begin();
  watch_->begin_sampling();
  for (int i = 0; i < 4; ++i) {
    if (i % 2) ++gauges_.reading.involuntary_switches;
    window();
  }
  const SectionConditions seen = end();
  EXPECT_TRUE(seen.kept_disturbed);
  EXPECT_EQ(doubt(seen), "50 % of the samples were disturbed: switched 2");
  EXPECT_EQ(doubt_cause(seen), DoubtCause::switched);
  EXPECT_THAT(complaints(seen, rules_), IsEmpty());
}

// Three of the first five; 35 quiet ones follow, so that in the end 7.5 % are within the rule's limit.
TEST_F(SectionWatchTest, ADisturbanceThatPassesLeavesNoDoubt) {
  rules_.samples.min = 5;
  rules_.samples.max = 40;
  begin();
  watch_->begin_sampling();
  for (int i = 0; i < 40; ++i) {
    if (i < 3) ++gauges_.reading.involuntary_switches;
    window();
  }
  const SectionConditions seen = end();
  EXPECT_FALSE(seen.kept_disturbed);
  EXPECT_EQ(doubt(seen), std::nullopt);
}

TEST_F(SectionWatchTest, AWindowThatIsOpenedForgetsWhatWasBeforeIt) {
  begin();
  watch_->begin_sampling();
  gauges_.reading = {0, 1, 5, 1};
  gauges_.host->own_steal_s = 3;
  watch_->open_window();
  window();
  EXPECT_EQ(listed(end().causes), "");
  ++gauges_.reading.major_faults;
  window();
  EXPECT_EQ(listed(end().causes), "major fault 1")
      << "a window that is not opened begins where the last ended";
}

// Two of four are more than a fifth.
TEST_F(SectionWatchTest, AnotherTryMayHelpAgainstWhatPasses) {
  begin();
  watch_->begin_sampling();
  for (int i = 0; i < 4; ++i) {
    if (i % 2) ++gauges_.reading.involuntary_switches;
    window();
  }
  EXPECT_TRUE(another_try_may_help(end(), rules_));
  rules_.discard.share = 0.5;
  EXPECT_FALSE(another_try_may_help(end(), rules_)) << "no more than may be left out";
}

TEST_F(SectionWatchTest, AnotherTryIsNoHelpAgainstPageFaultsOrNothing) {
  begin();
  watch_->begin_sampling();
  window();
  EXPECT_FALSE(another_try_may_help(end(), rules_));
  for (int i = 0; i < 4; ++i) {
    ++gauges_.reading.major_faults;
    window();
  }
  EXPECT_TRUE(doubt(end()));
  EXPECT_FALSE(another_try_may_help(end(), rules_));
}

// A second; others are busy for 1.05 s of it.
class CrowdedSectionTest : public SectionWatchTest {
 protected:
  // `own_busy_s`: of four processors that the job is bound to.
  SectionConditions beside_a_neighbour(std::uint32_t threads, std::uint32_t processors,
                                       double own_busy_s = 0) {
    gauges_.usage = {};
    gauges_.host = HostTimes{100, 0, processors, 0, 4};
    watch_.emplace(gauges_, rules_, threads, best_);
    ledger_.emplace(rules_);
    watch_->begin();
    watch_->begin_sampling();
    window(1000ms);
    gauges_.usage.cpu_s = 0.95;
    gauges_.host->busy_s = 102;
    gauges_.host->own_busy_s = own_busy_s;
    return end();
  }
};

TEST_F(CrowdedSectionTest, ThreadsThatHadToShareTheirCoresAreDoubtful) {
  const SectionConditions seen = beside_a_neighbour(2, 2);
  EXPECT_EQ(crowding(seen), "2 threads and 1.05 cores of others on a host of 2 cores");
  EXPECT_EQ(doubt_cause(seen), DoubtCause::others);
  EXPECT_THAT(complaints(seen, rules_), IsEmpty()) << "said once";
  EXPECT_TRUE(another_try_may_help(seen, rules_)) << "the neighbour may go";
}

// The host has 64 cores, and the job is bound to four of them, with 0.95 s of its own.
TEST_F(CrowdedSectionTest, ANeighbourOnTheJobsOwnCoresIsSeenOnALargeHost) {
  const SectionConditions seen = beside_a_neighbour(4, 64, 1.45);
  EXPECT_EQ(crowding(seen), "4 threads and 0.50 cores of others on the 4 cores that they are bound to");
  EXPECT_EQ(doubt_cause(seen), DoubtCause::others);
  EXPECT_EQ(crowding(beside_a_neighbour(4, 64, 1.04)), std::nullopt) << "a tenth of a core";
  EXPECT_EQ(crowding(beside_a_neighbour(2, 64, 1.45)), std::nullopt) << "two cores were free for it";
  EXPECT_EQ(crowding(beside_a_neighbour(1, 64, 4.9)), std::nullopt) << "its windows tell";
}

TEST_F(CrowdedSectionTest, ThreadsForWhichCoresWereLeftAreNot) {
  const SectionConditions seen = beside_a_neighbour(2, 4);
  EXPECT_EQ(crowding(seen), std::nullopt);
  EXPECT_EQ(doubt_cause(seen), DoubtCause::unknown);
  EXPECT_THAT(complaints(seen, rules_), ElementsAre("others kept 1.05 cores of this host busy"));
}

// 0.9 s and 0.5 s of a second: both worked; what they had used before does not count.
TEST_F(SectionWatchTest, ThreadsAreCountedByWhatTheyUsedWhileSampling) {
  gauges_.thread_times = ThreadTimes{{{1, 0}, {2, 0}, {3, 0}}, 0, 0, false};
  begin();
  gauges_.thread_times = ThreadTimes{{{1, 5}, {2, 0}, {3, 5}}, 10, 10, false};
  watch_->begin_sampling();
  window(1000ms);
  gauges_.thread_times = ThreadTimes{{{1, 5.9}, {2, 0.5}, {3, 5}}, 11.4, 11.4, false};
  const SectionConditions seen = end();
  ASSERT_TRUE(seen.threads_worked);
  EXPECT_EQ(seen.threads_worked->count, 2u);
  EXPECT_FALSE(seen.threads_worked->at_least);
}

TEST_F(SectionWatchTest, ThreadsThatCannotBeReadAreNotCounted) {
  begin();
  watch_->begin_sampling();
  window(1000ms);
  EXPECT_FALSE(end().threads_worked);
}

TEST_F(SectionWatchTest, EnergyIsWhatWasUsedMeanwhile) {
  gauges_.energy = 100;
  begin();
  watch_->begin_sampling();
  window();
  gauges_.energy = 103.5;
  EXPECT_DOUBLE_EQ(*end().energy_j, 3.5);
}

}  // namespace
}  // namespace kernsweep::testing_slot
