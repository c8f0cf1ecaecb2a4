// Which job goes to which slot, on which cores, in how long a run.
#include "tests/unit/worker_core/core_fixture.hpp"

namespace kernsweep::worker {
namespace {

using Placement = CoreFixture;

TEST_F(Placement, SlotOfTheSameKeyIsUsedAgain) {
  open(1);
  EXPECT_EQ(arrive({order(0)}), "start 1 key 0 on 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(measured(1, 0, 1s, Outcome::unsupported), "report 0 unsupported from 1");
  EXPECT_EQ(arrive({order(1)}), "run 1: 1");
  EXPECT_EQ(core->next_deadline(), now + 60s);
}

TEST_F(Placement, AnotherKeyGetsAnotherProcessOnTheSameCore) {
  open(1);
  EXPECT_EQ(arrive({order(0)}), "start 1 key 0 on 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1");
  EXPECT_EQ(arrive({order(1, Exclusion::host, 1, 5)}), "start 2 key 5 on 0");
  EXPECT_EQ(ready(2), "run 2: 1");
  EXPECT_EQ(measured(2, 1), "report 1 ok from 2");
  EXPECT_EQ(arrive({order(2)}), "run 1: 2");
}

TEST_F(Placement, OfIdleSlotsTheOneUsedLastIsUsedAgain) {
  open(2);
  EXPECT_EQ(arrive({order(0, Exclusion::core), order(1, Exclusion::core)}),
            "start 1 key 0 on 0; start 2 key 0 on 1");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(ready(2), "run 2: 1");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1");
  now = now + 1s;
  EXPECT_EQ(measured(2, 1), "report 1 ok from 2");
  EXPECT_EQ(arrive({order(2, Exclusion::core)}), "run 2: 2");
}

TEST_F(Placement, CoresOfOneCacheArePreferred) {
  open(4);
  EXPECT_EQ(arrive({order(0), order(1, Exclusion::host, 2)}), "start 1 key 0 on 0; start 2 key 0 on 2,3");
}

TEST_F(Placement, IdleProcessesBeyondTheLimitRetireOldestFirst) {
  options.idle_slots_max = 1;
  open(1);
  EXPECT_EQ(arrive({order(0)}), "start 1 key 0 on 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1");
  now = now + 1s;
  EXPECT_EQ(arrive({order(1, Exclusion::host, 1, 1)}), "start 2 key 1 on 0");
  EXPECT_EQ(ready(2), "run 2: 1");
  EXPECT_EQ(measured(2, 1), "report 1 ok from 2; retire 1");
  EXPECT_EQ(exited(1, "exited with status 0"), "") << "leaving is no failure";
  EXPECT_EQ(core->activity().slots, 1U);
}

TEST_F(Placement, RetiredProcessThatStaysIsKilled) {
  options.idle_slots_max = 0;
  open(1);
  EXPECT_EQ(arrive({order(0)}), "start 1 key 0 on 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1; retire 1");
  EXPECT_EQ(pass(5s), "kill 1");
  EXPECT_EQ(exited(1), "");
}

TEST_F(Placement, NarrowJobsPassAWideOneOnlyAFewTimes) {
  open(2);
  EXPECT_EQ(arrive({order(0, Exclusion::core), order(1, Exclusion::core, 2), order(2, Exclusion::core),
                    order(3, Exclusion::core), order(4, Exclusion::core)}),
            "start 1 key 0 on 0; start 2 key 0 on 1")
      << "job 2 passes job 1";
  EXPECT_EQ(ready(2), "run 2: 2");
  EXPECT_EQ(measured(2, 2), "report 2 ok from 2; run 2: 3") << "and job 3: as often as there are cores";
  EXPECT_EQ(measured(2, 3), "report 3 ok from 2") << "now core 1 is kept for job 1";
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1; start 3 key 0 on 0,1");
  EXPECT_EQ(ready(3), "run 3: 1");
  EXPECT_EQ(measured(3, 1), "report 1 ok from 3; run 1: 4");
}

TEST_F(Placement, JobForMoreCoresThanThereAreFailsWithAReason) {
  open(2);
  EXPECT_EQ(arrive({order(0, Exclusion::host, 3)}),
            "report 0 failed_setup (the job asks for 3 cores, this worker has 2; start the worker with "
            "more cores)");
  EXPECT_EQ(core->activity().queued, 0U);
}

TEST_F(Placement, JobToldTwiceIsRunOnce) {
  open(1);
  EXPECT_EQ(arrive({order(0), order(0)}), "start 1 key 0 on 0");
  EXPECT_EQ(arrive({order(0)}), "");
  EXPECT_EQ(core->activity().queued, 0U);
}

TEST_F(Placement, ShortJobsTravelAsOneRunUnderOneLease) {
  open(1);
  experienced(5ms);  // 20 ms / 5 ms = 4 jobs
  EXPECT_EQ(arrive({order(0), order(1), order(2), order(3), order(4)}), "run 1: 0 1 2 3 leased");
  EXPECT_EQ(tell(OutcomesMeasured{{{SlotId{1}, attempt(0), Outcome::ok, 5ms, 1},
                                   {SlotId{1}, attempt(1), Outcome::wrong_result, 5ms, 2},
                                   {SlotId{1}, attempt(2), Outcome::ok, 5ms, 3},
                                   {SlotId{1}, attempt(3), Outcome::ok, 5ms, 4}}}),
            "report 0 ok from 1; report 1 wrong_result from 1; report 2 ok from 1; report 3 ok from 1; "
            "run 1: 4 leased");
}

TEST_F(Placement, RunIsNeverLongerThanItsLimit) {
  options.run_jobs_max = 2;
  open(1);
  experienced(1us);
  EXPECT_EQ(arrive({order(0), order(1), order(2)}), "run 1: 0 1 leased");
}

TEST_F(Placement, OneLongJobEndsTheBatching) {
  open(1);
  experienced(5ms);
  EXPECT_EQ(arrive({order(0)}), "run 1: 0 leased");
  EXPECT_EQ(measured(1, 0, 1s), "report 0 ok from 1");
  EXPECT_EQ(arrive({order(1), order(2)}), "run 1: 1");
}

TEST_F(Placement, RunTakesOnlyJobsOfItsKind) {
  open(1);
  experienced(1ms);
  EXPECT_EQ(
      arrive({order(0), order(1, Exclusion::host, 1, 9), order(2), order(3, Exclusion::core), order(4)}),
      "run 1: 0 2 4 leased");
}

TEST_F(Placement, LeasedRunWaitsUntilItsZoneIsQuiet) {
  open(2);
  experienced(1ms);
  EXPECT_EQ(arrive({order(0, Exclusion::core, 1, 3)}), "start 2 key 3 on 0");
  EXPECT_EQ(ready(2), "run 2: 0");
  EXPECT_EQ(arrive({order(1)}), "start 3 key 0 on 1") << "slot 1 would need core 0";
  EXPECT_EQ(ready(3), "") << "the whole host must be quiet, and slot 2 prepares";
  EXPECT_EQ(requests_lease(2), "run 3: 1 leased") << "slot 3 waited first, and slot 2 is quiet now";
  EXPECT_EQ(measured(3, 1), "report 1 ok from 3; grant 2");
}

TEST_F(Placement, JobsOfABlockHaveTheirCoresInCommonAndTheNextBlockHasOthers) {
  open(4);
  EXPECT_EQ(arrive({order_in_block(0, 1), order_in_block(1, 1, 2), order_in_block(2, 1, 3),
                    order_in_block(3, 2, 2), order_in_block(4, 2)}),
            "start 1 key 11 on 1");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1; start 2 key 12 on 0,1") << "one cache";
  EXPECT_EQ(ready(2), "run 2: 1");
  EXPECT_EQ(measured(2, 1), "report 1 ok from 2; start 3 key 13 on 0,1,2") << "no cache has three";
  EXPECT_EQ(ready(3), "run 3: 2");
  EXPECT_EQ(measured(3, 2), "report 2 ok from 3; start 4 key 22 on 2,3");
  EXPECT_EQ(ready(4), "run 4: 3");
  EXPECT_EQ(measured(4, 3), "report 3 ok from 4; start 5 key 21 on 2");
  EXPECT_EQ(ready(5), "run 5: 4");
  EXPECT_EQ(measured(5, 4), "report 4 ok from 5");
  EXPECT_EQ(arrive({order_in_block(5, 6, 2)}), "start 6 key 62 on 2,3") << "block 6 begins at core 2";
}

TEST_F(Placement, OnlyJobsWithoutABlockPassOneThatWaitsForItsCores) {
  open(4);
  EXPECT_EQ(arrive({order_in_block(0, 0), order_in_block(1, 0), order_in_block(2, 1),
                    order(3, Exclusion::core, 1, 7)}),
            "start 1 key 1 on 0; start 2 key 7 on 1");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1; run 1: 1");
}

TEST_F(Placement, AProcessOnOtherCoresIsNotUsedForABlock) {
  open(2);
  Order before = order_in_block(0, 1);
  before.block.reset();
  EXPECT_EQ(arrive({before}), "start 1 key 11 on 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1");
  EXPECT_EQ(arrive({order_in_block(1, 1)}), "start 2 key 11 on 1");
}

}  // namespace
}  // namespace kernsweep::worker
