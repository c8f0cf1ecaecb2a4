// What a job reports that was long enough to be watched; shorter ones are not watched. How quiet the
// machine is must not matter here.
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "tests/unit/slot/job/job_fixture.hpp"

namespace kernsweep::testing_slot {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class WatchedJobTest : public JobTest {
 protected:
  WatchedJobTest() {
    rules_.measure.warmup = {1, 10ms, 20ms};  // a busy machine has no stable clock to wait for
    rules_.measure.samples = {3, 30, 10ms, 60s};
  }
  void use_place(SlotPlace place) { runner_.emplace(pack_, doubling(), std::move(place), worker_); }
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
  EXPECT_LE(told.threads_found(), 1u) << "0 where the machine had hardly any time for it";
  EXPECT_GT(told.peak_memory_bytes(), 0u);
  EXPECT_EQ(told.metric(), static_cast<std::uint32_t>(Metric::throughput));
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
  EXPECT_TRUE(told.has_error_element());
  EXPECT_LE(told.error_element(), 1.2e-7);
}

TEST_F(WatchedJobTest, AWrongResultTellsWhatIsWrongAndNothingOfSamples) {
  const Ran ran = run_faulty("nan");
  EXPECT_EQ(ran.outcome, Outcome::wrong_result);
  EXPECT_EQ(ran.body.conditions().nan_count(), 1u);
  EXPECT_FALSE(ran.body.conditions().measured());
}

// That has ended by this signal, and that nothing has waited for.
pid_t helper_ended_by(int number) {
  const pid_t helper = fork();
  if (helper == 0) {
    const rlimit none{};
    setrlimit(RLIMIT_CORE, &none);
    signal(number, SIG_DFL);
    raise(number);
    _exit(0);
  }
  siginfo_t ended{};
  EXPECT_EQ(waitid(P_PID, static_cast<id_t>(helper), &ended, WEXITED | WNOWAIT), 0);
  return helper;
}

TEST_F(WatchedJobTest, AHelperThatCrashedIsADoubtOfOneJob) {
  const pid_t helper = helper_ended_by(SIGBUS);
  const auto about_it =
      Contains("a process that it had started was ended by SIGBUS: a part of the work is missing");
  const Ran first = run("twice"), second = run("twice");
  EXPECT_THAT(first.body.doubts(), about_it);
  EXPECT_EQ(first.body.doubt_cause(), 0u);
  EXPECT_FALSE(first.throttled);
  EXPECT_THAT(second.body.doubts(), Not(about_it));
  EXPECT_EQ(waitpid(helper, nullptr, 0), helper);
}

// A script may end its own helper so.
TEST_F(WatchedJobTest, AHelperThatTheKernelHasNotKilledLowersTheGrade) {
  const pid_t helper = helper_ended_by(SIGKILL);
  const auto about_it = Contains(
      "a process that it had started was ended by SIGKILL, not by the kernel: unless the program did so, a "
      "part of the work is missing");
  const Ran first = run("twice"), second = run("twice");
  EXPECT_THAT(first.body.grades(), about_it);
  EXPECT_THAT(second.body.grades(), Not(about_it));
  EXPECT_EQ(waitpid(helper, nullptr, 0), helper);
}

// Four floats would need far more than 15 copies.
TEST_F(WatchedJobTest, AColdOneTellsHow) {
  cache_ = Cache::cold;
  EXPECT_EQ(run("twice").body.conditions().cold_by(), "eviction");
  EXPECT_THAT(worker_.copies_wanted, ElementsAre(0u));
}

// Operands of 256 KiB with a cache of 1 MiB: 12 others cover it three times.
TEST_F(WatchedJobTest, ALargerColdOneRotatesCopiesOfTheHost) {
  cache_ = Cache::cold;
  const Ran ran = run("twice", {{"n", 1 << 16}});
  EXPECT_EQ(ran.outcome, Outcome::ok) << ran.body.reason();
  EXPECT_EQ(ran.body.conditions().cold_by(), "rotation");
  EXPECT_THAT(ran.doubts(), Not(Contains(HasSubstr("changed while"))));
  EXPECT_EQ(ran.body.inputs_size(), 1) << "copies are no inputs of their own";
  const std::size_t held = worker_.tensors_held();
  EXPECT_EQ(run("twice", {{"n", 1 << 16}}).body.conditions().cold_by(), "rotation");
  EXPECT_EQ(worker_.tensors_held(), held) << "the next job has the same ones";
  cache_ = Cache::hot;
  EXPECT_EQ(run("twice", {{"n", 1 << 16}}).body.conditions().cold_by(), "");
  EXPECT_THAT(worker_.copies_wanted, ElementsAre(12u, 12u, 0u));
}

TEST_F(WatchedJobTest, AColdOneForWhichTheHostHasNoCopiesIsMeasuredAllTheSame) {
  cache_ = Cache::cold;
  worker_.keeps_copies = true;
  const Ran ran = run("twice", {{"n", 1 << 16}});
  EXPECT_EQ(ran.outcome, Outcome::ok) << ran.body.reason();
  EXPECT_EQ(ran.body.conditions().cold_by(), "eviction");
}

TEST_F(WatchedJobTest, AColdOneWithoutOperandsDoesNotGetTheCopiesOfTheOneBefore) {
  cache_ = Cache::cold;
  rules_.measure.verify.enabled = false;  // and so asks the host for nothing at all
  ASSERT_EQ(run("twice", {{"n", 1 << 16}}).body.conditions().cold_by(), "rotation");
  EXPECT_EQ(run("twice", {{"n", 1 << 16}, {"inputs", 0}}).body.conditions().cold_by(), "eviction");
}

// Copies are for timed calls: an unwatched job evicts by force, as always.
TEST_F(JobTest, AnUnwatchedColdOneWantsNoCopies) {
  cache_ = Cache::cold;
  EXPECT_EQ(run("twice", {{"n", 1 << 16}}).outcome, Outcome::ok);
  EXPECT_THAT(worker_.copies_wanted, ElementsAre(0u));
}

TEST_F(JobTest, AJobBelowTwentyMillisecondsIsNotWatched) {
  rules_.measure.warmup = {1, 9ms, 10s};
  rules_.measure.samples = {3, 3, 10ms, 60s};
  const Ran ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::ok);
  EXPECT_FALSE(ran.body.conditions().measured());
  EXPECT_TRUE(ran.body.conditions().has_nan_count()) << "verified it was all the same";
  rules_.measure.verify.enabled = false;
  EXPECT_FALSE(run("twice").body.has_conditions());
}

