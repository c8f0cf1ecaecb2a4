// Several sweeps, and work that goes back: priorities, cancels, drains, retraction.
#include "tests/unit/coordinator_core/crew.hpp"
#include "tests/unit/coordinator_core/table.hpp"

namespace kernsweep::coordinator {
namespace {

class Retracts : public Table {
 protected:
  void submit_as(std::uint32_t id, std::int32_t priority) {
    SweepSubmitted sweep = submission();
    sweep.sweep = SweepId{id};
    sweep.priority = priority;
    tell(sweep);
  }
  static AttemptId of(std::uint32_t sweep, std::uint64_t index, std::uint32_t number = 1) {
    return {{SweepId{sweep}, index, 0}, number};
  }
};

TEST_F(Retracts, LargerPriorityGoesFirstAndEqualOnesInTheirOrder) {
  space = std::make_shared<FakeSpace>(2);
  submit_as(1, 0);
  submit_as(2, 5);
  submit_as(3, 5);
  submit_as(4, -1);
  std::vector<std::uint32_t> order;
  for (const SweepProgress& state : core->sweeps()) order.push_back(state.sweep.value);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{2, 3, 1, 4}));
  join(1, host(1, 4));
  EXPECT_EQ(take_sent(1), (std::vector<AttemptId>{of(2, 0), of(2, 1), of(3, 0), of(3, 1), of(1, 0),
                                                  of(1, 1), of(4, 0), of(4, 1)}));
}

TEST_F(Retracts, SweepOfHigherPriorityThatFitsNotLeavesTheHostToTheNext) {
  options.unplaceable_grace = 10s;
  core = std::make_unique<Core>(options);
  space = std::make_shared<FakeSpace>(1);
  space->cores_of = {{0, 8}};
  submit_as(1, 9);
  space = std::make_shared<FakeSpace>(1);
  submit_as(2, 0);
  join(1, host(1, 1));
  EXPECT_EQ(take_sent(1), (std::vector<AttemptId>{of(2, 0)}));
}

TEST_F(Retracts, CancelledSweepStopsAndTheOthersGoOn) {
  space = std::make_shared<FakeSpace>(1);
  submit_as(1, 1);
  submit_as(2, 0);
  join(1, host(1, 1));
  EXPECT_EQ(take_sent(1), (std::vector<AttemptId>{of(1, 0), of(2, 0)}));
  tell(SweepCancelled{SweepId{1}});
  EXPECT_EQ(cancelled_at(1), "0#1");
  EXPECT_EQ(core->explain({SweepId{1}, 0, 0}).standing, Standing::with_worker);
  tell(SweepCancelled{SweepId{1}});  // reported twice
  tell(SweepCancelled{SweepId{9}});  // never heard of
  tell(JobsReturned{WorkerId{1}, {of(1, 0)}});
  EXPECT_EQ(ended(), "ending 3");
  EXPECT_EQ(core->explain({SweepId{1}, 0, 0}).standing, Standing::over);
  answer(1, of(2, 0));
  EXPECT_EQ(stored(), "0#1 ok accepted from 1");
  store({of(2, 0)});
  EXPECT_EQ(released_to(1), "0#1");
  EXPECT_EQ(ended(), "ending 1");
  const std::vector<SweepProgress> sweeps = core->sweeps();
  ASSERT_EQ(sweeps.size(), 2U);
  EXPECT_EQ(sweeps[0].ended, Ending::stopped);
  EXPECT_EQ(sweeps[1].tally.ok, 1U);
}

TEST_F(Retracts, CancelledSweepWaitsForItsRows) {
  space = std::make_shared<FakeSpace>(1);
  submit_as(1, 0);
  join(1, host(1, 1));
  take_sent(1);
  answer(1, of(1, 0));
  EXPECT_EQ(stored(), "0#1 ok accepted from 1");
  tell(SweepCancelled{SweepId{1}});
  pass(1s);
  tell(WorkerHeard{WorkerId{1}});
  store({of(1, 0)});
  EXPECT_EQ(released_to(1), "0#1");
  EXPECT_EQ(ended(), "ending 1") << "nothing was left to cancel";
}

TEST_F(Retracts, DrainedWorkerGivesBackWhatItHasNotBegunAndSaysGoodbyeAfterTheLastCommit) {
  submit();
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
  tell(WorkerDraining{WorkerId{1}, "its time is up"});
  EXPECT_EQ(retracted_from(1), "0#1 1#1");
  tell(JobsReturned{WorkerId{1}, {attempt(1)}});
  answer(1, attempt(0));
  EXPECT_EQ(stored(), "0#1 ok accepted from 1");
  pass(500ms);  // it holds nothing, but its result is not safe yet
  tell(WorkerHeard{WorkerId{1}});
  EXPECT_EQ(core->worker(WorkerId{1})->reason, "its time is up");
  store({attempt(0)});
  EXPECT_EQ(released_to(1), "0#1");
  EXPECT_EQ(drained(1), "its time is up");
  EXPECT_FALSE(core->worker(WorkerId{1}));
  EXPECT_EQ(core->explain({kSweep, 1, 0}).standing, Standing::no_worker);
  join(2, host(2, 1));
  EXPECT_EQ(sent_to(2), "1#2 2#1");
}

