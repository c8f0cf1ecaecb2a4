// What a job tells that was long enough to be watched, and that shorter ones are left alone. How quiet the
// machine is must not matter here.
#include <gmock/gmock.h>

#include <cstdlib>

#include "tests/unit/slot/job_fixture.hpp"

namespace kernsweep::testing_slot {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class WatchedJobTest : public JobTest {
 protected:
  WatchedJobTest() {
    rules_.measure.warmup = {1, 10ms, 20ms};  // a busy machine has no stable clock to wait for
    rules_.measure.samples = {3, 30, 10ms, 60s};
  }
  void use_place(SlotPlace place) { runner_.emplace(pack_, doubling(), std::move(place), agent_); }
};

TEST_F(WatchedJobTest, TellsItsConditions) {
  const Ran ran = run("twice");
  ASSERT_EQ(ran.outcome, Outcome::ok) << ran.body.reason();
  ASSERT_TRUE(ran.body.has_conditions());
  const wire::Conditions& told = ran.body.conditions();
  EXPECT_TRUE(told.measured());
  EXPECT_GE(told.samples_taken(), 3u);
  EXPECT_EQ(told.samples_taken() - told.discarded(), static_cast<std::uint64_t>(ran.body.samples_s_size()));
  EXPECT_GT(told.cpu_s(), 0);
  EXPECT_EQ(told.threads_found(), 1u);
  EXPECT_GT(told.peak_memory_bytes(), 0u);
  EXPECT_EQ(told.cold_by(), "");
  EXPECT_EQ(told.alone_median_s(), 0);
}

// Twice in f32 differs from twice in f64 by rounding at most, 6e-8; no element is zero or no number.
TEST_F(WatchedJobTest, TellsTheErrorOverAllElements) {
  const wire::Conditions told = run("twice").body.conditions();
  EXPECT_TRUE(told.has_error_norm());
  EXPECT_LE(told.error_norm(), 1.2e-7);
  EXPECT_EQ(told.nan_count(), 0u);
  EXPECT_EQ(told.inf_count(), 0u);
  EXPECT_EQ(told.zero_share(), 0);
}

TEST_F(WatchedJobTest, AWrongResultTellsWhatIsWrongAndNothingOfSamples) {
  const Ran ran = run_faulty("nan");
  EXPECT_EQ(ran.outcome, Outcome::wrong_result);
  EXPECT_EQ(ran.body.conditions().nan_count(), 1u);
  EXPECT_FALSE(ran.body.conditions().measured());
}

TEST_F(WatchedJobTest, AColdOneTellsHow) {
  cache_ = Cache::cold;
  EXPECT_EQ(run("twice").body.conditions().cold_by(), "eviction");
}

// Operands of 256 KiB beside a cache of 1 MiB: 12 others cover it three times.
TEST_F(WatchedJobTest, ALargerColdOneRotatesCopies) {
  cache_ = Cache::cold;
  const Ran ran = run("twice", {{"n", 1 << 16}});
  EXPECT_EQ(ran.outcome, Outcome::ok) << ran.body.reason();
  EXPECT_EQ(ran.body.conditions().cold_by(), "rotation");
  EXPECT_THAT(ran.doubts(), Not(Contains(HasSubstr("changed while"))));
  cache_ = Cache::hot;
  EXPECT_EQ(run("twice", {{"n", 1 << 16}}).body.conditions().cold_by(), "");
}

TEST_F(JobTest, AJobBelowTwentyMillisecondsIsNotWatched) {
  rules_.measure.warmup = {1, 9ms, 10s};
  rules_.measure.samples = {3, 3, 10ms, 60s};
  const Ran ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::ok);
  EXPECT_FALSE(ran.body.has_conditions());
}

