// Returned jobs: retracted ones, a drain, and a clock that leaps.
#include "tests/unit/worker_core/core_fixture.hpp"

namespace kernsweep::worker {
namespace {

class Leaving : public CoreFixture {
 protected:
  void SetUp() override { open(1); }
  // Job 0 measures in slot 1, the others wait.
  void begin(std::uint64_t jobs) {
    std::vector<Order> orders;
    for (std::uint64_t i = 0; i < jobs; ++i) orders.push_back(order(i));
    ASSERT_EQ(arrive(orders), "start 1 key 0 on 0");
    ASSERT_EQ(ready(1), "run 1: 0");
    ASSERT_EQ(requests_lease(1), "grant 1");
  }
};

TEST_F(Leaving, RetractedJobsComeBackUnlessASlotHasBegunThem) {
  begin(4);
  EXPECT_EQ(tell(JobsRetracted{{attempt(0), attempt(2), attempt(9)}}), "return 2");
  EXPECT_EQ(tell(JobsRetracted{{attempt(0), attempt(2)}}), "return") << "none, and it is said";
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1; run 1: 1") << "the rest goes on, without 2";
  EXPECT_EQ(tell(JobsRetracted{{attempt(3)}}), "return 3");
}

TEST_F(Leaving, RetractedJobMayBeSentAgain) {
  begin(2);
  EXPECT_EQ(tell(JobsRetracted{{attempt(1)}}), "return 1");
  EXPECT_EQ(arrive({order(1)}), "");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1; run 1: 1");
}

TEST_F(Leaving, JobWhoseProcessIsBeingStartedIsNotRetracted) {
  EXPECT_EQ(arrive({order(0)}), "start 1 key 0 on 0");
  EXPECT_EQ(tell(JobsRetracted{{attempt(0)}}), "return");
  EXPECT_EQ(ready(1), "run 1: 0");
}

TEST_F(Leaving, DrainGivesBackTheQueueAndLetsWhatRunsEnd) {
  begin(3);
  EXPECT_EQ(tell(DrainAsked{}), "return 1 2");
  EXPECT_TRUE(core->activity().draining);
  EXPECT_EQ(tell(DrainAsked{}), "") << "asked twice";
  EXPECT_EQ(arrive({order(0)}), "") << "told twice: it runs, so it is not given back";
  EXPECT_EQ(arrive({order(7)}), "return 7") << "sent before the coordinator knew";
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1; drained");
  EXPECT_EQ(arrive({order(8)}), "return 8") << "and drained is told once";
}

TEST_F(Leaving, IdleWorkerIsDrainedAtOnce) {
  EXPECT_EQ(tell(DrainAsked{}), "drained");
}

TEST_F(Leaving, DrainDoesNotWaitForAProcessThatIsBeingStarted) {
  EXPECT_EQ(arrive({order(0)}), "start 1 key 0 on 0");
  EXPECT_EQ(tell(DrainAsked{}), "return 0; drained");
  EXPECT_EQ(ready(1), "");
}

TEST_F(Leaving, ProcessThatDiesInADrainGivesTheRestOfItsRunBack) {
  EXPECT_EQ(arrive({order(100)}), "start 1 key 0 on 0");
  EXPECT_EQ(ready(1), "run 1: 100");
  EXPECT_EQ(requests_lease(1), "grant 1");
  EXPECT_EQ(measured(1, 100, 1us), "report 100 ok from 1");
  EXPECT_EQ(arrive({order(101)}), "run 1: 101");
  EXPECT_EQ(requests_lease(1), "grant 1");
  EXPECT_EQ(measured(1, 101, 1us), "report 101 ok from 1");
  EXPECT_EQ(arrive({order(1), order(2), order(3)}), "run 1: 1 2 3 leased");
  EXPECT_EQ(measured(1, 1, 1us), "report 1 ok from 1");
  EXPECT_EQ(tell(DrainAsked{}), "");
  EXPECT_EQ(exited(1), "return 2 3; drained");
}

TEST_F(Leaving, StopAfterADrainEndsEverything) {
  begin(1);
  EXPECT_EQ(tell(DrainAsked{}), "");
  EXPECT_EQ(tell(StopAsked{}), "kill 1; return 0");
  EXPECT_EQ(exited(1), "");
}

TEST_F(Leaving, ClockThatLeapsTakesNoTimeFromAJob) {
  Order job = order(0);
  job.run_timeout = 10s;
  EXPECT_EQ(arrive({job}), "start 1 key 0 on 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(requests_lease(1), "grant 1");
  EXPECT_EQ(pass(4s), "");
  EXPECT_EQ(pass(3h), "") << "this process stood still, or the clock leapt";
  now = now + Duration(-1h);
  EXPECT_EQ(pass(1s), "") << "time that goes back stands still";
  now = now + 1h;
  EXPECT_EQ(pass(4s), "");
  EXPECT_EQ(pass(2s), "kill 1") << "4 + 1 + 4 + 2 s, over its 10";
  EXPECT_EQ(exited(1),
            "report 0 timeout_run from 1 (warm-up and samples took longer than timeout.run: 10 s)");
}

}  // namespace
}  // namespace kernsweep::worker