TEST_F(Retracts, DrainingWorkerThatIsLostIsLost) {
  submit();
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
  tell(WorkerDraining{WorkerId{1}, "bye"});
  EXPECT_EQ(retracted_from(1), "0#1 1#1");
  tell(WorkerDraining{WorkerId{1}, "bye"});
  tell(WorkerDraining{WorkerId{7}, "who?"});
  tell(WorkerLeft{WorkerId{1}, "closed"});
  EXPECT_EQ(stored(), "0#1 worker_lost to retry: closed");
  EXPECT_EQ(stored(), "1#1 worker_lost to retry: closed");
  EXPECT_EQ(dismissed(1), "closed");
}

TEST_F(Retracts, DrainGoesOnInTheNextSession) {
  submit();
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
  tell(WorkerDraining{WorkerId{1}, "bye"});
  EXPECT_EQ(retracted_from(1), "0#1 1#1");
  join(2, host(1, 1), {attempt(0)}, WorkerId{1});
  EXPECT_EQ(retracted_from(2), "0#1") << "1 was given back on the way";
  answer(2, attempt(0));
  EXPECT_EQ(stored(), "0#1 ok accepted from 2");
  store({attempt(0)});
  EXPECT_EQ(released_to(2), "0#1");
  EXPECT_EQ(drained(2), "bye");
}

TEST_F(Retracts, IdleWorkerGetsHalfOfWhatAnotherHasNotBegun) {
  space = std::make_shared<FakeSpace>(9);
  submit();
  join(1, host(1, 5));
  EXPECT_EQ(take_sent(1).size(), 9U);
  join(2, host(2, 1));
  EXPECT_EQ(retracted_from(1), "8#1 7#1") << "4 wait there: half, the newest first";
  tell(JobsReturned{WorkerId{1}, {attempt(7)}});  // a slot had begun 8
  EXPECT_EQ(sent_to(2), "7#2");
  pass(10ms);  // both have enough to do
}

TEST_F(Retracts, WhoGivesNothingBackIsAskedLessAndLess) {
  space = std::make_shared<FakeSpace>(2);
  submit();
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
  join(2, host(2, 1));
  int asked = retracted_from(1) == "1#1";
  for (int i = 0; i < 100; ++i) {
    pass(100ms);
    asked += retracted_from(1) == "1#1";
    tell(WorkerHeard{WorkerId{1}});
    asked += retracted_from(1) == "1#1";
    tell(WorkerHeard{WorkerId{2}});
    asked += retracted_from(1) == "1#1";
  }
  EXPECT_GE(asked, 4);  // at 0, 0.5, 1.5, 3.5, 7.5 s
  EXPECT_LE(asked, 6);
}

TEST_F(Retracts, JobsThatFitOnlyTheLoadedWorkerStayThere) {
  space = std::make_shared<FakeSpace>(2);
  space->needs_fact = {{0, 1}, {1, 1}};
  submit();
  join(1, host(1, 1, 1));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
  join(2, host(2, 1, 0));
  pass(1s);
}

TEST(Crews, JobsOfOneWorkerAreSharedWithThoseWhoComeLate) {
  Crew crew(100);
  crew.ends = [](std::uint32_t, std::uint64_t) { return Outcome::ok; };
  crew.join(1, 1);
  for (int i = 0; i < 3; ++i) crew.step();  // jobs of 1 ms: it takes them all
  for (std::uint32_t i = 2; i <= 5; ++i) crew.join(i, i);
  int steps = 0;
  for (; !crew.core.idle() && steps < 1000; ++steps) crew.step();
  EXPECT_LT(steps, 60) << "one worker alone needs 100";
  EXPECT_EQ(crew.attempts, 100U) << "moved, not repeated";
}

TEST(Crews, TheSweepOfHigherPriorityIsDoneFirst) {
  Crew crew(50);
  crew.submit(SweepId{4}, Hosts::any, 3);
  crew.ends = [](std::uint32_t, std::uint64_t) { return Outcome::ok; };
  crew.join(1, 1);
  crew.run();
  ASSERT_EQ(crew.order.size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(crew.order[i].sweep.value, i < 50 ? 4U : 3U);
}

}  // namespace
}  // namespace kernsweep::coordinator
