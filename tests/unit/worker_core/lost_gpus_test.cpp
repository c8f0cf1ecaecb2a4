// A process that has lost its GPU: was it the kernel, or is the GPU no more?
#include "tests/unit/worker_core/gpu_core_fixture.hpp"

namespace kernsweep::worker {
namespace {

class LostGpus : public GpuCoreFixture {
 protected:
  // Two GPUs and four cores; job 0 is with slot 1 on GPU 0, job 1 with slot 2 on GPU 1, others as given.
  void both_work(std::vector<Order> others = {}) {
    open(4, 2);
    std::vector<Order> orders = {on_gpus(0, 1), on_gpus(1, 1)};
    orders.insert(orders.end(), others.begin(), others.end());
    EXPECT_EQ(arrive(orders), "start 1 key 0 on 0 gpu 0; start 2 key 0 on 2 gpu 1");
    EXPECT_EQ(ready(1), "run 1: 0");
    EXPECT_EQ(ready(2), "run 2: 1");
  }
  static Order again(std::uint64_t index, std::uint32_t gpus = 1) {
    Order made = on_gpus(index, gpus);
    made.attempt = attempt(index, 2);
    return made;
  }
  // One GPU without any information; job `index` loses it in the process `slot`, which was started.
  std::string loses_it_unseen(std::uint32_t slot, std::uint64_t index) {
    const std::string job = std::to_string(index);
    EXPECT_EQ(ready(slot), "run " + std::to_string(slot) + ": " + job);
    EXPECT_EQ(lost(slot, index), "keep back: report " + job + " failed_run from " + std::to_string(slot) +
                                     "; retire " + std::to_string(slot));
    EXPECT_EQ(exited(slot, "exited with status 0"), "look at gpu 0");
    return gpu_seen(0, GpuAnswer::unknown, "no driver");
  }
};

TEST_F(LostGpus, AGpuThatWorksKeepsItsPlaceAndTheJobHasItsOutcome) {
  both_work();
  EXPECT_EQ(lost(1, 0), "keep back: report 0 failed_run from 1; retire 1");
  EXPECT_EQ(arrive({on_gpus(2, 1)}), "") << "nobody has it until it has answered";
  EXPECT_EQ(exited(1, "exited with status 0"), "look at gpu 0");
  EXPECT_EQ(arrive({on_gpus(3, 1)}), "");
  EXPECT_EQ(gpu_seen(0, GpuAnswer::works), "tell 0; start 3 key 0 on 0 gpu 0");
}

TEST_F(LostGpus, OneThatIsLostIsGivenUpAndItsJobCountsAsOneOfALostWorker) {
  both_work({on_gpus(2, 1)});
  EXPECT_EQ(lost(1, 0), "keep back: report 0 failed_run from 1; retire 1");
  EXPECT_EQ(exited(1, "exited with status 0"), "look at gpu 0");
  EXPECT_EQ(gpu_seen(0, GpuAnswer::lost, "NVML says so"),
            "give up gpu 0 (NVML says so); tell 0 lost with gpu 0");
  EXPECT_EQ(arrive({again(0)}), "") << "from the coordinator";
  EXPECT_EQ(measured(2, 1), "report 1 ok from 2; run 2: 2");
  EXPECT_EQ(measured(2, 2), "report 2 ok from 2; run 2: 0");
  EXPECT_EQ(tell(OutcomesMeasured{{{SlotId{2}, attempt(0, 2), Outcome::ok, 1s, 7}}}), "report 0 ok from 2");
  EXPECT_EQ(arrive({on_gpus(3, 1), on_gpus(4, 1, Exclusion::core, 7)}), "run 2: 3");
}

TEST_F(LostGpus, JobsThatNeedMoreThanAreLeftGoBackAndThoseOfTheProcessorGoOn) {
  both_work({on_gpus(2, 2)});
  EXPECT_EQ(lost(1, 0), "keep back: report 0 failed_run from 1; retire 1");
  EXPECT_EQ(exited(1, "exited with status 0"), "look at gpu 0");
  EXPECT_EQ(gpu_seen(0, GpuAnswer::lost), "give up gpu 0 (why); tell 0 lost with gpu 0; return 2");
  EXPECT_EQ(arrive({on_gpus(3, 2)}), "return 3") << "sent before the coordinator knew";
  EXPECT_EQ(lost(2, 1), "keep back: report 1 failed_run from 2; retire 2");
  EXPECT_EQ(exited(2, "exited with status 0"), "look at gpu 1");
  EXPECT_EQ(gpu_seen(1, GpuAnswer::lost), "give up gpu 1 (why); tell 1 lost with gpu 1");
  EXPECT_EQ(arrive({on_gpus(4, 1)}), "return 4");
  EXPECT_EQ(arrive({order(5)}), "start 3 key 0 on 0");
  EXPECT_EQ(ready(3), "run 3: 5");
  EXPECT_EQ(arrive({on_gpus(6, 3)}),
            "report 6 failed_setup (the job asks for 3 GPUs, this worker has 2; start the worker with more "
            "GPUs)");
}

TEST_F(LostGpus, HoweverManyKernelsAreBrokenOnAGpuThatWorksItIsNotGivenUp) {
  open(1, 1);
  EXPECT_EQ(arrive({on_gpus(0, 1)}), "start 1 key 0 on 0 gpu 0");
  for (std::uint32_t job = 0; job < 20; ++job) {
    EXPECT_EQ(ready(job + 1), "run " + std::to_string(job + 1) + ": " + std::to_string(job));
    lost(job + 1, job);
    EXPECT_EQ(exited(job + 1, "exited with status 0"), "look at gpu 0");
    EXPECT_EQ(gpu_seen(0, GpuAnswer::works), "tell " + std::to_string(job));
    EXPECT_EQ(arrive({on_gpus(job + 1, 1)}), "start " + std::to_string(job + 2) + " key 0 on 0 gpu 0");
  }
}

TEST_F(LostGpus, WhereNothingCanBeLearnedTwoDifferentJobsInARowGiveItUp) {
  open(1, 1);
  EXPECT_EQ(arrive({on_gpus(0, 1)}), "start 1 key 0 on 0 gpu 0");
  EXPECT_EQ(loses_it_unseen(1, 0), "tell 0");
  EXPECT_EQ(arrive({on_gpus(1, 1)}), "start 2 key 0 on 0 gpu 0");
  EXPECT_EQ(loses_it_unseen(2, 1),
            "give up gpu 0 (2 jobs in a row reported it lost, and its state cannot be checked: no driver); "
            "tell 1 lost with gpu 0");
}

TEST_F(LostGpus, TheSameJobTwiceIsOneAndAJobThatGoesWellBetweenEndsTheRow) {
  open(1, 1);
  EXPECT_EQ(arrive({on_gpus(0, 1)}), "start 1 key 0 on 0 gpu 0");
  EXPECT_EQ(loses_it_unseen(1, 0), "tell 0");
  EXPECT_EQ(arrive({again(0)}), "start 2 key 0 on 0 gpu 0");
  EXPECT_EQ(ready(2), "run 2: 0");
  EXPECT_EQ(tell(OutcomesMeasured{{{SlotId{2}, attempt(0, 2), Outcome::failed_run, 1s, 7, true, true}}}),
            "keep back: report 0 failed_run from 2; retire 2");
  EXPECT_EQ(exited(2, "exited with status 0"), "look at gpu 0");
  EXPECT_EQ(gpu_seen(0, GpuAnswer::unknown), "tell 0") << "it may well be the job";
  EXPECT_EQ(arrive({on_gpus(1, 1)}), "start 3 key 0 on 0 gpu 0");
  EXPECT_EQ(ready(3), "run 3: 1");
  EXPECT_EQ(measured(3, 1), "report 1 ok from 3");
  EXPECT_EQ(arrive({on_gpus(2, 1)}), "run 3: 2");
  EXPECT_EQ(lost(3, 2), "keep back: report 2 failed_run from 3; retire 3");
  EXPECT_EQ(exited(3, "exited with status 0"), "look at gpu 0");
  EXPECT_EQ(gpu_seen(0, GpuAnswer::unknown), "tell 2");
}

TEST_F(LostGpus, OfAJobWithSeveralEachIsLookedAtAndOnlyTheLostOneIsGivenUp) {
  open(4, 3);
  EXPECT_EQ(arrive({on_gpus(0, 2)}), "start 1 key 0 on 0 gpu 0,1");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(lost(1, 0), "keep back: report 0 failed_run from 1; retire 1");
  EXPECT_EQ(exited(1, "exited with status 0"), "look at gpu 0; look at gpu 1");
  EXPECT_EQ(gpu_seen(1, GpuAnswer::lost), "give up gpu 1 (why)");
  EXPECT_EQ(gpu_seen(0, GpuAnswer::works), "tell 0 lost with gpu 1");
  EXPECT_EQ(arrive({again(0, 2)}), "start 2 key 0 on 0 gpu 0,2");
}

TEST_F(LostGpus, OneThatHasAnsweredSpeaksForThoseThatAskedAndForNobodyLater) {
  open(4, 2);
  EXPECT_EQ(arrive({on_gpus(0, 2)}), "start 1 key 0 on 0 gpu 0,1");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(lost(1, 0), "keep back: report 0 failed_run from 1; retire 1");
  EXPECT_EQ(exited(1, "exited with status 0"), "look at gpu 0; look at gpu 1");
  EXPECT_EQ(gpu_seen(0, GpuAnswer::works), "");
  EXPECT_EQ(arrive({on_gpus(1, 1)}), "start 2 key 0 on 0 gpu 0");
  EXPECT_EQ(ready(2), "run 2: 1");
  EXPECT_EQ(lost(2, 1), "keep back: report 1 failed_run from 2; retire 2");
  EXPECT_EQ(exited(2, "exited with status 0"), "look at gpu 0");
  EXPECT_EQ(gpu_seen(1, GpuAnswer::works), "tell 0") << "both worked after it";
  EXPECT_EQ(gpu_seen(0, GpuAnswer::lost), "give up gpu 0 (why); tell 1 lost with gpu 0");
}

TEST_F(LostGpus, OneWhoseProcessCannotBeEndedIsGivenUp) {
  both_work();
  EXPECT_EQ(failed(1, 0), "keep back: report 0 failed_run from 1; retire 1");
  EXPECT_EQ(pass(6s), "kill 1");
  EXPECT_EQ(requests_lease(2), "grant 2");
  EXPECT_EQ(pass(60s), "");
  EXPECT_EQ(
      pass(1s),
      "give up gpu 0 (a process that uses it was killed, and is not gone after 60 s); tell 0 lost with "
      "gpu 0; give up cores 0 (a process that ran there was killed, and is not gone after 60 s)");
  EXPECT_EQ(pass(60s), "kill 2") << "a kernel that hangs";
  EXPECT_EQ(pass(60s), "");
  EXPECT_EQ(
      pass(1s),
      "keep back: report 1 timeout_run from 2 (warm-up and samples took longer than timeout.run: 120 "
      "s; its process was killed, and is not gone after 60 s); give up gpu 1 (a process that uses it was "
      "killed, and is not gone after 60 s); tell 1 lost with gpu 1; give up cores 2 (a process that ran "
      "there was killed, and is not gone after 60 s)");
  EXPECT_EQ(exited(2, "killed by SIGKILL"), "") << "too late";
}

TEST_F(LostGpus, TheGpuOfAProcessThatDiesIsLookedAt) {
  both_work();
  EXPECT_EQ(exited(1), "keep back: report 0 signal from 1 (killed by SIGSEGV); look at gpu 0");
  EXPECT_EQ(arrive({on_gpus(2, 1)}), "");
  EXPECT_EQ(gpu_seen(0, GpuAnswer::works), "tell 0; start 3 key 0 on 0 gpu 0");
  EXPECT_EQ(ready(3), "run 3: 2");
  EXPECT_EQ(exited(3), "keep back: report 2 signal from 3 (killed by SIGSEGV); look at gpu 0");
  EXPECT_EQ(gpu_seen(0, GpuAnswer::lost), "give up gpu 0 (why); tell 2 lost with gpu 0");
}

TEST_F(LostGpus, TheGpuOfAJobThatOverstaysIsLookedAtWhenItsProcessHasGone) {
  open(2, 1);
  EXPECT_EQ(arrive({on_gpus(0, 1), on_gpus(1, 1)}), "start 1 key 0 on 0 gpu 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(requests_lease(1), "grant 1");
  EXPECT_EQ(pass(121s), "kill 1");
  EXPECT_EQ(exited(1, "killed by SIGKILL"),
            "keep back: report 0 timeout_run from 1 (warm-up and samples took longer than timeout.run: 120 "
            "s); look at gpu 0");
  EXPECT_EQ(gpu_seen(0, GpuAnswer::lost), "give up gpu 0 (why); tell 0 lost with gpu 0; return 1");
}

TEST_F(LostGpus, JobsThatDoNotSayThatTheyLostItAreNotCounted) {
  open(1, 1);
  EXPECT_EQ(arrive({on_gpus(0, 1)}), "start 1 key 0 on 0 gpu 0");
  for (std::uint32_t job = 0; job < 5; ++job) {
    EXPECT_EQ(ready(job + 1), "run " + std::to_string(job + 1) + ": " + std::to_string(job));
    failed(job + 1, job);
    EXPECT_EQ(exited(job + 1, "exited with status 0"), "look at gpu 0");
    EXPECT_EQ(gpu_seen(0, GpuAnswer::unknown), "tell " + std::to_string(job));
    EXPECT_EQ(arrive({on_gpus(job + 1, 1)}), "start " + std::to_string(job + 2) + " key 0 on 0 gpu 0");
  }
}

TEST_F(LostGpus, OneKilledForItsMemoryOrForACancelledJobIsNotLookedAt) {
  both_work();
  EXPECT_EQ(tell(SlotExited{SlotId{1}, Outcome::out_of_memory, "killed by the kernel"}),
            "report 0 out_of_memory from 1 (killed by the kernel)");
  EXPECT_EQ(tell(JobsCancelled{{attempt(1)}}), "kill 2; return 1");
  EXPECT_EQ(exited(2), "");
}

TEST_F(LostGpus, WhoWaitsForOneInDoubtHindersNobody) {
  open(2, 1);
  EXPECT_EQ(arrive({on_gpus(0, 1)}), "start 1 key 0 on 0 gpu 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(lost(1, 0), "keep back: report 0 failed_run from 1; retire 1");
  EXPECT_EQ(exited(1, "exited with status 0"), "look at gpu 0");
  EXPECT_EQ(arrive({on_gpus(1, 1)}), "");
  EXPECT_EQ(arrive({order(2, Exclusion::core), order(3, Exclusion::core)}),
            "start 2 key 0 on 0; start 3 key 0 on 1");
  EXPECT_EQ(ready(2), "run 2: 2");
  for (std::uint64_t index = 4; index <= 9; ++index) {
    const std::uint64_t before = index == 4 ? 2 : index - 1;
    EXPECT_EQ(arrive({order(index, Exclusion::core)}), "");
    EXPECT_EQ(measured(2, before),
              "report " + std::to_string(before) + " ok from 2; run 2: " + std::to_string(index));
  }
}

TEST_F(LostGpus, WhatIsKeptBackIsCancelledDrainedAndStoppedLikeAnyJob) {
  both_work();
  EXPECT_EQ(lost(1, 0), "keep back: report 0 failed_run from 1; retire 1");
  EXPECT_EQ(tell(JobsCancelled{{attempt(0)}}), "return 0");
  EXPECT_EQ(exited(1, "exited with status 0"), "look at gpu 0");
  EXPECT_EQ(gpu_seen(0, GpuAnswer::lost), "give up gpu 0 (why)") << "and nothing of job 0";
  EXPECT_EQ(lost(2, 1), "keep back: report 1 failed_run from 2; retire 2");
  EXPECT_EQ(tell(DrainAsked{}), "");
  EXPECT_EQ(exited(2, "exited with status 0"), "look at gpu 1");
  EXPECT_EQ(gpu_seen(1, GpuAnswer::works), "tell 1; drained");
}

TEST_F(LostGpus, WhatIsKeptBackGoesBackWhenTheWorkerStops) {
  both_work();
  EXPECT_EQ(lost(1, 0), "keep back: report 0 failed_run from 1; retire 1");
  EXPECT_EQ(tell(StopAsked{}), "kill 2; return 0 1");
  EXPECT_EQ(exited(1, "exited with status 0"), "");
}

TEST_F(LostGpus, AnAnswerThatNobodyAskedForChangesNothing) {
  both_work();
  EXPECT_EQ(gpu_seen(0, GpuAnswer::lost), "");
  EXPECT_EQ(gpu_seen(77, GpuAnswer::lost), "");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1");
}

}  // namespace
}  // namespace kernsweep::worker