TEST_F(JobTest, LatencyIsWatchedHoweverShort) {
  rules_.measure.metric = Metric::latency;
  const Ran ran = run("twice");
  EXPECT_TRUE(ran.body.conditions().measured());
  EXPECT_EQ(ran.body.conditions().samples_taken(), 3u);
}

TEST_F(JobTest, WhatMustBeAsAskedForIsWatchedHoweverShort) {
  SlotPlace place{1, "0-1", 1 << 20};
  place.environment = {{"KERNSWEEP_TEST_UNSET", "1"}};
  runner_.emplace(pack_, doubling(), std::move(place), worker_);
  EXPECT_EQ(run("twice").outcome, Outcome::ok);
  rules_.measure.verify.asked = AskedRule::fail;
  EXPECT_EQ(run("twice").outcome, Outcome::failed_setup);
}

// No clock is twice as high as the highest: every sample is disturbed, on any machine.
TEST_F(WatchedJobTest, TooManyDisturbedSamplesAskForAnotherTry) {
  rules_.measure.discard = {2, 0.2};
  const Ran ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::ok);
  EXPECT_TRUE(ran.throttled);
  EXPECT_THAT(ran.doubts(), Contains(HasSubstr("of the samples were disturbed: clock")));
  rules_.measure.discard = {2, 1};
  const Ran kept = run("twice");
  EXPECT_TRUE(!kept.throttled || !kept.doubts().empty()) << "all may be left out";
}

TEST_F(WatchedJobTest, AFailureIsNotTriedAgainForItsClock) {
  rules_.measure.discard = {2, 0.2};
  rules_.measure.verify.asked = AskedRule::fail;
  SlotPlace place{1, "0-1", 1 << 20};
  place.environment = {{"KERNSWEEP_TEST_UNSET", "1"}};
  use_place(place);
  const Ran ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::failed_setup);
  EXPECT_FALSE(ran.throttled);
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

// The fake computes with one thread in any case. If the machine was too busy to count, this does not lower
// the grade.
TEST_F(WatchedJobTest, AThreadThatDidNotWorkLowersTheGrade) {
  use_place(SlotPlace{2, "0-1", 1 << 20});
  const Ran ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::ok);
  if (ran.body.conditions().threads_found() == 0) GTEST_SKIP() << "the machine had no time for the job";
  EXPECT_THAT(ran.grades(), Contains("2 threads were asked for, 1 worked"));
}

