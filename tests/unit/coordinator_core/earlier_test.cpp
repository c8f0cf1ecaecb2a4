// Sweeps that are held, and jobs that have the result of another sweep.
#include "tests/unit/coordinator_core/table.hpp"

namespace kernsweep::coordinator {
namespace {

class EarlierResultsOfJobs : public Table {
 protected:
  void submit_held() {
    SweepSubmitted sweep = submission();
    sweep.held = true;
    tell(sweep);
  }
};

TEST_F(EarlierResultsOfJobs, AHeldSweepSendsNothingAndDoesNotEnd) {
  submit_held();
  join(1, host(1, 2));
  EXPECT_EQ(sent_to(1), "nothing");
  EXPECT_EQ(core->explain({kSweep, 0, 0}).standing, Standing::held);
  pass(10s);
  tell(WorkerHeard{WorkerId{1}});
  tell(SweepReleased{kSweep});
  EXPECT_EQ(sent_to(1), "0#1 1#1 2#1");
}

TEST_F(EarlierResultsOfJobs, AHeldSweepWhoseJobsAreAllAnsweredEndsWhenItIsReleased) {
  SweepSubmitted sweep = submission();
  sweep.held = true;
  sweep.answered = {0, 1, 2};
  tell(sweep);
  join(1, host(1, 1));
  tell(SweepReleased{kSweep});
  EXPECT_EQ(ended(), "ending 1");
  tell(SweepReleased{kSweep});
}

TEST_F(EarlierResultsOfJobs, WhatAWorkerHoldsOfAHeldSweepIsAdoptedAndStored) {
  submit_held();
  join(1, host(1, 1), {attempt(1)});
  answer(1, attempt(1));
  EXPECT_EQ(stored(), "1#1 ok accepted from 1");
  store({attempt(1)});
  EXPECT_EQ(released_to(1), "1#1");
  tell(SweepReleased{kSweep});
  EXPECT_EQ(sent_to(1), "0#1 2#1");
}

TEST_F(EarlierResultsOfJobs, AHeldSweepCanBeCancelled) {
  submit_held();
  tell(SweepCancelled{kSweep});
  EXPECT_EQ(ended(), "ending 3");
}

TEST_F(EarlierResultsOfJobs, JobsWithAnEarlierResultAreStoredNotSent) {
  space->earlier = {{0, 70}, {2, 72}};
  submit();
  join(1, host(1, 2));
  EXPECT_EQ(stored(), "0#1 ok accepted reuses 70");
  EXPECT_EQ(stored(), "2#1 ok accepted reuses 72");
  EXPECT_EQ(sent_to(1), "1#1");
  store({attempt(0), attempt(2)});
  answer(1, attempt(1));
  EXPECT_EQ(stored(), "1#1 ok accepted from 1");
  store({attempt(1)});
  EXPECT_EQ(released_to(1), "1#1");
  EXPECT_EQ(ended(), "ending 1");
  const Tally tally = core->tally(kSweep);
  EXPECT_EQ(tally.ok, 1U);
  EXPECT_EQ(tally.reused, 2U);
  EXPECT_EQ(tally.earlier, 2U);
  EXPECT_EQ(tally.done, 3U);
}

TEST_F(EarlierResultsOfJobs, NoMoreAreStoredAtOnceThanADiskMayOwe) {
  space = std::make_shared<FakeSpace>(10'000);
  for (std::uint64_t index = 0; index < 10'000; ++index) space->earlier[index] = index + 1;
  submit();
  join(1, host(1, 1));
  std::vector<AttemptId> under_way;
  while (stored() != "nothing") under_way.push_back(attempt(under_way.size()));
  EXPECT_EQ(under_way.size(), 8192U);
  store(under_way);
  std::size_t rest = 0;
  std::vector<AttemptId> last;
  while (stored() != "nothing") last.push_back(attempt(8192 + rest++));
  EXPECT_EQ(rest, 10'000U - 8192U);
  store(last);
  EXPECT_EQ(ended(), "ending 1");
}

}  // namespace
}  // namespace kernsweep::coordinator