TEST_F(WatchedJobTest, WhatIsNotAsAskedForLowersTheGrade) {
  SlotPlace place{1, "0-1", 1 << 20};
  place.environment = {{"KERNSWEEP_TEST_UNSET", "1"}};
  use_place(place);
  const Ran ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::ok);
  EXPECT_GE(ran.body.samples_s_size(), 3);
  EXPECT_THAT(ran.grades(), Contains("asked for KERNSWEEP_TEST_UNSET=1, it is not set any more"));
}

TEST_F(WatchedJobTest, OrFailsTheJobWhereTheFileSaysSo) {
  SlotPlace place{1, "0-1", 1 << 20};
  place.environment = {{"KERNSWEEP_TEST_UNSET", "1"}};
  use_place(place);
  rules_.measure.verify.asked = AskedRule::fail;
  const Ran ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::failed_setup);
  EXPECT_EQ(ran.body.samples_s_size(), 0);
  EXPECT_EQ(ran.body.reason(), "verify.asked: asked for KERNSWEEP_TEST_UNSET=1, it is not set any more");
}

TEST_F(WatchedJobTest, WhatIsAsAskedForIsNot) {
  SlotPlace place{1, "0-1", 1 << 20};
  place.environment = {{"PATH", std::getenv("PATH")}};
  use_place(place);
  EXPECT_THAT(run("twice").grades(), Not(Contains(HasSubstr("asked for"))));
}

// A call of the fake takes nanoseconds, so as one call a sample is far too short.
TEST_F(JobTest, OneCallThatIsTooShortForTheClockIsGraded) {
  rules_.measure.metric = Metric::latency;
  const Ran ran = run("twice");
  EXPECT_EQ(ran.body.calls_per_sample(), 1u);
  EXPECT_THAT(ran.grades(), Contains(HasSubstr("one call is too short for the clock")));
  rules_.measure.metric = Metric::throughput;
  EXPECT_THAT(run("twice").grades(), Not(Contains(HasSubstr("too short"))));
}

TEST_F(WatchedJobTest, LatencyKeepsEverySample) {
  rules_.measure.metric = Metric::latency;
  const Ran ran = run("twice");
  EXPECT_EQ(ran.body.conditions().discarded(), 0u);
  EXPECT_EQ(ran.body.conditions().samples_taken(), static_cast<std::uint64_t>(ran.body.samples_s_size()));
}

class BesideNeighboursTest : public WatchedJobTest {
 protected:
  BesideNeighboursTest() {
    leased_ = false;
    rules_.measure.alone_on = Exclusion::core;
    rules_.measure.interference = 1;
  }
};

TEST_F(BesideNeighboursTest, IsMeasuredOnceMoreAlone) {
  const Ran ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::ok);
  EXPECT_EQ(agent_.leases, 1);
  EXPECT_EQ(agent_.whole_host_leases, 1);
  EXPECT_GT(ran.body.conditions().alone_median_s(), 0);
  EXPECT_EQ(agent_.shown, "job measuring measuring ") << "each with its own time limit";
}

TEST_F(BesideNeighboursTest, ButNotWhereTheHostIsItsOwnAnyway) {
  rules_.measure.alone_on = Exclusion::host;
  EXPECT_EQ(run("twice").body.conditions().alone_median_s(), 0);
  EXPECT_EQ(agent_.whole_host_leases, 0);
}

TEST_F(BesideNeighboursTest, NorInARunWithItsLease) {
  leased_ = true;
  (void)run("twice");
  EXPECT_EQ(agent_.whole_host_leases, 0);
}

TEST_F(BesideNeighboursTest, NorWhenTheFileWantsNone) {
  rules_.measure.interference = 0;
  (void)run("twice");
  EXPECT_EQ(agent_.whole_host_leases, 0);
}

TEST_F(BesideNeighboursTest, WithoutTheSecondLeaseTheResultStands) {
  agent_.keeps_whole_host = true;
  const Ran ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::ok);
  EXPECT_GE(ran.body.samples_s_size(), 3);
  EXPECT_EQ(ran.body.conditions().alone_median_s(), 0);
}

}  // namespace
}  // namespace kernsweep::testing_slot