// Sleepers of the process, such as the pools of earlier jobs, are nothing to this one.
TEST_F(WatchedJobTest, AThreadThatSleepsIsNotCounted) {
  std::atomic<bool> over = false;
  std::thread sleeper([&] { over.wait(false); });
  const Ran ran = run("twice");
  EXPECT_THAT(ran.grades(), Not(Contains(HasSubstr("asked for"))));
  over = true;
  over.notify_all();
  sleeper.join();
}

// Its own clock says that the work is done somewhere else.
TEST_F(WatchedJobTest, ThreadsOfAVariantWithAClockOfItsOwnAreNotCounted) {
  use_place(SlotPlace{2, "0-1", 1 << 20});
  const Ran ran = run_faulty("none");
  EXPECT_EQ(ran.body.conditions().threads_found(), 0u);
  EXPECT_THAT(ran.grades(), Not(Contains(HasSubstr("asked for"))));
}

// The peak is that of the job. 256 MiB that were touched and given back before it are not in it.
TEST_F(WatchedJobTest, ThePeakOfMemoryIsItsOwn) {
  constexpr std::size_t kBytes = std::size_t{256} << 20;
  ASSERT_EQ(run("twice").outcome, Outcome::ok);
  { const std::vector<char> touched(kBytes, 1); }
  EXPECT_LT(run("twice").body.conditions().peak_memory_bytes(), kBytes) << "0 where it cannot be told";
}

// A cache of 64 MiB is emptied with 192 MiB.
TEST_F(WatchedJobTest, NorIsWhatEmptiedTheCachesForAColdOne) {
#ifdef KERNSWEEP_SANITIZED
  GTEST_SKIP() << "a sanitizer keeps for a while what was given back";
#endif
  constexpr std::uint64_t kCache = std::uint64_t{64} << 20;
  use_place(SlotPlace{1, "0-1", kCache});
  cache_ = Cache::cold;
  const std::uint64_t cold = run("twice").body.conditions().peak_memory_bytes();
  cache_ = Cache::hot;
  const std::uint64_t hot = run("twice").body.conditions().peak_memory_bytes();
  if (hot == 0) GTEST_SKIP() << "this system does not let a process set its peak back";
  EXPECT_LT(hot, cold - kCache);
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

// No clock is twice as high as the highest, and the machine may be quieter by the next try.
TEST_F(WatchedJobTest, LatencyOfADisturbedMachineIsDoubtedAndTriedAgain) {
  rules_.measure.metric = Metric::latency;
  rules_.measure.discard = {2, 0.2};
  const Ran ran = run("twice");
  EXPECT_EQ(ran.body.conditions().discarded(), 0u);
  EXPECT_THAT(ran.doubts(), Contains(HasSubstr("100 % of the samples were disturbed: clock")));
  EXPECT_TRUE(ran.throttled);
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
  EXPECT_EQ(worker_.leases, 1);
  EXPECT_EQ(worker_.whole_host_leases, 1);
  EXPECT_GT(ran.body.conditions().alone_median_s(), 0);
  EXPECT_EQ(worker_.shown, "job measuring measuring ") << "each with its own time limit";
}

TEST_F(BesideNeighboursTest, ButNotWhereTheHostIsItsOwnAnyway) {
  rules_.measure.alone_on = Exclusion::host;
  EXPECT_EQ(run("twice").body.conditions().alone_median_s(), 0);
  EXPECT_EQ(worker_.whole_host_leases, 0);
}

TEST_F(BesideNeighboursTest, NorInARunWithItsLease) {
  leased_ = true;
  (void)run("twice");
  EXPECT_EQ(worker_.whole_host_leases, 0);
}

TEST_F(BesideNeighboursTest, NorWhenTheFileWantsNone) {
  rules_.measure.interference = 0;
  (void)run("twice");
  EXPECT_EQ(worker_.whole_host_leases, 0);
}

TEST_F(BesideNeighboursTest, WithoutTheSecondLeaseTheResultStands) {
  worker_.keeps_whole_host = true;
  const Ran ran = run("twice");
  EXPECT_EQ(ran.outcome, Outcome::ok);
  EXPECT_GE(ran.body.samples_s_size(), 3);
  EXPECT_EQ(ran.body.conditions().alone_median_s(), 0);
}

}  // namespace
}  // namespace kernsweep::testing_slot
