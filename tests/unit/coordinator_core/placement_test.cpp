// Which worker gets which jobs, and how many.
#include "tests/unit/coordinator_core/table.hpp"

namespace kernsweep::coordinator {
namespace {

using Placement = Table;

TEST_F(Placement, WorkerStartsWithTwoJobsPerCore) {
  space = std::make_shared<FakeSpace>(100);
  submit();
  join(1, host(1, 3));
  EXPECT_EQ(take_sent(1).size(), 6U);
}

TEST_F(Placement, CreditFollowsTheTimeJobsTake) {
  space = std::make_shared<FakeSpace>(10000);
  submit();
  join(1, host(1, 1));
  EXPECT_EQ(take_sent(1).size(), 2U);
  // credit_time / 1 ms = 300 jobs; one is still there.
  tell(OutcomesArrived{WorkerId{1}, {{attempt(0), Outcome::ok, false, 1ms, 0}}});
  EXPECT_EQ(stored(), "0#1 ok accepted from 1");
  EXPECT_EQ(take_sent(1).size(), 299U);
}

TEST_F(Placement, LargeCreditIsRefilledByHalves) {
  space = std::make_shared<FakeSpace>(10000);
  submit();
  join(1, host(1, 1));
  take_sent(1);
  tell(OutcomesArrived{WorkerId{1}, {{attempt(0), Outcome::ok, false, 1ms, 0}}});
  EXPECT_EQ(stored(), "0#1 ok accepted from 1");
  take_sent(1);  // now it holds 300
  for (std::uint64_t i = 1; i <= 150; ++i) {
    tell(OutcomesArrived{WorkerId{1}, {{attempt(i), Outcome::ok, false, 1ms, 0}}});
    EXPECT_EQ(stored(), std::to_string(i) + "#1 ok accepted from 1");
  }  // 150 left: half, still enough
  tell(OutcomesArrived{WorkerId{1}, {{attempt(151), Outcome::ok, false, 1ms, 0}}});
  EXPECT_EQ(stored(), "151#1 ok accepted from 1");
  EXPECT_EQ(take_sent(1).size(), 151U);
}

TEST_F(Placement, CreditHasACeiling) {
  options.credit_max = 10;
  core = std::make_unique<Core>(options);
  space = std::make_shared<FakeSpace>(1000);
  submit();
  join(1, host(1, 64));
  EXPECT_EQ(take_sent(1).size(), 10U);
}

TEST_F(Placement, WhatASpaceHoldsBackMayBecomeUnwanted) {
  space = std::make_shared<FakeSpace>(10);
  space->held = 3;
  submit();
  join(1, host(1, 64));
  EXPECT_EQ(sent_to(1), "0#1 1#1 2#1");
  join(2, host(2, 64));
  EXPECT_EQ(sent_to(2), "3#1 4#1 5#1");
  answer(1, attempt(0));
  EXPECT_EQ(stored(), "0#1 ok accepted from 1");
  EXPECT_EQ(sent_to(1), "6#1");
  space->unwanted = {7, 8, 9};
  answer(2, attempt(3));
  EXPECT_EQ(stored(), "3#1 ok accepted from 2");
  EXPECT_EQ(core->tally(kSweep).unwanted, 3U);
  EXPECT_TRUE(core->tally(kSweep).scanned);
}

TEST_F(Placement, UnwantedJobsAreSkippedAndCounted) {
  space->unwanted = {0, 2};
  submit();
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "1#1");
  EXPECT_EQ(core->tally(kSweep).unwanted, 2U);
  EXPECT_TRUE(core->tally(kSweep).scanned);
}

TEST_F(Placement, UnwantedJobsAreCountedByTheRuleThatRejectsThem) {
  space = std::make_shared<FakeSpace>(5);
  space->rule_of = {{1, 0}, {2, 2}, {3, 2}};
  submit();
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "0#1 4#1");
  EXPECT_EQ(core->tally(kSweep).unwanted, 3U);
  EXPECT_EQ(core->tally(kSweep).unwanted_by, (std::vector<std::uint64_t>{1, 0, 2}));
}

TEST_F(Placement, LongScanIsCutIntoTurns) {
  options.scan_per_turn = 10;
  core = std::make_unique<Core>(options);
  space = std::make_shared<FakeSpace>(25);
  space->all_unwanted = true;
  submit();
  int turns = 1;
  while (asked_to_scan_on()) {
    ++turns;
    tell(TimePassed{});
  }
  EXPECT_EQ(ended(), "ending 1");  // nothing to do is done, without a worker
  EXPECT_GE(turns, 3);             // 25 jobs, 10 a turn
  EXPECT_LE(turns, 5);
}

