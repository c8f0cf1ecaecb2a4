// Which outcomes are believed, stored and released.
#include "tests/unit/coordinator_core/table.hpp"

namespace kernsweep::coordinator {
namespace {

class Results : public Table {
 protected:
  // One worker with one core, so a credit of two: jobs 0 and 1 are with it.
  void begin() {
    submit();
    join(1, host(1, 1));
    ASSERT_EQ(sent_to(1), "0#1 1#1");
  }
};

TEST_F(Results, ResultIsReleasedOnlyAfterItsCommit) {
  begin();
  answer(1, attempt(0));
  EXPECT_EQ(stored(), "0#1 ok accepted from 1");
  EXPECT_EQ(sent_to(1), "2#1");
  pass(100ms);  // time alone releases nothing
  store({attempt(0)});
  EXPECT_EQ(released_to(1), "0#1");
  EXPECT_EQ(core->tally(kSweep).done, 1U);
}

TEST_F(Results, OutcomeToldTwiceIsStoredOnce) {
  begin();
  answer(1, attempt(0));
  EXPECT_EQ(stored(), "0#1 ok accepted from 1");
  EXPECT_EQ(sent_to(1), "2#1");
  answer(1, attempt(0));  // not committed yet: neither stored again nor released
  EXPECT_EQ(released_to(1), "unused 1");
  store({attempt(0)});
  EXPECT_EQ(released_to(1), "0#1");
  answer(1, attempt(0));  // committed: the worker may forget it, again
  EXPECT_EQ(released_to(1), "0#1 unused 1");
  store({attempt(0)});  // a second acknowledgement changes nothing
  EXPECT_EQ(core->tally(kSweep).done, 1U);
}

TEST_F(Results, CommitsToldInAnotherOrderReleaseTheRightOnes) {
  begin();
  answer(1, attempt(0));
  EXPECT_EQ(stored(), "0#1 ok accepted from 1");
  EXPECT_EQ(sent_to(1), "2#1");
  answer(1, attempt(1));
  EXPECT_EQ(stored(), "1#1 ok accepted from 1");
  store({attempt(1)});
  EXPECT_EQ(released_to(1), "1#1");
  store({attempt(0)});
  EXPECT_EQ(released_to(1), "0#1");
}

TEST_F(Results, LateResultFromALostWorkerIsReleasedNotStored) {
  begin();
  tell(WorkerLeft{WorkerId{1}, "closed"});
  EXPECT_EQ(stored(), "0#1 worker_lost to retry: closed");
  EXPECT_EQ(stored(), "1#1 worker_lost to retry: closed");
  EXPECT_EQ(dismissed(1), "closed");
  answer(1, attempt(0));  // its row is under way: not yet
  EXPECT_EQ(released_to(1), "unused 1");
  store({attempt(0), attempt(1)});
  answer(1, attempt(0));
  EXPECT_EQ(released_to(1), "0#1 unused 1");
  join(2, host(2, 1));
  EXPECT_EQ(sent_to(2), "0#2 2#1") << "one at a time of those that may have killed a worker";
}

// The second one joins with an outcome of 0#1, while the newer attempt of the first one is being stored.
class Deferred : public Results {
 protected:
  void store_the_newer_one_meanwhile() {
    begin();
    tell(WorkerLeft{WorkerId{1}, "closed"});
    EXPECT_EQ(stored(), "0#1 worker_lost to retry: closed");
    EXPECT_EQ(stored(), "1#1 worker_lost to retry: closed");
    EXPECT_EQ(dismissed(1), "closed");
    store({attempt(0), attempt(1)});
    join(2, host(2, 1));
    EXPECT_EQ(sent_to(2), "0#2 2#1");
    answer(2, attempt(0, 2));
    EXPECT_EQ(stored(), "0#2 ok accepted from 2");
    EXPECT_EQ(sent_to(2), "1#2");
    join(3, host(1, 1), {attempt(0)});
    EXPECT_EQ(cancelled_at(3), "0#1");
    EXPECT_EQ(retracted_from(2), "1#2");  // the third is idle
  }
};

TEST_F(Deferred, AnOutcomeThatCameWhileAnotherWasStoredIsReleasedWithIt) {
  store_the_newer_one_meanwhile();
  answer(3, attempt(0));
  EXPECT_EQ(released_to(3), "unused 1");
  store({attempt(0, 2)});
  EXPECT_EQ(released_to(2), "0#2");
  EXPECT_EQ(released_to(3), "0#1");
  EXPECT_EQ(core->tables().deferred, 0U);
}

// Not even before it has reported the outcome that it announced.
TEST_F(Deferred, AWorkerIsNotDrainedBefore) {
  store_the_newer_one_meanwhile();
  tell(WorkerDraining{WorkerId{3}, "told to"});
  store({attempt(0, 2)});
  EXPECT_EQ(released_to(2), "0#2");
  EXPECT_EQ(released_to(3), "0#1");
  EXPECT_EQ(drained(3), "told to");
}

TEST_F(Deferred, NothingIsKeptForAWorkerThatIsGone) {
  store_the_newer_one_meanwhile();
  tell(WorkerLeft{WorkerId{3}, "closed"});
  EXPECT_EQ(dismissed(3), "closed");
  EXPECT_EQ(core->tables().deferred, 0U);
  store({attempt(0, 2)});
  EXPECT_EQ(released_to(2), "0#2");
}

// A restarted coordinator may reassign jobs of a worker that rejoins later.
class OneAttemptTwice : public Results {
 protected:
  void begin_with_two() {
    begin();
    join(2, host(2, 1), {attempt(0)});
    EXPECT_EQ(cancelled_at(2), "0#1");
    EXPECT_EQ(sent_to(2), "2#1");
    answer(2, attempt(0));
    EXPECT_EQ(released_to(2), "unused 1");
  }
};

TEST_F(OneAttemptTwice, IsReleasedToBothWhenItIsStored) {
  begin_with_two();
  answer(1, attempt(0));
  EXPECT_EQ(stored(), "0#1 ok accepted from 1");
  store({attempt(0)});
  EXPECT_EQ(released_to(1), "0#1");
  EXPECT_EQ(released_to(2), "0#1");
}

TEST_F(OneAttemptTwice, StaysWithItsWorkerWhenTheSweepIsStoppedWithoutIt) {
  begin_with_two();
  tell(StopAsked{});
  EXPECT_EQ(cancelled_at(1), "0#1 1#1");
  EXPECT_EQ(cancelled_at(2), "2#1");
  tell(JobsReturned{WorkerId{1}, {attempt(0), attempt(1)}});
  tell(JobsReturned{WorkerId{2}, {attempt(2)}});
  EXPECT_EQ(ended(), "ending 3");
}

TEST_F(OneAttemptTwice, IsReleasedWhenANewerOneIsSent) {
  begin_with_two();
  tell(JobsReturned{WorkerId{1}, {attempt(0), attempt(1)}});
  EXPECT_EQ(sent_to(2), "0#2");
  pass(250ms);
  EXPECT_EQ(released_to(2), "0#1");
}

TEST_F(OneAttemptTwice, DoesNotHoldUpAWorkerThatIsToLeave) {
  begin_with_two();
  tell(WorkerDraining{WorkerId{2}, "told to"});
  EXPECT_EQ(retracted_from(2), "2#1");
  tell(JobsReturned{WorkerId{2}, {attempt(2)}});
  EXPECT_EQ(drained(2), "told to");
  EXPECT_EQ(core->tables().deferred, 0U);
}

TEST_F(Results, FailureNamedByRetryGetsANewAttemptUntilMaxIsUsed) {
  space->rules.on = {Outcome::failed_run};
  space->rules.max = 2;
  begin();
  answer(1, attempt(0), Outcome::failed_run);
  EXPECT_EQ(stored(), "0#1 failed_run to retry from 1");
  EXPECT_EQ(sent_to(1), "0#2");
  answer(1, attempt(0, 2), Outcome::failed_run);
  EXPECT_EQ(stored(), "0#2 failed_run to retry from 1");
  EXPECT_EQ(sent_to(1), "0#3");
  answer(1, attempt(0, 3), Outcome::failed_run);  // two retries are used
  EXPECT_EQ(stored(), "0#3 failed_run accepted from 1");
  EXPECT_EQ(sent_to(1), "2#1");
  store({attempt(0, 1), attempt(0, 2), attempt(0, 3)});
  EXPECT_EQ(released_to(1), "0#1 0#2 0#3");
  EXPECT_EQ(core->tally(kSweep).retried, 2U);
  EXPECT_EQ(core->tally(kSweep).failed, 1U);
}

TEST_F(Results, FailureNotNamedByRetryIsAcceptedAtOnce) {
  begin();
  answer(1, attempt(0), Outcome::wrong_result);
  EXPECT_EQ(stored(), "0#1 wrong_result accepted from 1");
  EXPECT_EQ(sent_to(1), "2#1");
}

// The worker has the first two of three jobs.
TEST_F(Results, ThrottledResultIsMeasuredAgainAfterAllOthersIfTheRulesSaySo) {
  begin();
  answer(1, attempt(0), Outcome::ok, true);
  EXPECT_EQ(stored(), "0#1 ok to retry from 1");
  EXPECT_EQ(sent_to(1), "2#1") << "new jobs first: the disturbance has time to go";
  space->rules.on_throttled = false;
  answer(1, attempt(1), Outcome::ok, true);
  EXPECT_EQ(stored(), "1#1 ok accepted from 1");
  EXPECT_EQ(sent_to(1), "0#2");
  EXPECT_EQ(core->tables().set_aside, 0U);
}

TEST_F(Results, AFailedJobGoesBeforeADisturbedOne) {
  space = std::make_shared<FakeSpace>(4);
  space->rules.on = {Outcome::failed_run};
  begin();
  answer(1, attempt(0), Outcome::ok, true);
  EXPECT_EQ(stored(), "0#1 ok to retry from 1");
  EXPECT_EQ(sent_to(1), "2#1");
  answer(1, attempt(1), Outcome::failed_run);
  EXPECT_EQ(stored(), "1#1 failed_run to retry from 1");
  EXPECT_EQ(sent_to(1), "1#2");
  answer(1, attempt(2));
  EXPECT_EQ(stored(), "2#1 ok accepted from 1");
  EXPECT_EQ(sent_to(1), "3#1");
  answer(1, attempt(1, 2));
  EXPECT_EQ(stored(), "1#2 ok accepted from 1");
  EXPECT_EQ(sent_to(1), "0#2");
}

TEST_F(Results, TheLastTryAtAThrottledResultIsTheJobsWhateverItIs) {
  space->rules.max = 2;
  begin();
  answer(1, attempt(0), Outcome::ok, true);
  EXPECT_EQ(stored(), "0#1 ok to retry from 1");
  EXPECT_EQ(sent_to(1), "2#1");
  answer(1, attempt(2));
  EXPECT_EQ(stored(), "2#1 ok accepted from 1");
  EXPECT_EQ(sent_to(1), "0#2");
  answer(1, attempt(0, 2), Outcome::ok, true);
  EXPECT_EQ(stored(), "0#2 ok to retry from 1");
  EXPECT_EQ(sent_to(1), "0#3");
  answer(1, attempt(0, 3), Outcome::ok, true);
  EXPECT_EQ(stored(), "0#3 ok accepted from 1") << "the two retries are used";
  store({attempt(0, 1), attempt(2, 1), attempt(0, 2), attempt(0, 3)});
  EXPECT_EQ(released_to(1), "0#1 2#1 0#2 0#3");
  EXPECT_EQ(core->tally(kSweep).retried, 2U);
  EXPECT_EQ(core->tally(kSweep).ok, 2U);
}

TEST_F(Results, DisturbedTriesUseUpNoneOfThoseThatALostWorkerNeeds) {
  space->rules.max = 1;
  begin();
  answer(1, attempt(0), Outcome::ok, true);
  EXPECT_EQ(stored(), "0#1 ok to retry from 1") << "the only retry for a disturbed machine";
  EXPECT_EQ(sent_to(1), "2#1");
  answer(1, attempt(2));
  EXPECT_EQ(stored(), "2#1 ok accepted from 1");
  EXPECT_EQ(sent_to(1), "0#2");
  tell(WorkerLeft{WorkerId{1}, "closed"});
  EXPECT_EQ(stored(), "0#2 worker_lost to retry: closed");
  EXPECT_EQ(stored(), "1#1 worker_lost to retry: closed");
  EXPECT_EQ(dismissed(1), "closed");
  join(2, host(2, 1));
  EXPECT_EQ(sent_to(2), "0#3") << "of those that were with a lost worker one for each core";
  answer(2, attempt(0, 3), Outcome::ok, true);
  EXPECT_EQ(stored(), "0#3 ok accepted from 2");
  EXPECT_EQ(sent_to(2), "1#2");
}

TEST_F(Results, AttemptsNobodySentAreDroppedWithoutHarm) {
  begin();
  answer(1, attempt(99));  // beyond the end of the space
  EXPECT_EQ(released_to(1), "unused 1");
  answer(1, attempt(0, 1, 5));  // a host that does not exist with hosts: any
  EXPECT_EQ(released_to(1), "unused 1");
  answer(1, attempt(0, 0));  // attempts count from 1
  EXPECT_EQ(released_to(1), "unused 1");
  answer(1, {{SweepId{9}, 0, 0}, 1});  // a sweep never heard of
  EXPECT_EQ(released_to(1), "unused 1");
  answer(8, attempt(0));  // a worker never heard of; the attempt is another's
  EXPECT_EQ(released_to(8), "unused 1");
  EXPECT_EQ(core->tally(kSweep).in_flight, 2U);
}

TEST_F(Results, FailedStoreEndsTheSweepAndReleasesNothing) {
  begin();
  answer(1, attempt(0));
  EXPECT_EQ(stored(), "0#1 ok accepted from 1");
  EXPECT_EQ(sent_to(1), "2#1");
  tell(StoreFailed{"disk full"});
  EXPECT_EQ(ended(), "ending 4");
  store({attempt(0)});
  answer(1, attempt(1));
  EXPECT_EQ(released_to(1), "unused 1");
  join(2, host(2, 4));
  pass(100ms);
  EXPECT_TRUE(core->idle());
}

TEST_F(Results, SweepEndsOnceAfterTheLastCommit) {
  space = std::make_shared<FakeSpace>(1);
  submit();
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "0#1");
  answer(1, attempt(0));
  EXPECT_EQ(stored(), "0#1 ok accepted from 1");
  pass(100ms);
  store({attempt(0)});
  EXPECT_EQ(released_to(1), "0#1");
  EXPECT_EQ(ended(), "ending 1");
  store({attempt(0)});
  pass(100ms);
  EXPECT_EQ(core->tally(kSweep).ok, 1U);
  join(2, host(1, 1), {attempt(0)});  // it was away: it may forget
  EXPECT_EQ(released_to(2), "0#1");
  EXPECT_EQ(cancelled_at(2), "0#1");
}

// A client may submit the next sweep while the last one ends: only the shell dismisses workers.
TEST_F(Results, TheEndOfTheLastSweepKeepsItsWorkersForTheNext) {
  space = std::make_shared<FakeSpace>(1);
  submit();
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "0#1");
  answer(1, attempt(0));
  EXPECT_EQ(stored(), "0#1 ok accepted from 1");
  store({attempt(0)});
  EXPECT_EQ(released_to(1), "0#1");
  EXPECT_EQ(ended(), "ending 1");
  join(2, host(1, 1));
  pass(100ms);
  SweepSubmitted next = submission();
  next.sweep = SweepId{2};
  tell(next);
  EXPECT_EQ(sent_to(1), "0#1");
}

TEST_F(Results, AFailedJobMakesTheEndIncomplete) {
  space = std::make_shared<FakeSpace>(1);
  submit();
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "0#1");
  answer(1, attempt(0), Outcome::timeout_run);
  EXPECT_EQ(stored(), "0#1 timeout_run accepted from 1");
  store({attempt(0)});
  EXPECT_EQ(released_to(1), "0#1");
  EXPECT_EQ(ended(), "ending 2");
}

}  // namespace
}  // namespace kernsweep::coordinator
