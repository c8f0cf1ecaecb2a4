// Slots that die, hang or do not start; jobs that are taken back.
#include "tests/unit/worker_core/core_fixture.hpp"

namespace kernsweep::worker {
namespace {

using Failures = CoreFixture;

TEST_F(Failures, ProcessThatDiesInARunOfOneIsTheFaultOfItsJob) {
  open(1);
  EXPECT_EQ(arrive({order(0), order(1)}), "start 1 key 0 on 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(exited(1), "report 0 signal from 1 (killed by SIGSEGV); start 2 key 0 on 0");
}

TEST_F(Failures, AfterACrashTheJobsOfARunAreTriedOneByOne) {
  open(1);
  experienced(5ms);
  EXPECT_EQ(arrive({order(0), order(1), order(2)}), "run 1: 0 1 2 leased");
  EXPECT_EQ(measured(1, 0, 5ms), "report 0 ok from 1");
  EXPECT_EQ(exited(1), "start 2 key 0 on 0") << "nobody is blamed yet";
  EXPECT_EQ(ready(2), "run 2: 1");
  EXPECT_EQ(exited(2), "report 1 signal from 2 (killed by SIGSEGV); start 3 key 0 on 0");
  EXPECT_EQ(ready(3), "run 3: 2");
  EXPECT_EQ(requests_lease(3), "grant 3");
  EXPECT_EQ(measured(3, 2, 5ms), "report 2 ok from 3");
  EXPECT_EQ(arrive({order(3), order(4)}), "run 3: 3 4 leased") << "and the next are trusted again";
}

TEST_F(Failures, RunThatOverstaysIsTriedOneByOneToo) {
  open(1);
  experienced(5ms);
  EXPECT_EQ(arrive({order(0), order(1)}), "run 1: 0 1 leased");
  now = now + 100s;
  EXPECT_EQ(measured(1, 0, 5ms), "report 0 ok from 1");
  EXPECT_EQ(core->next_deadline(), now + 60s) << "the shorter limit of job 1, from the last outcome";
  EXPECT_EQ(pass(60s), "look at 1");
  EXPECT_EQ(seen(1, 4, true, now), "") << "it has begun to measure just now";
  EXPECT_EQ(pass(120s), "look at 1");
  EXPECT_EQ(seen(1, 4, true, now + -120s), "kill 1");
  EXPECT_EQ(exited(1), "start 2 key 0 on 0");
  EXPECT_EQ(ready(2), "run 2: 1");
}

// Job 0 of a leased run alone: the slot's board decides which limit was exceeded. Jobs 100 and 101 were its
// process's first two.
TEST_F(Failures, ShortJobThatHangsIsBlamedForThePhaseItIsIn) {
  open(1);
  experienced(5ms);
  EXPECT_EQ(arrive({order(0)}), "run 1: 0 leased");
  const Instant sent = now;
  EXPECT_EQ(pass(60s), "look at 1");
  EXPECT_EQ(seen(1, 3, false, sent), "kill 1");
  EXPECT_EQ(exited(1),
            "report 0 timeout_setup from 1 (preparation and verification took longer than "
            "timeout.setup: 60 s)");
}

TEST_F(Failures, ShortJobThatHangsWhileItMeasuresHasItsWholeLimit) {
  open(1);
  experienced(5ms);
  EXPECT_EQ(arrive({order(0)}), "run 1: 0 leased");
  const Instant sent = now;
  EXPECT_EQ(pass(60s), "look at 1");
  EXPECT_EQ(seen(1, 3, true, sent + 1s), "");
  EXPECT_EQ(core->next_deadline(), sent + 121s);
  now = sent + 120s;
  EXPECT_EQ(pass(1s), "look at 1");
  EXPECT_EQ(seen(1, 3, true, sent + 1s), "kill 1");
  EXPECT_EQ(exited(1),
            "report 0 timeout_run from 1 (warm-up and samples took longer than timeout.run: 120 s)");
}

TEST_F(Failures, SlotThatHasNotBegunItsRunIsStillSettingUp) {
  open(1);
  experienced(5ms);
  EXPECT_EQ(arrive({order(0)}), "run 1: 0 leased");
  EXPECT_EQ(pass(60s), "look at 1");
  EXPECT_EQ(seen(1, 2, true, now + -70s), "kill 1") << "what it shows is of the job before";
  EXPECT_EQ(exited(1),
            "report 0 timeout_setup from 1 (preparation and verification took longer than "
            "timeout.setup: 60 s)");
}

TEST_F(Failures, WhatIsShownCannotKeepAJobForEver) {
  open(1);
  experienced(5ms);
  EXPECT_EQ(arrive({order(0)}), "run 1: 0 leased");
  EXPECT_EQ(pass(60s), "look at 1");
  EXPECT_EQ(seen(1, 3, true, now + 1000000s), "");
  EXPECT_EQ(pass(125s), "look at 1") << "60 s, 120 s and 5 s of grace";
  EXPECT_EQ(seen(1, 3, true, now + 1000000s), "kill 1");
  EXPECT_EQ(exited(1),
            "report 0 timeout_run from 1 (warm-up and samples took longer than timeout.run: 120 s)");
}

TEST_F(Failures, JobsBegunAreCountedModulo65536) {
  open(1);
  experienced(5ms);
  EXPECT_EQ(arrive({order(0)}), "run 1: 0 leased");
  EXPECT_EQ(pass(60s), "look at 1");
  EXPECT_EQ(seen(1, 0xffff, true, now), "kill 1")
      << "fewer than it has told: set-up, by the worker's clock";
  EXPECT_EQ(exited(1),
            "report 0 timeout_setup from 1 (preparation and verification took longer than "
            "timeout.setup: 60 s)");
}

TEST_F(Failures, AnswerThatComesTooLateIsOfNoInterest) {
  open(1);
  experienced(5ms);
  EXPECT_EQ(arrive({order(0)}), "run 1: 0 leased");
  EXPECT_EQ(pass(60s), "look at 1");
  EXPECT_EQ(measured(1, 0, 5ms), "report 0 ok from 1");
  EXPECT_EQ(seen(1, 3, false, now + -60s), "");
  EXPECT_EQ(seen(9, 3, false, now + -60s), "") << "nor that of a slot that nobody knows";
}

TEST_F(Failures, SetupThatOverstaysIsATimeoutOfTheSetup) {
  open(1);
  Order slow = order(0);
  slow.setup_timeout = 1500ms;
  EXPECT_EQ(arrive({slow}), "start 1 key 0 on 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(pass(1499ms), "");
  EXPECT_EQ(pass(1ms), "kill 1");
  EXPECT_EQ(
      exited(1),
      "report 0 timeout_setup from 1 (preparation and verification took longer than timeout.setup: 1.5 s)");
}

TEST_F(Failures, WaitingForTheLeaseIsNotCountedAgainstAJob) {
  open(2);
  EXPECT_EQ(arrive({order(0), order(1)}), "start 1 key 0 on 0; start 2 key 0 on 1");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(ready(2), "run 2: 1");
  EXPECT_EQ(requests_lease(1), "");
  EXPECT_EQ(requests_lease(2), "grant 1");
  now = now + 119s;
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1; grant 2");
  EXPECT_EQ(core->next_deadline(), now + 120s);
}

TEST_F(Failures, OutcomeThatComesBeforeTheKillCounts) {
  open(1);
  EXPECT_EQ(arrive({order(0)}), "start 1 key 0 on 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(requests_lease(1), "grant 1");
  EXPECT_EQ(pass(120s), "kill 1");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1");
  EXPECT_EQ(exited(1, "killed by SIGKILL"), "");
}

TEST_F(Failures, KeyThatCannotBeStartedIsGivenUpAfterThreeTries) {
  open(1);
  EXPECT_EQ(arrive({order(0), order(1)}), "start 1 key 0 on 0");
  EXPECT_EQ(exited(1, "no such library"), "start 2 key 0 on 0");
  EXPECT_EQ(exited(2, "no such library"), "start 3 key 0 on 0");
  EXPECT_EQ(
      exited(3, "no such library"),
      "report 0 failed_setup from 3 (its process could not be started, 3 times in a row: no such library); "
      "start 4 key 0 on 0");
  EXPECT_EQ(
      exited(4, "no such library"),
      "report 1 failed_setup from 4 (its process could not be started, 4 times in a row: no such library)");
}

TEST_F(Failures, ProcessThatNeverComesUpIsAFailedStart) {
  options.starts_failed_max = 1;
  open(1);
  EXPECT_EQ(arrive({order(0)}), "start 1 key 0 on 0");
  EXPECT_EQ(core->next_deadline(), now + 60s);
  EXPECT_EQ(pass(60s), "kill 1");
  EXPECT_EQ(ready(1), "") << "too late";
  EXPECT_EQ(exited(1, "killed by SIGKILL"),
            "report 0 failed_setup from 1 (its process could not be started, 1 time: the slot's "
            "process was "
            "not ready within timeout.setup: 60 s)");
}

TEST_F(Failures, IdleProcessThatDiesIsNoFailure) {
  open(1);
  experienced(1s);
  EXPECT_EQ(exited(1), "");
  EXPECT_EQ(exited(1), "") << "nor is one that nobody knows";
  EXPECT_EQ(arrive({order(0)}), "start 2 key 0 on 0");
}

TEST_F(Failures, CancelledJobsComeBackWhereverTheyAre) {
  open(1);
  EXPECT_EQ(arrive({order(0), order(1), order(2)}), "start 1 key 0 on 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(tell(JobsCancelled{{attempt(1), attempt(0), attempt(9)}}), "kill 1; return 1 0");
  EXPECT_EQ(measured(1, 0), "") << "it is returned already";
  EXPECT_EQ(exited(1, "killed by SIGKILL"), "start 2 key 0 on 0");
  EXPECT_EQ(ready(2), "run 2: 2");
}

TEST_F(Failures, OthersOfACancelledRunAreNotBlamed) {
  open(1);
  experienced(5ms);
  EXPECT_EQ(arrive({order(0), order(1), order(2)}), "run 1: 0 1 2 leased");
  EXPECT_EQ(tell(JobsCancelled{{attempt(1)}}), "kill 1; return 1");
  EXPECT_EQ(measured(1, 0, 5ms), "report 0 ok from 1") << "it was faster than the kill";
  EXPECT_EQ(exited(1, "killed by SIGKILL"), "start 2 key 0 on 0");
  EXPECT_EQ(ready(2), "run 2: 2 leased");
}

TEST_F(Failures, JobCancelledWhileItsProcessStartsLeavesTheProcess) {
  open(1);
  EXPECT_EQ(arrive({order(0)}), "start 1 key 0 on 0");
  EXPECT_EQ(tell(JobsCancelled{{attempt(0)}}), "return 0");
  EXPECT_EQ(ready(1), "");
  EXPECT_EQ(arrive({order(1)}), "run 1: 1");
}

TEST_F(Failures, StopGivesEverythingBackAndEndsEveryProcess) {
  open(2);
  EXPECT_EQ(arrive({order(0), order(1, Exclusion::host, 2), order(2, Exclusion::host, 2)}),
            "start 1 key 0 on 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(tell(StopAsked{}), "kill 1; return 1 2 0");
  EXPECT_EQ(arrive({order(5)}), "return 5");
  EXPECT_EQ(exited(1), "");
  EXPECT_EQ(core->activity().slots, 0U);
}

TEST_F(Failures, WordsOfSlotsNobodyKnowsAreIgnored) {
  open(1);
  EXPECT_EQ(ready(4), "");
  EXPECT_EQ(measured(4, 0), "");
  EXPECT_EQ(exited(4), "");
  EXPECT_EQ(tell(JobsCancelled{{attempt(3)}}), "");
  EXPECT_EQ(core->next_deadline(), std::nullopt);
}

}  // namespace
}  // namespace kernsweep::worker