TEST_F(Placement, JobGoesToTheHostThatFits) {
  space->cores_of = {{0, 8}};
  submit();
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "1#1 2#1");
  EXPECT_EQ(core->tally(kSweep).parked, 1U);
  join(2, host(2, 8));
  EXPECT_EQ(sent_to(2), "0#1");
  EXPECT_EQ(retracted_from(1), "2#1") << "the new one has cores free";
  EXPECT_EQ(core->tally(kSweep).parked, 0U);
}

TEST_F(Placement, JobPassedOverByOneHostWaitsForTheOtherNotForItsTurn) {
  space = std::make_shared<FakeSpace>(6);
  space->needs_fact = {{2, 1}, {3, 1}};
  submit();
  join(2, host(2, 1, 1));
  EXPECT_EQ(sent_to(2), "0#1 1#1");
  join(1, host(1, 1, 0));
  EXPECT_EQ(sent_to(1), "4#1 5#1");
  answer(2, attempt(0));
  EXPECT_EQ(stored(), "0#1 ok accepted from 2");
  EXPECT_EQ(sent_to(2), "2#1");
}

TEST_F(Placement, LastJobsAreSpreadOverFreeWorkers) {
  space = std::make_shared<FakeSpace>(6);
  join(1, host(1, 2));
  join(2, host(2, 2));
  submit();
  EXPECT_EQ(sent_to(1), "0#1 1#1 4#1 5#1");  // two by two, a core's worth each
  EXPECT_EQ(sent_to(2), "2#1 3#1");
}

TEST_F(Placement, UnschedulableJobsAreUnplaceableOnceAllElseIsDone) {
  space = std::make_shared<FakeSpace>(2);
  space->needs_fact = {{0, 9}};
  submit();
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "1#1");
  answer(1, attempt(1));
  EXPECT_EQ(stored(), "1#1 ok accepted from 1");
  store({attempt(1)});
  EXPECT_EQ(released_to(1), "1#1");
  EXPECT_EQ(stored(), "0#1 unplaceable accepted: requires fact 9");
  store({attempt(0)});
  EXPECT_EQ(ended(), "ending 2");
}

TEST_F(Placement, UnschedulableJobsWaitOutTheGrace) {
  options.unplaceable_grace = 10s;
  options.silence_limit = 100s;
  core = std::make_unique<Core>(options);
  space = std::make_shared<FakeSpace>(1);
  space->cores_of = {{0, 4}};
  submit();
  EXPECT_FALSE(core->unplaced(kSweep));
  join(1, host(1, 1));
  pass(9s);
  join(2, host(2, 2));
  pass(900ms);
  const auto unplaced = core->unplaced(kSweep);
  ASSERT_TRUE(unplaced);
  EXPECT_EQ(unplaced->count, 1U);
  EXPECT_EQ(unplaced->first.index, 0U);
  EXPECT_EQ(unplaced->why, "asks for 4 cores, the host offers 1 (2 kinds of host were tried)");
  pass(200ms);
  EXPECT_FALSE(core->unplaced(kSweep));
  EXPECT_EQ(stored(),
            "0#1 unplaceable accepted: asks for 4 cores, the host offers 1 (2 kinds of host were tried)");
}

TEST_F(Placement, UnschedulableJobsWaitForeverForACoordinatorThatStays) {
  options.stay = true;
  options.silence_limit = 1h;
  core = std::make_unique<Core>(options);
  space = std::make_shared<FakeSpace>(1);
  space->cores_of = {{0, 4}};
  submit();
  join(1, host(1, 1));
  pass(100s);
  join(2, host(2, 4));
  EXPECT_EQ(sent_to(2), "0#1");
}

TEST_F(Placement, JobWhoseOnlyHostIsAwayWaitsForIt) {
  space = std::make_shared<FakeSpace>(1);
  space->cores_of = {{0, 4}};
  submit();
  join(1, host(1, 1));
  EXPECT_EQ(stored(), "0#1 unplaceable accepted: asks for 4 cores, the host offers 1");
  core = std::make_unique<Core>(options);
  submit();
  join(2, host(2, 4));
  EXPECT_EQ(sent_to(2), "0#1");
  join(1, host(1, 1));
  tell(WorkerLeft{WorkerId{2}, "closed"});
  EXPECT_EQ(stored(), "0#1 worker_lost to retry: closed");
  EXPECT_EQ(dismissed(2), "closed");
  store({attempt(0)});
  pass(1s);
  join(3, host(2, 4));
  EXPECT_EQ(sent_to(3), "0#2");
}

