// Whether the job or the host is at fault when jobs fail.
#include "tests/unit/coordinator_core/crew.hpp"
#include "tests/unit/coordinator_core/table.hpp"

namespace kernsweep::coordinator {
namespace {

using Blaming = Table;

TEST_F(Blaming, JobThatEndsItsProcessOnTwoHostsIsNotTriedOnAThird) {
  space = std::make_shared<FakeSpace>(1);
  space->rules = {9, {Outcome::signal}, true};
  submit();
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "0#1");
  join(2, host(2, 1));
  join(3, host(3, 1));
  answer(1, attempt(0), Outcome::signal);
  EXPECT_EQ(stored(), "0#1 signal to retry from 1");
  EXPECT_EQ(sent_to(2), "0#2") << "not on the host where it ended its process, while another is here";
  answer(2, attempt(0, 2), Outcome::out_of_memory);
  EXPECT_EQ(stored(),
            "0#2 out_of_memory accepted from 2: it ended its process on two hosts: signal on host 1, "
            "out_of_memory on host 2");
}

TEST_F(Blaming, OnTheOnlyHostTwiceIsEnough) {
  space = std::make_shared<FakeSpace>(1);
  space->rules = {9, {Outcome::signal}, true};
  submit();
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "0#1");
  answer(1, attempt(0), Outcome::signal);
  EXPECT_EQ(stored(), "0#1 signal to retry from 1");
  EXPECT_EQ(sent_to(1), "0#2") << "nobody else is here";
  answer(1, attempt(0, 2), Outcome::signal);
  EXPECT_EQ(stored(),
            "0#2 signal accepted from 1: it ended its process twice on the only host: signal on host 1, "
            "signal on host 1");
}

TEST_F(Blaming, JobThatTakesItsHostWithItIsStoppedAfterTwo) {
  space = std::make_shared<FakeSpace>(4);
  space->rules.max = 9;
  submit();
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "0#1 1#1");
  join(2, host(2, 1));
  EXPECT_EQ(sent_to(2), "2#1 3#1");
  tell(WorkerLeft{WorkerId{1}, "closed"});
  EXPECT_EQ(stored(), "0#1 worker_lost to retry: closed");
  EXPECT_EQ(stored(), "1#1 worker_lost to retry: closed");
  EXPECT_EQ(dismissed(1), "closed");
  answer(2, attempt(2));
  EXPECT_EQ(stored(), "2#1 ok accepted from 2");
  EXPECT_EQ(sent_to(2), "0#2") << "one suspect per core, so 1 is not taken down with it";
  tell(WorkerLeft{WorkerId{2}, "closed"});
  EXPECT_EQ(stored(),
            "0#2 worker_lost accepted: it ended its process on two hosts: worker_lost on host 1, "
            "worker_lost on host 2; closed");
  EXPECT_EQ(stored(), "3#1 worker_lost to retry: closed");
  EXPECT_EQ(dismissed(2), "closed");
}

TEST_F(Blaming, WhatALostWorkerHadOnlyInItsQueueIsNoSuspect) {
  options.credit_max = 1000;
  core = std::make_unique<Core>(options);
  space = std::make_shared<FakeSpace>(5000);
  space->rules.max = 0;  // any blame would be the end of a job
  submit();
  join(1, host(1, 1));
  take_sent(1);
  tell(OutcomesArrived{WorkerId{1}, {{attempt(0), Outcome::ok, false, 1us, 0}}});
  EXPECT_EQ(stored(), "0#1 ok accepted from 1");
  EXPECT_EQ(take_sent(1).size(), 999U);
  tell(WorkerLeft{WorkerId{1}, "closed"});
  // It holds 1000: of these the 320 oldest and 2 per core may have been with a slot.
  for (std::uint64_t i = 1; i <= 1000; ++i) {
    EXPECT_EQ(stored(), std::to_string(i) + (i <= 322 ? "#1 worker_lost accepted: closed"
                                                      : "#1 worker_lost to retry: closed"));
  }
  EXPECT_EQ(dismissed(1), "closed");
}

TEST_F(Blaming, WorkerThatComesBackWasNotKilledByItsJobs) {
  space = std::make_shared<FakeSpace>(1);
  space->rules.max = 9;
  submit();
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "0#1");
  join(2, host(2, 1));
  tell(WorkerLeft{WorkerId{1}, "closed"});
  EXPECT_EQ(stored(), "0#1 worker_lost to retry: closed");
  EXPECT_EQ(dismissed(1), "closed");
  EXPECT_EQ(sent_to(2), "0#2");
  join(3, host(1, 1), {}, WorkerId{1});  // the same process: only its line was cut
  tell(WorkerLeft{WorkerId{2}, "closed"});
  EXPECT_EQ(stored(), "0#2 worker_lost to retry: closed") << "the first host it took with it, if any";
  EXPECT_EQ(dismissed(2), "closed");
  EXPECT_EQ(sent_to(3), "0#3");
}

