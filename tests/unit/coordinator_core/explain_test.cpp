// Why a job is not running; storms; clocks.
#include <chrono>

#include "tests/unit/coordinator_core/table.hpp"

namespace kernsweep::coordinator {
namespace {

class Explaining : public Table {
 protected:
  Standing standing(std::uint64_t index) { return core->explain({kSweep, index, 0}).standing; }
};

TEST_F(Explaining, EveryStationOfAJobHasAWord) {
  space = std::make_shared<FakeSpace>(9);
  space->unwanted = {8};
  EXPECT_EQ(standing(0), Standing::unknown);
  submit();
  EXPECT_EQ(standing(0), Standing::no_worker);
  EXPECT_EQ(standing(8), Standing::rejected);
  EXPECT_EQ(standing(9), Standing::unknown);
  EXPECT_EQ(core->explain({kSweep, 0, 5}).standing, Standing::unknown)
      << "with hosts: any there is no host 5";
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
  const JobState running = core->explain({kSweep, 1, 0});
  EXPECT_EQ(running.standing, Standing::with_worker);
  EXPECT_EQ(running.worker.value, 1U);
  EXPECT_EQ(describe(running), "it is with worker 1 (attempt 1)");
  EXPECT_EQ(core->explain({kSweep, 7, 0}).before, 5U);
  EXPECT_EQ(describe(core->explain({kSweep, 7, 0})),
            "it waits its turn; at most 5 jobs of its sweep come before it");
  answer(1, attempt(0), Outcome::failed_run);
  EXPECT_EQ(stored(), "0#1 failed_run accepted from 1");
  EXPECT_EQ(sent_to(1), "2#1");
  EXPECT_EQ(standing(0), Standing::storing);
  store({attempt(0)});
  EXPECT_EQ(released_to(1), "0#1");
  EXPECT_EQ(standing(0), Standing::answered);
  tell(WorkerDraining{WorkerId{1}, "bye"});
  EXPECT_EQ(retracted_from(1), "1#1 2#1");
  EXPECT_EQ(standing(5), Standing::draining);
  tell(WorkerLeft{WorkerId{1}, "closed"});
  EXPECT_EQ(stored(), "1#1 worker_lost to retry: closed");
  EXPECT_EQ(stored(), "2#1 worker_lost to retry: closed");
  EXPECT_EQ(dismissed(1), "closed");
  EXPECT_EQ(standing(1), Standing::no_worker);
  tell(SweepCancelled{kSweep});
  EXPECT_EQ(standing(5), Standing::stopping);
  store({attempt(1), attempt(2)});
  EXPECT_EQ(ended(), "ending 3");
  EXPECT_EQ(standing(5), Standing::over);
}

TEST_F(Explaining, WhatFitsNobodySaysWhyPerKindOfHost) {
  space = std::make_shared<FakeSpace>(3);
  space->cores_of = {{2, 8}};
  space->needs_fact = {{1, 4}};
  submit();
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "0#1");
  join(2, host(2, 2, 7));
  EXPECT_EQ(describe(core->explain({kSweep, 2, 0})),
            "it fits none of the connected hosts:\n  asks for 8 cores, the host offers 1\n"
            "  asks for 8 cores, the host offers 2");
  EXPECT_EQ(core->explain({kSweep, 1, 0}).why, (std::vector<std::string>{"requires fact 4"}));
}

TEST_F(Explaining, SweepOfHigherPriorityIsNamed) {
  space = std::make_shared<FakeSpace>(100);
  submit();
  SweepSubmitted urgent = submission();
  urgent.sweep = SweepId{8};
  urgent.priority = 1;
  tell(urgent);
  join(1, host(1, 1));
  EXPECT_EQ(take_sent(1).size(), 2U);
  const JobState state = core->explain({kSweep, 0, 0});
  EXPECT_EQ(state.standing, Standing::after_sweep);
  EXPECT_EQ(state.after.value, 8U);
}

TEST_F(Explaining, ClockThatStepsBackOrLeapsAheadLosesNobody) {
  submit();
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
  for (const Duration jump : {Duration(3h), Duration(-5h), Duration(10h)}) {
    now = now + jump;
    tell(WorkerHeard{WorkerId{1}});  // not by the tick first: any event may be the first after a leap
    for (int i = 0; i < 4; ++i) pass(500ms);
    tell(WorkerHeard{WorkerId{1}});
  }
  EXPECT_EQ(core->tally(kSweep).in_flight, 2U);
  // And silence still counts, after a step back as well.
  now = now + Duration(-5h);
  for (int i = 0; i < 6; ++i) pass(500ms);  // the first of them only makes good the step back
  EXPECT_EQ(stored(), "nothing");
  pass(500ms);
  EXPECT_EQ(stored(), "0#1 worker_lost to retry: not heard of for 2500 ms");
  EXPECT_EQ(stored(), "1#1 worker_lost to retry: not heard of for 2500 ms");
  EXPECT_EQ(dismissed(1), "not heard of for 2500 ms");
}

TEST_F(Explaining, AThousandWorkersThatJoinInOneTurnAreAdmittedInOrderAndHeard) {
  space = std::make_shared<FakeSpace>(1'000'000);
  submit();
  std::uint64_t next = 0;
  for (std::uint32_t i = 1; i <= 1000; ++i) {
    join(i, host(i, 4, i % 7));
    for (const AttemptId& id : take_sent(i)) ASSERT_EQ(id.job.index, next++) << "in order";
  }
  EXPECT_EQ(next, 8000U);
  now = now + options.heartbeat_every;
  tell(TimePassed{});
  EXPECT_EQ(drop_heartbeats(), 1000U) << "every one of them hears of us";
  EXPECT_EQ(core->tables().workers, 1000U);
}

}  // namespace
}  // namespace kernsweep::coordinator
