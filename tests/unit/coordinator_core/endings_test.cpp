// How sweeps end before they are done.
#include "tests/unit/coordinator_core/table.hpp"

namespace kernsweep::coordinator {
namespace {

class Endings : public Table {
 protected:
  void begin() {
    submit();
    join(1, host(1, 1));
    ASSERT_EQ(sent_to(1), "0#1 1#1");
  }
};

TEST_F(Endings, StopKeepsWhatIsMeasuredAndStartsNothing) {
  begin();
  tell(StopAsked{});
  EXPECT_EQ(cancelled_at(1), "0#1 1#1");
  answer(1, attempt(0));
  EXPECT_EQ(stored(), "0#1 ok accepted from 1");
  tell(JobsReturned{WorkerId{1}, {attempt(1)}});
  store({attempt(0)});
  EXPECT_EQ(released_to(1), "0#1");
  EXPECT_EQ(ended(), "ending 3");
  tell(StopAsked{});
}

TEST_F(Endings, StopDoesNotWaitForeverForAWorker) {
  options.silence_limit = 1h;
  core = std::make_unique<Core>(options);
  begin();
  tell(StopAsked{});
  EXPECT_EQ(cancelled_at(1), "0#1 1#1");
  pass(4999ms);
  pass(1ms);
  EXPECT_EQ(ended(), "ending 3");
}

TEST_F(Endings, StopStillWaitsForTheStore) {
  begin();
  answer(1, attempt(0));
  EXPECT_EQ(stored(), "0#1 ok accepted from 1");
  EXPECT_EQ(sent_to(1), "2#1");
  tell(StopAsked{});
  EXPECT_EQ(cancelled_at(1), "1#1 2#1");
  tell(JobsReturned{WorkerId{1}, {attempt(1), attempt(2)}});
  pass(1s);
  store({attempt(0)});
  EXPECT_EQ(released_to(1), "0#1");
  EXPECT_EQ(ended(), "ending 3");
}

// The stop came between the last answer and its commit: everything is measured, nothing is left.
TEST_F(Endings, StopWhileTheLastResultsAreStoredIsACompleteEnd) {
  space = std::make_shared<FakeSpace>(2);
  begin();
  answer(1, attempt(0));
  EXPECT_EQ(stored(), "0#1 ok accepted from 1");
  answer(1, attempt(1));
  EXPECT_EQ(stored(), "1#1 ok accepted from 1");
  tell(StopAsked{});
  store({attempt(0), attempt(1)});
  EXPECT_EQ(released_to(1), "0#1 1#1");
  EXPECT_EQ(ended(), "ending 1");
}

TEST_F(Endings, StopWhileTheLastFailureIsStoredIsAnIncompleteEnd) {
  space = std::make_shared<FakeSpace>(1);
  submit();
  join(1, host(1, 1));
  ASSERT_EQ(sent_to(1), "0#1");
  answer(1, attempt(0), Outcome::wrong_result);
  EXPECT_EQ(stored(), "0#1 wrong_result accepted from 1");
  tell(StopAsked{});
  store({attempt(0)});
  EXPECT_EQ(released_to(1), "0#1");
  EXPECT_EQ(ended(), "ending 2");
}

TEST_F(Endings, TimeLimitCountsFromTheFirstJob) {
  SweepSubmitted sweep = submission();
  sweep.time_limit = 10s;
  tell(sweep);
  pass(1h);  // waiting for a worker is free
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
  for (int i = 0; i < 9; ++i) {
    pass(1s);
    tell(WorkerHeard{WorkerId{1}});
  }
  pass(1s);
  EXPECT_EQ(cancelled_at(1), "0#1 1#1");
  EXPECT_TRUE(core->is_stopping(kSweep));
  tell(JobsReturned{WorkerId{1}, {attempt(0), attempt(1)}});
  EXPECT_EQ(ended(), "ending 5");
  EXPECT_FALSE(core->is_stopping(kSweep));
}

TEST_F(Endings, SweepWithEverythingAnsweredEndsWithoutAWorker) {
  SweepSubmitted sweep = submission();
  sweep.answered = {0, 1, 2, 77};  // one of them beyond the space
  tell(sweep);
  EXPECT_EQ(ended(), "ending 1");
  EXPECT_EQ(core->tally(kSweep).earlier, 3U);
}

TEST_F(Endings, SecondSweepFollowsTheFirst) {
  space = std::make_shared<FakeSpace>(1);
  submit();
  SweepSubmitted second = submission();
  second.sweep = SweepId{4};
  tell(second);
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "0#1 0#1");
  answer(1, attempt(0));
  EXPECT_EQ(stored(), "0#1 ok accepted from 1");
  store({attempt(0)});
  EXPECT_EQ(released_to(1), "0#1");
  EXPECT_EQ(ended(), "ending 1");  // and the worker stays for the second
  EXPECT_FALSE(core->idle());
}

TEST_F(Endings, CoordinatorThatStaysKeepsItsWorkers) {
  options.stay = true;
  core = std::make_unique<Core>(options);
  space = std::make_shared<FakeSpace>(0);
  submit();
  EXPECT_EQ(ended(), "ending 1");
  join(1, host(1, 1));
  space = std::make_shared<FakeSpace>(1);
  SweepSubmitted next = submission();
  next.sweep = SweepId{4};
  tell(next);
  EXPECT_EQ(sent_to(1), "0#1");
}

}  // namespace
}  // namespace kernsweep::coordinator
