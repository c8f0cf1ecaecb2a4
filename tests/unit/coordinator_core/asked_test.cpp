// Sweeps that do not ask for every job from the start.
#include "tests/unit/coordinator_core/table.hpp"

namespace kernsweep::coordinator {
namespace {

class Asked : public Table {
 protected:
  void SetUp() override { space = std::make_shared<FakeSpace>(4); }
  void submit_asking(std::uint64_t asked, AnsweredJobs answered = {}) {
    SweepSubmitted sweep = submission();
    sweep.asked = asked;
    sweep.may_ask = true;
    sweep.answered = std::move(answered);
    tell(sweep);
  }
  void measure(std::uint64_t index) {
    answer(1, attempt(index));
    EXPECT_EQ(stored(), std::to_string(index) + "#1 ok accepted from 1");
    store({attempt(index)});
    EXPECT_EQ(released_to(1), std::to_string(index) + "#1");
  }
};

TEST_F(Asked, OnlyAskedJobsAreSentAndMoreIsAskedForOnceTheyAreStored) {
  submit_asking(2);
  join(1, host(1, 4));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
  EXPECT_EQ(core->explain({kSweep, 2, 0}).standing, Standing::not_asked);
  EXPECT_EQ(core->tally(kSweep).size, 2U);
  measure(0);
  answer(1, attempt(1));
  EXPECT_EQ(stored(), "1#1 ok accepted from 1");
  pass(1s);
  store({attempt(1)});
  EXPECT_EQ(released_to(1), "1#1");
  EXPECT_TRUE(asked_for_more());
  pass(1s);  // it is asked for once
  tell(JobsAsked{kSweep, 3});
  EXPECT_EQ(sent_to(1), "2#1");
  EXPECT_EQ(core->tally(kSweep).size, 3U);
  measure(2);
  EXPECT_TRUE(asked_for_more());
  tell(NothingMore{kSweep});
  EXPECT_EQ(ended(), "ending 1");
  EXPECT_EQ(core->tally(kSweep).done, 3U);
}

TEST_F(Asked, ASweepWhoseLastJobWasAskedForIsLookedAtOnceMore) {
  submit_asking(2, {0, 1});
  EXPECT_TRUE(asked_for_more());
  tell(JobsAsked{kSweep, 9});
  join(1, host(1, 4));
  EXPECT_EQ(sent_to(1), "2#1 3#1");
  measure(2);
  answer(1, attempt(3));
  EXPECT_EQ(stored(), "3#1 ok accepted from 1");
  store({attempt(3)});
  EXPECT_EQ(released_to(1), "3#1");
  EXPECT_TRUE(asked_for_more());
  tell(NothingMore{kSweep});
  EXPECT_EQ(ended(), "ending 1");
}

// For instance if the rows of earlier decisions are lost, but not those of the jobs.
TEST_F(Asked, AnAnswerThatAsksForWhatIsAnsweredIsFollowedByAQuestion) {
  submit_asking(1, {0, 1, 2});
  EXPECT_TRUE(asked_for_more());
  tell(JobsAsked{kSweep, 2});
  EXPECT_TRUE(asked_for_more());
  tell(JobsAsked{kSweep, 4});
  join(1, host(1, 4));
  EXPECT_EQ(sent_to(1), "3#1");
  measure(3);
  EXPECT_TRUE(asked_for_more());
  tell(NothingMore{kSweep});
  EXPECT_EQ(ended(), "ending 1");
}

TEST_F(Asked, AnswersThatAskForNoMoreChangeNothing) {
  submit_asking(2);
  tell(JobsAsked{kSweep, 2});
  tell(JobsAsked{kSweep, 1});
  tell(JobsAsked{SweepId{9}, 4});
  tell(NothingMore{SweepId{9}});
  join(1, host(1, 4));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
  tell(NothingMore{kSweep});
  tell(JobsAsked{kSweep, 4});
  measure(0);
  answer(1, attempt(1));
  EXPECT_EQ(stored(), "1#1 ok accepted from 1");
  store({attempt(1)});
  EXPECT_EQ(released_to(1), "1#1");
  EXPECT_EQ(ended(), "ending 1");
}

TEST_F(Asked, AJobThatAWorkerHoldsAndThatIsNotAskedForIsCancelled) {
  submit_asking(2);
  join(1, host(1, 4), {attempt(1, 7), attempt(3, 7)});
  EXPECT_EQ(cancelled_at(1), "3#7");
  EXPECT_EQ(sent_to(1), "0#1");
}

TEST_F(Asked, WhatHasItsOutcomeWasAskedFor) {
  submit_asking(1, {0, 2});
  join(1, host(1, 4));
  EXPECT_EQ(sent_to(1), "1#1");
  measure(1);
  EXPECT_TRUE(asked_for_more());
  tell(NothingMore{kSweep});
  EXPECT_EQ(ended(), "ending 1");
}

TEST_F(Asked, AStoppedSweepAsksForNothing) {
  submit_asking(2);
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
  tell(StopAsked{});
  EXPECT_EQ(cancelled_at(1), "0#1 1#1");
  tell(JobsReturned{WorkerId{1}, {attempt(0), attempt(1)}});
  EXPECT_EQ(ended(), "ending 3");
}

TEST_F(Asked, JobsThatFitNoHostEndBeforeMoreIsAskedFor) {
  space->cores_of[1] = 99;
  submit_asking(2);
  join(1, host(1, 4));
  EXPECT_EQ(sent_to(1), "0#1");
  measure(0);
  EXPECT_EQ(stored(), "1#1 unplaceable accepted: asks for 99 cores, the host offers 4");
  store({attempt(1)});
  EXPECT_TRUE(asked_for_more());
  tell(NothingMore{kSweep});
  EXPECT_EQ(ended(), "ending 2");
}

}  // namespace
}  // namespace kernsweep::coordinator
