// Workers come, fall silent and come back.
#include "tests/unit/coordinator_core/table.hpp"

namespace kernsweep::coordinator {
namespace {

class Sessions : public Table {
 protected:
  void begin() {
    submit();
    join(1, host(1, 1));
    ASSERT_EQ(sent_to(1), "0#1 1#1");
  }
};

TEST_F(Sessions, HeartbeatsGoOutWhetherOrNotThereIsWork) {
  begin();
  now = now + options.heartbeat_every;
  tell(TimePassed{});
  EXPECT_EQ(drop_heartbeats(), 1U);
  now = now + 100ms;
  tell(TimePassed{});
  EXPECT_EQ(drop_heartbeats(), 0U);
}

TEST_F(Sessions, SilentWorkerIsLostAndItsJobsGoElsewhere) {
  begin();
  join(2, host(2, 1));
  EXPECT_EQ(sent_to(2), "2#1");
  for (int i = 0; i < 5; ++i) {
    pass(500ms);
    tell(WorkerHeard{WorkerId{2}});
  }
  pass(1ms);  // 2501 ms since worker 1 was heard
  EXPECT_EQ(stored(), "0#1 worker_lost to retry: not heard of for 2500 ms");
  EXPECT_EQ(stored(), "1#1 worker_lost to retry: not heard of for 2500 ms");
  EXPECT_EQ(dismissed(1), "not heard of for 2500 ms");
  EXPECT_EQ(sent_to(2), "0#2");  // a credit of two
}

TEST_F(Sessions, NobodyIsLostBecauseTheCoordinatorSlept) {
  begin();
  pass(60s);  // one turn after a minute of standstill
  pass(500ms);
  EXPECT_EQ(core->tally(kSweep).in_flight, 2U);
}

TEST_F(Sessions, LossIsAcceptedWhenRetriesAreUsedUp) {
  space->rules.max = 0;
  begin();
  tell(WorkerLeft{WorkerId{1}, "closed"});
  EXPECT_EQ(stored(), "0#1 worker_lost accepted: closed");
  EXPECT_EQ(stored(), "1#1 worker_lost accepted: closed");
  EXPECT_EQ(dismissed(1), "closed");
  tell(WorkerLeft{WorkerId{1}, "closed"});  // reported twice, stored once
  store({attempt(0), attempt(1)});
  EXPECT_EQ(core->tally(kSweep).failed, 2U);
}

TEST_F(Sessions, WorkerThatComesBackKeepsWhatItHolds) {
  begin();
  join(2, host(1, 1), {attempt(0), attempt(1)}, WorkerId{1});
  answer(2, attempt(0));
  EXPECT_EQ(stored(), "0#1 ok accepted from 2");
  EXPECT_EQ(sent_to(2), "2#1");
  answer(1, attempt(1));  // late, from its former session: it will be reported again from the new one
  EXPECT_EQ(released_to(1), "unused 1");
}

TEST_F(Sessions, JobLostOnTheWayIsSentAgainWithoutBlame) {
  space->rules.max = 0;  // any blame would be the end of the job
  begin();
  join(2, host(1, 1), {attempt(1)}, WorkerId{1});
  EXPECT_EQ(sent_to(2), "0#2");
}

TEST_F(Sessions, ResultUnderWayToTheStoreIsReleasedToTheNewSession) {
  begin();
  answer(1, attempt(0));
  EXPECT_EQ(stored(), "0#1 ok accepted from 1");
  EXPECT_EQ(sent_to(1), "2#1");
  join(2, host(1, 1), {attempt(0), attempt(1), attempt(2)}, WorkerId{1});
  store({attempt(0)});
  EXPECT_EQ(released_to(2), "0#1");
}

TEST_F(Sessions, RestartedCoordinatorAdoptsWhatWorkersHold) {
  SweepSubmitted sweep = submission();
  sweep.first_attempt = 4;
  sweep.answered = {1};
  sweep.stored_attempts = {attempt(2, 3)};
  tell(sweep);
  join(1, host(1, 1), {attempt(0, 2), attempt(1, 1), attempt(2, 3)});
  EXPECT_EQ(released_to(1), "1#1 2#3") << "answered, and stored as lost before";
  EXPECT_EQ(cancelled_at(1), "1#1 2#3");
  EXPECT_EQ(sent_to(1), "2#4");
  answer(1, attempt(0, 2));
  EXPECT_EQ(stored(), "0#2 ok accepted from 1");
}

// A row of that number is there already: the job is to be tried under one that no row has.
TEST_F(Sessions, RestartedCoordinatorDoesNotGoOnWithWhatHasGivenWay) {
  SweepSubmitted sweep = submission();
  sweep.first_attempt = 4;
  sweep.stored_attempts.add_outcome(attempt(0, 2));
  tell(sweep);
  join(1, host(1, 1), {attempt(0, 2)});
  EXPECT_EQ(released_to(1), "0#2");
  EXPECT_EQ(cancelled_at(1), "0#2");
  EXPECT_EQ(sent_to(1), "0#4 1#4");
  join(2, host(2, 1), {attempt(0, 1), attempt(2, 3)});
  EXPECT_EQ(released_to(2), "0#1") << "nor with what came before it";
  EXPECT_EQ(cancelled_at(2), "0#1");
}

TEST_F(Sessions, OfTwoHoldersTheNewestAttemptWins) {
  submit();
  join(1, host(1, 1), {attempt(0, 5)});
  EXPECT_EQ(sent_to(1), "1#1");
  join(2, host(2, 1), {attempt(0, 4)});
  EXPECT_EQ(released_to(2), "0#4");
  EXPECT_EQ(cancelled_at(2), "0#4");
  EXPECT_EQ(sent_to(2), "2#1");
  join(3, host(3, 1), {attempt(0, 6)});
  EXPECT_EQ(cancelled_at(1), "0#5");
  answer(1, attempt(0, 5));  // answered, never believed
  EXPECT_EQ(released_to(1), "0#5 unused 1");
  answer(3, attempt(0, 6));
  EXPECT_EQ(stored(), "0#6 ok accepted from 3");
}

TEST_F(Sessions, HoldingOfGarbageIsCancelledNotAdopted) {
  submit();
  join(1, host(1, 1), {attempt(99), attempt(0, 0), attempt(0, 0xFFFFFFFF), {{SweepId{9}, 0, 0}, 1}});
  EXPECT_EQ(cancelled_at(1), "99#1 0#0 0#4294967295 0#1");
  EXPECT_EQ(sent_to(1), "0#1 1#1");
}

// Jobs that the sweep's constraints reject cannot have been sent.
TEST_F(Sessions, UnwantedJobsAreNeitherAdoptedNorBelieved) {
  space->unwanted = {1, 2};
  submit();
  join(1, host(1, 1), {attempt(1)});
  EXPECT_EQ(cancelled_at(1), "1#1");
  EXPECT_EQ(sent_to(1), "0#1");
  answer(1, attempt(2, 7));
  EXPECT_EQ(released_to(1), "2#7 unused 1");
  tell(JobsReturned{WorkerId{1}, {attempt(1)}});
  answer(1, attempt(0));
  EXPECT_EQ(stored(), "0#1 ok accepted from 1");
  store({attempt(0)});
  EXPECT_EQ(released_to(1), "0#1");
  EXPECT_EQ(ended(), "ending 1");
}

// A worker whose host has changed meanwhile, by a new kernel say, still has jobs of the host that it was.
TEST_F(Sessions, JobsOfAHostThatDoesNotComeBackDoNotKeepTheSweep) {
  space = std::make_shared<FakeSpace>(2);
  SweepSubmitted sweep = submission(Hosts::each);
  sweep.answered.add(0, 5);
  tell(sweep);
  join(1, host(7, 1), {attempt(1, 1, 5)});
  EXPECT_EQ(sent_to(1), "0@7#1");
  tell(JobsReturned{WorkerId{1}, {attempt(1, 1, 5)}});
  answer(1, attempt(0, 1, 7));
  EXPECT_EQ(stored(), "0@7#1 ok accepted from 1");
  pass(1s);
  EXPECT_EQ(sent_to(1), "1@7#1");
  answer(1, attempt(1, 1, 7));
  EXPECT_EQ(stored(), "1@7#1 ok accepted from 1");
  store({attempt(0, 1, 7), attempt(1, 1, 7)});
  EXPECT_EQ(released_to(1), "0@7#1 1@7#1");
  pass(1s);
  tell(WorkerHeard{WorkerId{1}});
  pass(1s);
  EXPECT_EQ(ended(), "ending 1");
}

TEST_F(Sessions, ReturnedJobGoesToAnotherWorkerAndTheReturnerRests) {
  begin();
  tell(JobsReturned{WorkerId{1}, {attempt(0)}});
  join(2, host(2, 1));
  EXPECT_EQ(sent_to(2), "0#2 2#1");
  tell(JobsReturned{WorkerId{1}, {attempt(0)}});  // it is not its any more
  tell(JobsReturned{WorkerId{7}, {attempt(1)}});  // nor an unknown worker's
}

TEST_F(Sessions, ReturnerIsGivenJobsAgainAfterASecond) {
  begin();
  tell(JobsReturned{WorkerId{1}, {attempt(0), attempt(1)}});
  pass(500ms);
  pass(500ms);
  EXPECT_EQ(sent_to(1), "0#2 1#2");
}

}  // namespace
}  // namespace kernsweep::coordinator
