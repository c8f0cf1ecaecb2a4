// Waiting for a quiet host: the rule alone, and in the worker's core.
#include "worker/core/quiet_wait.hpp"

#include "tests/unit/worker_core/core_fixture.hpp"

namespace kernsweep::worker {
namespace {

HostSeen busy() {
  HostSeen seen;
  seen.busy_cores = 1.9;
  seen.processors = 2;
  seen.who = "clang uses 1.9 cores";
  return seen;
}
HostSeen calm() {
  HostSeen seen;
  seen.processors = 2;
  return seen;
}

class QuietTest : public ::testing::Test {
 protected:
  QuietTest() { open(30s); }
  void open(Duration patience) {
    quiet = Quiet(patience);
    quiet.start(now);
    quiet.begin(SweepId{1});
  }
  std::string after(Duration time, const HostSeen& seen) {
    now = now + time;
    return quiet.seen(now, seen);
  }
  // Busy until the patience is used up: 60 looks of 500 ms.
  void wait_in_vain() {
    EXPECT_NE(after(300ms, busy()), "");
    for (int look = 1; look < 60; ++look) EXPECT_EQ(after(500ms, busy()), "");
    EXPECT_EQ(after(500ms, busy()),
              "not quiet after 30 s: clang uses 1.9 cores; measuring anyway; disturbed results are graded "
              "C and not retried");
  }