TEST_F(Blaming, JobUnderWhichTwoGpusAreLostIsTriedNoMore) {
  space = std::make_shared<FakeSpace>(1);
  space->rules.max = 0;  // holds for what the job itself does
  submit();
  join(1, host(1, 1));
  EXPECT_EQ(sent_to(1), "0#1");
  join(9, host(9, 1));                             // another host that might take it
  join(2, host(1, 1), {attempt(0)}, WorkerId{1});  // it says by joining again that it has lost the GPU
  answer(2, attempt(0), Outcome::worker_lost);
  EXPECT_EQ(stored(), "0#1 worker_lost to retry from 2");
  EXPECT_EQ(sent_to(2), "0#2") << "at once, where another is free";
  join(3, host(1, 1), {attempt(0, 2)}, WorkerId{2});
  answer(3, attempt(0, 2), Outcome::worker_lost);
  EXPECT_EQ(stored(), "0#2 worker_lost accepted from 3: GPUs were lost while it ran, 2 so far")
      << "its session came back, its GPU did not";
}

TEST(Crews, HostThatLosesItsGpusOneAfterTheOtherIsNotBlamed) {
  Crew crew(200);
  crew.ends = [](std::uint32_t on, std::uint64_t) { return on == 1 ? Outcome::worker_lost : Outcome::ok; };
  crew.join(1, 1);
  crew.join(2, 2);
  crew.run();
  EXPECT_EQ(crew.answers.size(), 200U);
  EXPECT_TRUE(crew.drained.empty());
}

class FailingHost : public testing::TestWithParam<Outcome> {};
INSTANTIATE_TEST_SUITE_P(Crews, FailingHost, testing::Values(Outcome::failed_setup, Outcome::failed_build));

TEST_P(FailingHost, IsShutOutAndNoJobEndsByItsFault) {
  Crew crew(200);
  crew.ends = [](std::uint32_t on, std::uint64_t) { return on == 1 ? GetParam() : Outcome::ok; };
  crew.join(1, 1);
  crew.join(2, 2);
  crew.run();
  ASSERT_EQ(crew.answers.size(), 200U);
  // The first two of the streak were accepted before there was a doubt; each later one had another try.
  EXPECT_LE(crew.failed(), 3U);
  ASSERT_EQ(crew.drained.count(WorkerId{1}), 1U);
  EXPECT_EQ(crew.drained[WorkerId{1}].substr(0, 40), "8 different jobs in a row failed on host");
  EXPECT_EQ(crew.drained.size(), 1U);
}

TEST(Crews, QuarantinedHostStaysSoUntilItIsReadmitted) {
  Crew crew(2000);
  bool broken = true;
  crew.ends = [&broken](std::uint32_t on, std::uint64_t) {
    return on == 1 && broken ? Outcome::failed_run : Outcome::ok;
  };
  crew.join(1, 1);
  crew.join(2, 2);
  while (crew.drained.empty()) crew.step();
  crew.join(3, 1);  // a new process on the same host
  crew.step();
  EXPECT_EQ(crew.drained.count(WorkerId{3}), 1U);
  broken = false;
  crew.tell(HostReadmitted{1});
  crew.join(4, 1);
  crew.run();
  EXPECT_EQ(crew.drained.size(), 2U);
  EXPECT_GT(crew.attempts_on[4], 500U) << "it takes its half again";
  EXPECT_EQ(crew.answers.size(), 2000U);
}

TEST(Crews, SweepThatFailsEverywhereEndsWithEachJobFailedOnceAndNobodyOut) {
  Crew crew(300);
  crew.ends = [](std::uint32_t, std::uint64_t) { return Outcome::failed_setup; };
  for (std::uint32_t i = 1; i <= 3; ++i) crew.join(i, i);
  crew.run();
  EXPECT_EQ(crew.failed(), 300U);
  EXPECT_EQ(crew.attempts, 300U);
  EXPECT_TRUE(crew.drained.empty());
}

TEST(Crews, BadJobsInARowAreNotBlamedOnTheHostsThatTriedThem) {
  Crew crew(400);
  // 100 jobs of one variant, in a row, that fails wherever it is tried.
  const auto bad = [](std::uint64_t index) { return index >= 100 && index < 200; };
  crew.ends = [&bad](std::uint32_t, std::uint64_t index) {
    return bad(index) ? Outcome::failed_run : Outcome::ok;
  };
  for (std::uint32_t i = 1; i <= 3; ++i) crew.join(i, i);
  crew.run();
  EXPECT_EQ(crew.failed(), 100U);
  EXPECT_TRUE(crew.drained.empty());
}

TEST(Crews, UnsupportedAndWrongResultsSpeakAgainstNoHost) {
  Crew crew(100);
  crew.ends = [](std::uint32_t on, std::uint64_t index) {
    return on == 2 ? Outcome::ok : index % 2 ? Outcome::unsupported : Outcome::wrong_result;
  };
  crew.join(1, 1);
  crew.join(2, 2);
  crew.run();
  EXPECT_TRUE(crew.drained.empty());
  EXPECT_EQ(crew.attempts, 100U);
}

TEST(Crews, WithHostsEachAFailureIsTheHostsAnswer) {
  Crew crew(50, Hosts::each);
  crew.ends = [](std::uint32_t on, std::uint64_t) { return on == 1 ? Outcome::failed_setup : Outcome::ok; };
  crew.join(1, 1);
  crew.join(2, 2);
  crew.run();
  EXPECT_EQ(crew.answers.size(), 100U);
  EXPECT_EQ(crew.failed(), 50U);
  EXPECT_TRUE(crew.drained.empty());
}

}  // namespace
}  // namespace kernsweep::coordinator
