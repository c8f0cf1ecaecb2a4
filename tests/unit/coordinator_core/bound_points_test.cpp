// With hosts: any, a point is measured on one kind of hardware.
#include "coordinator/core/settled_jobs.hpp"
#include "tests/unit/coordinator_core/table.hpp"

namespace kernsweep::coordinator {
namespace {

constexpr std::uint32_t kRestarted = restarted(1);

// Points 0, 1, 2, ..., each with `processes` jobs: 0, points, 2 * points are those of point 0.
class BoundPointsTest : public Table {
 protected:
  BoundPointsTest() {
    options.unplaceable_grace = 10s;
    options.silence_limit = 1h;
    options.move_from = 1h;
    core = std::make_unique<Core>(options);
  }
  void points(std::uint64_t count, std::uint64_t processes) {
    space = std::make_shared<FakeSpace>(count * processes);
    space->points = count;
  }
  static HostFacts of(std::uint32_t number, std::uint32_t hardware, std::uint32_t cores = 1) {
    HostFacts facts = host(number, cores, number);
    facts.hardware = hardware;
    return facts;
  }
  // It answers the job, whose row is stored at once.
  std::string answers(std::uint32_t worker, const AttemptId& id) {
    answer(worker, id);
    const std::string row = stored();
    const std::string next = sent_to(worker);
    store({id});
    EXPECT_NE(released_to(worker), "nothing");
    return next == "nothing" ? sent_to(worker) : next;
  }
  bool restarted_now() {
    return take<PointBegunAnew>([](const PointBegunAnew&) { return true; },
                                [](const PointBegunAnew& a) {
                                  return std::to_string(a.job) + " " + std::to_string(a.times) + " " +
                                         std::to_string(a.results);
                                }) != "nothing";
  }
};

TEST_F(BoundPointsTest, TheNextProcessesWaitForTheHardwareOfTheFirst) {
  points(2, 2);
  submit();
  join(1, of(1, 7));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
  join(2, of(2, 8));  // jobs 2 and 3 are of points that are on their way on other hardware
  pass(1s);
  EXPECT_EQ(core->explain({kSweep, 2, 0}).standing, Standing::its_turn);
  EXPECT_EQ(answers(1, attempt(0)), "2#1");
  EXPECT_EQ(answers(1, attempt(1)), "3#1");
  answers(1, attempt(2));
  answer(1, attempt(3));
  EXPECT_EQ(stored(), "3#1 ok accepted from 1");
  store({attempt(3)});
  EXPECT_EQ(released_to(1), "3#1");
  EXPECT_EQ(ended(), "ending 1");
}

TEST_F(BoundPointsTest, RivalsAreMeasuredOnOneKindOfHardware) {
  points(6, 2);
  space->in_problem = 4;  // points 0 to 3, and 4 and 5
  submit();
  join(1, of(1, 7));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
  join(2, of(2, 8));
  EXPECT_EQ(sent_to(2), "4#1 5#1");
  EXPECT_EQ(answers(1, attempt(0)), "2#1");
  EXPECT_EQ(answers(2, attempt(4)), "10#1");
}

TEST_F(BoundPointsTest, WhatTheHardwareOfItsRivalsCannotRunGoesElsewhere) {
  points(4, 2);
  space->in_problem = 4;
  space->needs_fact = {{2, 2}, {6, 2}};
  submit();
  join(1, of(1, 7));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
  join(2, of(2, 8));
  EXPECT_EQ(sent_to(2), "2#1 6#1");
  EXPECT_EQ(answers(1, attempt(0)), "3#1");
}

TEST_F(BoundPointsTest, RivalsGoWhereMostOfThemCanRun) {
  points(4, 2);
  space->in_problem = 4;
  for (const std::uint64_t job : {1U, 2U, 3U, 5U, 6U, 7U}) space->needs_fact[job] = 2;
  join(1, of(1, 7));
  join(2, of(2, 8));
  submit();
  EXPECT_EQ(sent_to(1), "nothing") << "a quarter of the points are no comparison";
  EXPECT_EQ(sent_to(2), "0#1 1#1");
}

TEST_F(BoundPointsTest, RivalsFollowWhenTheirHardwareIsGone) {
  points(4, 2);
  space->in_problem = 4;
  submit();
  join(1, of(1, 7));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
  answers(1, attempt(0));
  join(2, of(2, 8));
  EXPECT_EQ(sent_to(2), "nothing");
  tell(WorkerLeft{WorkerId{1}, "closed"});
  EXPECT_EQ(dismissed(1), "closed");
  EXPECT_EQ(stored(), "1#1 worker_lost to retry: closed");
  EXPECT_EQ(stored(), "2#1 worker_lost to retry: closed");
  store({attempt(1), attempt(2)});
  while (asked_to_scan_on()) tell(TimePassed{});
  pass(9s);
  EXPECT_EQ(sent_to(2), "nothing") << "it may come back";
  pass(2s);
  while (asked_to_scan_on()) tell(TimePassed{});
  EXPECT_NE(sent_to(2), "nothing");
}

TEST_F(BoundPointsTest, HostsOfOneKindShareAPoint) {
  points(1, 3);
  submit();
  join(1, of(1, 7));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
  join(2, of(2, 7));
  EXPECT_EQ(sent_to(2), "2#1");
}

TEST_F(BoundPointsTest, WithoutAResultALostWorkerBindsNothing) {
  points(1, 2);
  submit();
  join(1, of(1, 7));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
  join(2, of(2, 8));
  tell(WorkerLeft{WorkerId{1}, "closed"});
  stored();
  stored();
  EXPECT_EQ(dismissed(1), "closed");
  EXPECT_EQ(sent_to(2), "0#2");  // of jobs that may have ended a worker, one at a time
}

TEST_F(BoundPointsTest, AfterTheGraceThePointIsBegunAnewElsewhere) {
  points(1, 2);
  submit();
  join(1, of(1, 7));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
  join(2, of(2, 8));
  answers(1, attempt(0));
  tell(WorkerLeft{WorkerId{1}, "closed"});
  EXPECT_EQ(stored(), "1#1 worker_lost to retry: closed");
  EXPECT_EQ(dismissed(1), "closed");
  store({attempt(1)});
  while (asked_to_scan_on()) tell(TimePassed{});
  drop_heartbeats();
  EXPECT_EQ(core->explain({kSweep, 1, 0}).standing, Standing::no_host_fits);
  EXPECT_EQ(describe(core->explain({kSweep, 1, 0})),
            "it fits none of the connected hosts:\n  its point is bound to another kind of host, and no "
            "such host is connected");
  pass(9s);
  EXPECT_EQ(core->tally(kSweep).done, 1U);
  pass(2s);
  EXPECT_TRUE(asked_to_scan_on());
  tell(TimePassed{});
  EXPECT_TRUE(restarted_now());
  EXPECT_EQ(core->tally(kSweep).done, 0U);
  EXPECT_EQ(core->tally(kSweep).restarted, 1U);
  // Both jobs, under a host of their own: what job 0 has got stays.
  const std::string host = "@" + std::to_string(kRestarted);
  EXPECT_EQ(sent_to(2), "1" + host + "#2 0" + host + "#1");
  asked_to_scan_on();
  answer(2, attempt(1, 2, kRestarted));
  EXPECT_EQ(stored(), "1" + host + "#2 ok accepted from 2");
  answer(2, attempt(0, 1, kRestarted));
  EXPECT_EQ(stored(), "0" + host + "#1 ok accepted from 2");
  // The first worker returns with what it still had: it is not needed.
  join(3, of(1, 7), {attempt(1)});
  EXPECT_EQ(released_to(3), "1#1");
  EXPECT_EQ(cancelled_at(3), "1#1");
  store({attempt(1, 2, kRestarted), attempt(0, 1, kRestarted)});
  EXPECT_EQ(released_to(2), "1" + host + "#2 0" + host + "#1");
  EXPECT_EQ(ended(), "ending 1");
}

TEST_F(BoundPointsTest, WhoComesBackInTimeGoesOn) {
  points(1, 2);
  submit();
  join(1, of(1, 7));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
  join(2, of(2, 8));
  answers(1, attempt(0));
  tell(WorkerLeft{WorkerId{1}, "closed"});
  stored();
  dismissed(1);
  store({attempt(1)});
  while (asked_to_scan_on()) tell(TimePassed{});
  drop_heartbeats();
  pass(9s);
  join(3, of(1, 7));
  EXPECT_EQ(sent_to(3), "1#2");
}

TEST_F(BoundPointsTest, ACoordinatorThatStaysWaitsForTheHardware) {
  options.stay = true;
  core = std::make_unique<Core>(options);
  points(1, 2);
  SweepSubmitted sweep = submission();
  sweep.answered.add(0);
  sweep.measured_on[7] = {};
  tell(sweep);
  join(2, of(2, 8));
  for (int i = 0; i < 5; ++i) {
    while (asked_to_scan_on()) tell(TimePassed{});
    drop_heartbeats();
    pass(1min);
  }
  join(3, of(1, 7));
  EXPECT_EQ(sent_to(3), "1#1");
}

// Point 0, which is bound, waits for ever; its rivals do not.
TEST_F(BoundPointsTest, ACoordinatorThatStaysMeasuresRivalsElsewhereAfterTheGrace) {
  options.stay = true;
  core = std::make_unique<Core>(options);
  points(2, 2);
  space->in_problem = 2;
  SweepSubmitted sweep = submission();
  sweep.answered.add(0);
  sweep.measured_on[7].add(0);
  sweep.measured_on[8] = {};
  tell(sweep);
  join(1, of(1, 7));
  EXPECT_EQ(sent_to(1), "1#1 2#1");
  tell(WorkerLeft{WorkerId{1}, "closed"});
  EXPECT_EQ(dismissed(1), "closed");
  EXPECT_EQ(stored(), "1#1 worker_lost to retry: closed");
  EXPECT_EQ(stored(), "2#1 worker_lost to retry: closed");
  store({attempt(1), attempt(2)});
  join(2, of(2, 8));
  const auto passes = [&](Duration time) {
    while (asked_to_scan_on()) tell(TimePassed{});
    drop_heartbeats();
    pass(time);
    while (asked_to_scan_on()) tell(TimePassed{});
    drop_heartbeats();
  };
  passes(9s);
  EXPECT_EQ(sent_to(2), "nothing");
  passes(2s);
  EXPECT_EQ(sent_to(2), "1#2 3#1");
}

TEST_F(BoundPointsTest, ResultsOfAnEarlierRunBind) {
  points(2, 2);
  SweepSubmitted sweep = submission();
  sweep.answered = {0, 1};
  sweep.measured_on[7].add(0);
  sweep.measured_on[8].add(1);
  tell(sweep);
  join(2, of(2, 8));
  EXPECT_EQ(sent_to(2), "3#1");
  asked_to_scan_on();
  join(1, of(1, 7));
  EXPECT_EQ(sent_to(1), "2#1");
}

TEST_F(BoundPointsTest, APointThatAnEarlierRunHasBegunAnewGoesOnAsThat) {
  points(2, 2);
  SweepSubmitted sweep = submission();
  sweep.answered.add(0);
  sweep.answered.add(2);
  sweep.answered.add(2, kRestarted);
  sweep.measured_on[7].add(0);
  sweep.measured_on[7].add(2);
  sweep.measured_on[8].add(2, kRestarted);
  tell(sweep);
  EXPECT_EQ(core->tally(kSweep).earlier, 1U);
  join(2, of(2, 8));
  EXPECT_EQ(sent_to(2), "0@" + std::to_string(kRestarted) + "#1 1#1");
}

// Its coordinator was restarted before any row of the new start was stored.
TEST_F(BoundPointsTest, WhatAFormerLifeHasBegunAnewIsFollowed) {
  points(1, 2);
  SweepSubmitted sweep = submission();
  sweep.answered.add(0);
  sweep.measured_on[7] = {};
  tell(sweep);
  join(2, of(2, 8), {attempt(1, 1, kRestarted)});
  EXPECT_TRUE(restarted_now());
  EXPECT_EQ(sent_to(2), "0@" + std::to_string(kRestarted) + "#1");
  asked_to_scan_on();
}

TEST_F(BoundPointsTest, AnAttemptOfUnlikeHardwareIsNotGoneOnWith) {
  points(1, 2);
  SweepSubmitted sweep = submission();
  sweep.answered.add(0);
  sweep.measured_on[7] = {};
  tell(sweep);
  join(1, of(1, 7));
  EXPECT_EQ(sent_to(1), "1#1");
  join(2, of(2, 8), {attempt(1, 5)});
  EXPECT_EQ(released_to(2), "1#5");
  EXPECT_EQ(cancelled_at(2), "1#5");
  EXPECT_EQ(cancelled_at(1), "1#1");
  EXPECT_EQ(sent_to(1), "1#6");
}

TEST_F(BoundPointsTest, AnEarlierResultBindsAsOneOfItsOwn) {
  points(1, 2);
  space->earlier = {{0, 41}};
  space->earlier_on = 7;
  submit();
  join(2, of(2, 8));
  EXPECT_EQ(stored(), "0#1 ok accepted reuses 41");
  store({attempt(0)});
  while (asked_to_scan_on()) tell(TimePassed{});
  drop_heartbeats();
  join(1, of(1, 7));
  EXPECT_EQ(sent_to(1), "1#1");
}

// It does not answer a point with a job under way on other hardware either.
TEST_F(BoundPointsTest, AnEarlierResultOfUnlikeHardwareIsNotUsed) {
  points(1, 2);
  space->earlier = {{1, 41}};
  space->earlier_on = 7;
  submit();
  join(2, of(2, 8));
  EXPECT_EQ(sent_to(2), "0#1 1#1");
  EXPECT_EQ(stored(), "nothing");
}

TEST_F(BoundPointsTest, NobodyAsksBackWhatHeMayNotHave) {
  options.move_from = 20ms;
  core = std::make_unique<Core>(options);
  points(4, 2);
  SweepSubmitted sweep = submission();
  sweep.answered = {0, 1, 2, 3};
  sweep.measured_on[7] = {};
  tell(sweep);
  join(1, of(1, 7, 2));
  EXPECT_EQ(sent_to(1), "4#1 5#1 6#1 7#1");
  join(2, of(2, 8, 2));
  for (int i = 0; i < 20; ++i) {
    while (asked_to_scan_on()) tell(TimePassed{});
    drop_heartbeats();
    pass(100ms);
  }
  EXPECT_EQ(retracted_from(1), "nothing");
}

TEST(LedgerReopens, AgreesWithASet) {
  const std::uint64_t size = 3 * 32768 + 100;
  SettledJobs settled_jobs(size);
  std::set<std::uint64_t> settled;
  for (std::uint64_t i = 0; i < size; ++i) settled.insert(i);
  EXPECT_EQ(settled_jobs.settle_run(0, size - 1), size);
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const std::uint64_t index = mix_hash(i, 5) % size;
    const bool opens = mix_hash(i, 6) % 2;
    EXPECT_EQ(opens ? settled_jobs.reopen(index) : settled_jobs.settle(index),
              opens ? settled.erase(index) == 1 : settled.insert(index).second);
    if (i % 1000 == 0) {
      ASSERT_EQ(settled_jobs.check_invariants(), std::nullopt);
    }
  }
  EXPECT_EQ(settled_jobs.settled_count(), settled.size());
  for (std::uint64_t index = 0; index < size; ++index)
    ASSERT_EQ(settled_jobs.settled(index), settled.contains(index)) << index;
}

}  // namespace
}  // namespace kernsweep::coordinator