  Instant now{100s};
  Quiet quiet{30s};
};

// A twentieth of 64 processors is 3.2.
TEST(Disturbs, FromAFifthOfACoreOnOrATwentiethOfTheHost) {
  EXPECT_FALSE(disturbs({0.2, 0, 2, "", {}}));
  EXPECT_TRUE(disturbs({0.21, 0, 2, "", {}}));
  EXPECT_FALSE(disturbs({3.2, 0, 64, "", {}}));
  EXPECT_TRUE(disturbs({3.3, 0, 64, "", {}}));
  EXPECT_FALSE(disturbs({0, 0.05, 2, "", {}}));
  EXPECT_TRUE(disturbs({0, 0.06, 2, "", {}}));
}

TEST_F(QuietTest, TheFirstJobWaitsForTheFirstLookAndThenEverySecondIsEnough) {
  EXPECT_FALSE(quiet.may_measure(now));
  EXPECT_EQ(quiet.look_at(), now + 250ms);
  EXPECT_EQ(after(250ms, calm()), "");
  EXPECT_TRUE(quiet.may_measure(now));
  EXPECT_TRUE(quiet.may_measure(now + 999ms));
  EXPECT_FALSE(quiet.may_measure(now + 1s));
}

// 20 ms are 2 % of a second, so the next look is after 50 times as long.
TEST_F(QuietTest, ADearLookIsTakenLessOften) {
  HostSeen seen = calm();
  seen.took = 40ms;
  after(250ms, seen);
  EXPECT_TRUE(quiet.may_measure(now + 1999ms));
  EXPECT_FALSE(quiet.may_measure(now + 2s));
}

// Four looks of 500 ms after the first one: 2 s.
TEST_F(QuietTest, WaitsUntilTwoLooksInARowAreQuiet) {
  EXPECT_EQ(
      after(300ms, busy()),
      "this host is not quiet: clang uses 1.9 cores; waiting for quiet for at most 30 s (--patience 0 "
      "does not wait)");
  EXPECT_EQ(quiet.waits(),
            "waiting for quiet: clang uses 1.9 cores; 30 s left, --patience 0 does not wait");
  EXPECT_EQ(quiet.look_at(), now + 500ms);
  EXPECT_EQ(after(500ms, calm()), "");
  EXPECT_EQ(after(500ms, busy()), "");
  EXPECT_EQ(after(500ms, calm()), "");
  EXPECT_FALSE(quiet.may_measure(now));
  EXPECT_EQ(after(500ms, calm()), "quiet after 2 s; measuring");
  EXPECT_TRUE(quiet.may_measure(now));
  EXPECT_EQ(quiet.waits(), "");
  EXPECT_FALSE(quiet.stands(now));
}

TEST_F(QuietTest, OnePatienceServesAllJobsOfASweep) {
  wait_in_vain();
  EXPECT_TRUE(quiet.may_measure(now));
  EXPECT_TRUE(quiet.stands(now));
  EXPECT_EQ(quiet.why_not_again(), "not retried, because the disturbance lasts: clang uses 1.9 cores");
  EXPECT_EQ(after(1s, busy()), "");
  EXPECT_TRUE(quiet.may_measure(now));
}

// The first quiet look is at 0 s, so the 5 s are over with the sixth.
TEST_F(QuietTest, WhatStandsEndsWithFiveSecondsOfQuietAndThePatienceStaysUsedUp) {
  wait_in_vain();
  for (int look = 0; look < 5; ++look) {
    after(1s, calm());
    EXPECT_TRUE(quiet.stands(now)) << look;
  }
  after(1s, calm());
  EXPECT_FALSE(quiet.stands(now));
  EXPECT_EQ(after(1s, busy()), "") << "told once";
  EXPECT_TRUE(quiet.may_measure(now));
  EXPECT_TRUE(quiet.stands(now));
}

TEST_F(QuietTest, ANewerSweepHasAPatienceOfItsOwn) {
  wait_in_vain();
  quiet.begin(SweepId{1});
  EXPECT_TRUE(quiet.stands(now));
  quiet.begin(SweepId{2});
  EXPECT_FALSE(quiet.stands(now));
  EXPECT_NE(after(1s, busy()), "");
  EXPECT_FALSE(quiet.may_measure(now));
}

TEST_F(QuietTest, WithoutPatienceNoTimeIsLost) {
  open(0s);
  EXPECT_TRUE(quiet.may_measure(now));
  EXPECT_FALSE(quiet.may_measure(now + 300ms)) << "a look is due, and answered at once";
  EXPECT_EQ(after(300ms, busy()),
            "this host is not quiet: clang uses 1.9 cores; measuring anyway; disturbed results are graded "
            "C and not retried");
  EXPECT_TRUE(quiet.may_measure(now));
  EXPECT_TRUE(quiet.stands(now));
}

// Looks see nothing of it. 31 s after the first of three results, that is longer than the patience.
TEST_F(QuietTest, WhatNoLookShowsStandsWhenAllWasDisturbedForAsLongAsThePatience) {
  quiet.measured(now, true);
  quiet.measured(now + 20s, true);
  EXPECT_FALSE(quiet.stands(now + 31s)) << "two results are few";
  quiet.measured(now + 29s, true);
  EXPECT_FALSE(quiet.stands(now + 29s));
  EXPECT_TRUE(quiet.stands(now + 31s));
  EXPECT_EQ(quiet.why_not_again(), "not retried, because the disturbance lasts");
  quiet.measured(now + 32s, false);
  EXPECT_FALSE(quiet.stands(now + 60s)) << "a clean one: another try may help";
}

TEST_F(QuietTest, ADisturbedResultAsksForALook) {
  after(300ms, calm());
  quiet.measured(now, true);
  EXPECT_FALSE(quiet.may_measure(now + 10ms));
  EXPECT_EQ(quiet.look_at(), now + 250ms);
}

// An hour between two looks counts as a second: this process was stopped.
TEST_F(QuietTest, APauseOfThisProcessIsNoWaiting) {
  after(300ms, busy());
  after(1h, busy());
  EXPECT_EQ(quiet.waits(),
            "waiting for quiet: clang uses 1.9 cores; 29 s left, --patience 0 does not wait");
}

// 400 ms are used up when the job is cancelled.
TEST_F(QuietTest, NobodyLeftToWaitEndsTheWaiting) {
  after(300ms, busy());
  quiet.nobody_waits(now + 400ms);
  EXPECT_EQ(quiet.waits(), "");
  EXPECT_EQ(
      after(1s, busy()),
      "this host is not quiet: clang uses 1.9 cores; waiting for quiet for at most 30 s (--patience 0 "
      "does not wait)");
}

TEST_F(QuietTest, StolenTimeIsTold) {
  HostSeen seen;
  seen.steal_share = 0.12;
  after(300ms, seen);
  EXPECT_EQ(
      quiet.waits(),
      "waiting for quiet: a hypervisor takes 12 % of the time; 30 s left, --patience 0 does not wait");
}

class QuietCore : public CoreFixture {
 protected:
  QuietCore() {
    options.patience = 30s;
    open(2);
  }
  static Order watched(std::uint64_t index) {
    Order made = order(index);
    made.watched = true;
    return made;
  }
  std::string seen(const HostSeen& host) { return tell(host); }
  std::string disturbed(std::uint32_t slot, std::uint64_t index) {
    return tell(OutcomesMeasured{{{SlotId{slot}, attempt(index), Outcome::ok, 1s, 7, false, false, true}}});
  }
  // Job 0 has requested its lease, and the host is busy.
  void begin() {
    EXPECT_EQ(arrive({watched(0)}), "start 1 key 0 on 0");
    EXPECT_EQ(ready(1), "run 1: 0");
    now = now + 300ms;
    EXPECT_EQ(requests_lease(1), "look at host");
    EXPECT_EQ(seen(busy()),
              "tell user: this host is not quiet: clang uses 1.9 cores; waiting for quiet for at most 30 s "
              "(--patience 0 does not wait)");
    EXPECT_EQ(core->next_deadline(), now + 500ms);
  }
  // Looks every 500 ms until the patience is used up.
  void wait_in_vain() {
    for (int look = 1; look < 60; ++look) {
      EXPECT_EQ(pass(500ms), "look at host");
      EXPECT_EQ(seen(busy()), "");
    }
    EXPECT_EQ(pass(500ms), "look at host");
    EXPECT_EQ(seen(busy()),
              "tell user: not quiet after 30 s: clang uses 1.9 cores; measuring anyway; disturbed results "
              "are graded C and not retried; grant 1");
  }
};

TEST_F(QuietCore, AWatchedJobGetsItsLeaseWhenTheHostIsQuiet) {
  begin();
  EXPECT_EQ(core->activity().waits,
            "waiting for quiet: clang uses 1.9 cores; 30 s left, --patience 0 does not wait");
  EXPECT_EQ(pass(500ms), "look at host");
  EXPECT_EQ(seen(calm()), "");
  EXPECT_EQ(pass(500ms), "look at host");
  EXPECT_EQ(seen(calm()), "tell user: quiet after 1 s; measuring; grant 1");
  EXPECT_EQ(core->activity().waits, "");
  EXPECT_EQ(core->next_deadline(), now + 120s) << "timeout.run begins with the lease";
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1");
}

TEST_F(QuietCore, AnUnwatchedJobDoesNotWait) {
  EXPECT_EQ(arrive({order(0)}), "start 1 key 0 on 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(requests_lease(1), "grant 1");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1");
}

TEST_F(QuietCore, WhatIsDisturbedWhileTheDisturbanceStandsIsMarked) {
  begin();
  wait_in_vain();
  EXPECT_EQ(disturbed(1, 0), "report 0 ok from 1 stands");
  EXPECT_EQ(arrive({watched(1)}), "run 1: 1");
  now = now + 1s;
  EXPECT_EQ(requests_lease(1), "look at host");
  EXPECT_EQ(seen(busy()), "grant 1") << "no second wait";
  EXPECT_EQ(measured(1, 1), "report 1 ok from 1") << "clean all the same";
}

TEST_F(QuietCore, WhatIsDisturbedOnAQuietHostIsWorthAnotherTry) {
  EXPECT_EQ(arrive({watched(0)}), "start 1 key 0 on 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  now = now + 300ms;
  EXPECT_EQ(requests_lease(1), "look at host");
  EXPECT_EQ(seen(calm()), "grant 1");
  EXPECT_EQ(disturbed(1, 0), "report 0 ok from 1");
}

TEST_F(QuietCore, WhoDrainsDoesNotWait) {
  begin();
  EXPECT_EQ(tell(DrainAsked{}), "grant 1");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1; drained");
}

TEST_F(QuietCore, StopAndCancelEndTheWaiting) {
  begin();
  EXPECT_EQ(tell(JobsCancelled{{attempt(0)}}), "kill 1; return 0");
  EXPECT_EQ(core->activity().waits, "");
  EXPECT_EQ(core->next_deadline(), now + options.exit_limit) << "no look is due";
  EXPECT_EQ(tell(StopAsked{}), "");
}

TEST_F(QuietCore, ALookThatNobodyAskedForSaysNothing) {
  EXPECT_EQ(seen(busy()), "");
}

}  // namespace
}  // namespace kernsweep::worker