TEST_F(Placement, NothingIsUnplaceableBeforeAnyWorkerCame) {
  space->cores_of = {{0, 4}, {1, 4}, {2, 4}};
  submit();
  pass(1s);
  pass(1h);
  EXPECT_FALSE(core->idle());
}

TEST_F(Placement, WithHostsEachEveryHostMeasuresEveryJob) {
  space = std::make_shared<FakeSpace>(2);
  SweepSubmitted sweep = submission(Hosts::each);
  sweep.answered.add(0, 5);
  sweep.answered.add(1, 6);
  tell(sweep);
  join(1, host(5, 1));
  EXPECT_EQ(sent_to(1), "1@5#1");
  join(2, host(7, 1));
  EXPECT_EQ(sent_to(2), "0@7#1 1@7#1");
  join(3, host(7, 1));  // a second worker of host 7 shares its jobs
  EXPECT_EQ(retracted_from(2), "1@7#1");
}

// Counts the questions whether a job fits a host. No two hosts are alike to it.
class CountingSpace : public FakeSpace {
 public:
  using FakeSpace::FakeSpace;
  std::optional<std::string> unfit(std::uint64_t index, const HostFacts& host) const override {
    ++asked;
    return FakeSpace::unfit(index, host);
  }
  mutable std::uint64_t asked = 0;
};

TEST_F(Placement, EachKindThatComesIsAskedOnceOfEachJobThatWasSetAsideOverManyTurns) {
  constexpr std::uint32_t kHosts = 60;
  constexpr std::uint64_t kMisfits = 2000;
  options.scan_per_turn = 1000;
  options.silence_limit = 1h;
  options.stay = true;
  core = std::make_unique<Core>(options);
  const auto counting = std::make_shared<CountingSpace>(kMisfits);
  for (std::uint64_t i = 0; i < kMisfits; ++i) counting->needs_fact[i] = 777;
  space = counting;
  submit();
  std::uint64_t most = 0;
  bool scans = false;
  const auto turn = [&](const Event& event) {
    const std::uint64_t before = counting->asked;
    tell(event);
    most = std::max(most, counting->asked - before);
    drop_heartbeats();
    scans = asked_to_scan_on();
  };
  for (std::uint32_t i = 1; i <= kHosts; ++i) {
    turn(WorkerJoined{WorkerId{i}, host(i, 1, i), {}});
    if (i % 2 == 0) continue;  // some come before all is asked of the one before them
    while (scans) turn(TimePassed{});
  }
  while (scans) turn(TimePassed{});
  EXPECT_EQ(core->tally(kSweep).parked, kMisfits);
  EXPECT_EQ(counting->asked, kHosts * kMisfits);
  EXPECT_LE(most, options.scan_per_turn + kHosts);
}

TEST_F(Placement, JobThatWasSetAsideGoesToAKindThatComesLater) {
  options.scan_per_turn = 3;
  options.silence_limit = 1h;
  core = std::make_unique<Core>(options);
  space = std::make_shared<FakeSpace>(12);
  for (std::uint64_t i = 0; i < 11; ++i) space->needs_fact[i] = i == 10 ? 2 : 777;
  submit();
  join(1, host(1, 1));
  while (asked_to_scan_on()) tell(TimePassed{});
  EXPECT_EQ(sent_to(1), "11#1");
  EXPECT_EQ(core->tally(kSweep).parked, 11U);
  join(2, host(2, 1, 2));
  std::string sent;
  while (asked_to_scan_on()) {
    tell(TimePassed{});
    sent = sent_to(2);
    if (sent != "nothing") break;
  }
  EXPECT_EQ(sent, "10#1");
}

TEST_F(Placement, HostsThatNothingTellsApartAreOneKind) {
  class Alike : public FakeSpace {
   public:
    using FakeSpace::FakeSpace;
    std::uint32_t traits(const HostFacts&) const override { return 0; }
  };
  space = std::make_shared<Alike>(1);
  space->cores_of = {{0, 8}};
  options.stay = true;
  core = std::make_unique<Core>(options);
  submit();
  for (std::uint32_t i = 1; i <= 20; ++i) join(i, host(i, 1, i));
  EXPECT_EQ(describe(core->explain({kSweep, 0, 0})),
            "it fits none of the connected hosts:\n  asks for 8 cores, the host offers 1 (as on 19 more)");
}

TEST_F(Placement, HundredMillionJobsCostNothingUntilReached) {
  space = std::make_shared<FakeSpace>(100'000'000);
  submit();
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
}

}  // namespace
}  // namespace kernsweep::coordinator
