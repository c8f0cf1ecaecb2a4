// Which jobs get the GPUs of a host, and which cores with them.
#include "tests/unit/worker_core/gpu_core_fixture.hpp"

namespace kernsweep::worker {
namespace {

using Gpus = GpuCoreFixture;

TEST_F(Gpus, EachGoesToOneProcessWithACoreNearIt) {
  open(4, 2);
  EXPECT_EQ(arrive({on_gpus(0, 1), on_gpus(1, 1), on_gpus(2, 1)}),
            "start 1 key 0 on 0 gpu 0; start 2 key 0 on 2 gpu 1");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(ready(2), "run 2: 1");
  EXPECT_EQ(requests_lease(1), "grant 1");
  EXPECT_EQ(requests_lease(2), "grant 2") << "one lease per GPU";
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1 beside 1; run 1: 2");
  EXPECT_EQ(measured(2, 1), "report 1 ok from 2 beside 1");
  EXPECT_EQ(measured(1, 2), "report 2 ok from 1");
}

TEST_F(Gpus, WhoIsAloneOnTheHostIsAloneOnItsGpus) {
  open(4, 2);
  EXPECT_EQ(arrive({on_gpus(0, 1, Exclusion::host)}), "start 1 key 0 on 0 gpu 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(requests_lease(1), "grant 1");
  EXPECT_EQ(arrive({on_gpus(1, 1)}), "");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1; run 1: 1");
  EXPECT_EQ(measured(1, 1), "report 1 ok from 1");
}

TEST_F(Gpus, SeveralForOneJobAreThoseNearTheSameCores) {
  HostLayout layout = layout_of(4);
  layout.gpus = 4;
  UnitSet low, high;
  low.set(0).set(1);
  high.set(2).set(3);
  layout.near = {low, high, low, high};
  core = std::make_unique<Core>(layout, options);
  EXPECT_EQ(arrive({on_gpus(0, 2)}), "start 1 key 0 on 0 gpu 0,2");
  EXPECT_EQ(arrive({on_gpus(1, 2)}), "start 2 key 0 on 2 gpu 1,3");
}

TEST_F(Gpus, CoresFarFromThemAreTakenWhenTheNearOnesAreNotFree) {
  open(4, 2);
  EXPECT_EQ(arrive({order(0, Exclusion::core, 2)}), "start 1 key 0 on 0,1");
  EXPECT_EQ(arrive({on_gpus(1, 1)}), "start 2 key 0 on 2 gpu 0");
}

TEST_F(Gpus, AnIdleProcessLeavesBeforeAnotherStartsOnItsGpu) {
  open(2, 1);
  EXPECT_EQ(arrive({on_gpus(0, 1)}), "start 1 key 0 on 0 gpu 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1");
  EXPECT_EQ(arrive({on_gpus(1, 1, Exclusion::core, 5), on_gpus(2, 1, Exclusion::core, 5)}), "retire 1");
  EXPECT_EQ(arrive({order(3, Exclusion::core, 1, 7)}), "start 2 key 7 on 0") << "needs no GPU";
  EXPECT_EQ(exited(1, "exited with status 0"), "start 3 key 5 on 1 gpu 0");
}

TEST_F(Gpus, OnlyAsManyIdleProcessesLeaveAsJobsNeed) {
  open(4, 2);
  EXPECT_EQ(arrive({on_gpus(0, 1), on_gpus(1, 1)}), "start 1 key 0 on 0 gpu 0; start 2 key 0 on 2 gpu 1");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(ready(2), "run 2: 1");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1");
  now = now + 1s;
  EXPECT_EQ(measured(2, 1), "report 1 ok from 2");
  EXPECT_EQ(arrive({on_gpus(2, 1, Exclusion::core, 5)}), "retire 1");
  EXPECT_EQ(arrive({order(3, Exclusion::core, 1, 7)}), "start 3 key 7 on 0");
  EXPECT_EQ(exited(1, "exited with status 0"), "start 4 key 5 on 1 gpu 0");
}

TEST_F(Gpus, AProcessThatWasKilledKeepsItsGpuUntilItIsGone) {
  open(2, 1);
  EXPECT_EQ(arrive({on_gpus(0, 1), on_gpus(1, 1)}), "start 1 key 0 on 0 gpu 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(requests_lease(1), "grant 1");
  EXPECT_EQ(pass(121s), "kill 1") << "an endless kernel";
  EXPECT_EQ(
      exited(1, "killed by SIGKILL"),
      "keep back: report 0 timeout_run from 1 (warm-up and samples took longer than timeout.run: 120 s); "
      "look at gpu 0");
  EXPECT_EQ(gpu_seen(0, GpuAnswer::works), "tell 0; start 2 key 0 on 0 gpu 0");
}

TEST_F(Gpus, AProcessThatHasLostItsGpuLeavesAndTheRestOfItsRunIsWithoutBlame) {
  open(2, 1);
  EXPECT_EQ(arrive({on_gpus(100, 1)}), "start 1 key 0 on 0 gpu 0");
  EXPECT_EQ(ready(1), "run 1: 100");
  EXPECT_EQ(measured(1, 100, 1ms), "report 100 ok from 1");
  EXPECT_EQ(arrive({on_gpus(101, 1)}), "run 1: 101");
  EXPECT_EQ(measured(1, 101, 1ms), "report 101 ok from 1");
  EXPECT_EQ(arrive({on_gpus(0, 1), on_gpus(1, 1), on_gpus(2, 1)}), "run 1: 0 1 2 leased");
  EXPECT_EQ(lost(1, 0, 1ms), "keep back: report 0 failed_run from 1; retire 1");
  EXPECT_EQ(exited(1, "exited with status 0"), "look at gpu 0");
  EXPECT_EQ(gpu_seen(0, GpuAnswer::works), "tell 0; start 2 key 0 on 0 gpu 0");
  EXPECT_EQ(ready(2), "run 2: 1 2 leased");
  EXPECT_EQ(measured(2, 1), "report 1 ok from 2");
  EXPECT_EQ(measured(2, 2), "report 2 ok from 2");
}

TEST_F(Gpus, OneThatDoesNotLeaveIsKilled) {
  open(2, 1);
  EXPECT_EQ(arrive({on_gpus(0, 1)}), "start 1 key 0 on 0 gpu 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(lost(1, 0), "keep back: report 0 failed_run from 1; retire 1");
  EXPECT_EQ(pass(6s), "kill 1");
  EXPECT_EQ(exited(1), "look at gpu 0");
}

TEST_F(Gpus, JobsOfTheProcessorPassAnyNumberOfJobsThatWaitForAGpu) {
  open(2, 1);
  std::vector<Order> orders = {on_gpus(0, 1)};
  for (std::uint64_t index = 1; index <= 100; ++index) orders.push_back(on_gpus(index, 1));
  orders.push_back(order(200, Exclusion::core, 1, 7));
  EXPECT_EQ(arrive(orders), "start 1 key 0 on 0 gpu 0; start 2 key 7 on 1");
  EXPECT_EQ(ready(2), "run 2: 200");
  for (std::uint64_t index = 201; index <= 210; ++index) {
    EXPECT_EQ(arrive({order(index, Exclusion::core, 1, 7)}), "");
    EXPECT_EQ(measured(2, index - 1),
              "report " + std::to_string(index - 1) + " ok from 2; run 2: " + std::to_string(index));
  }
}

TEST_F(Gpus, AJobThatNeedsThemAndManyCoresIsNotPassedForEver) {
  open(2, 1);
  Order wide = on_gpus(9, 1, Exclusion::core, 3);
  wide.cores = 2;
  EXPECT_EQ(arrive({order(0, Exclusion::core), order(1, Exclusion::core), wide, order(2, Exclusion::core),
                    order(3, Exclusion::core), order(4, Exclusion::core)}),
            "start 1 key 0 on 0; start 2 key 0 on 1");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(ready(2), "run 2: 1");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1; run 1: 2");
  EXPECT_EQ(measured(1, 2), "report 2 ok from 1; run 1: 3");
  EXPECT_EQ(measured(1, 3), "report 3 ok from 1") << "the cores are kept for the wide one";
  EXPECT_EQ(measured(2, 1), "report 1 ok from 2; start 3 key 3 on 0,1 gpu 0");
}

TEST_F(Gpus, AGpuOfAProcessThatCannotBeKilledStopsNobodyElse) {
  open(2, 1);
  EXPECT_EQ(arrive({on_gpus(0, 1)}), "start 1 key 0 on 0 gpu 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(requests_lease(1), "grant 1");
  EXPECT_EQ(pass(121s), "kill 1");
  EXPECT_EQ(arrive({on_gpus(1, 1)}), "");
  EXPECT_EQ(arrive({order(2, Exclusion::core)}), "start 2 key 0 on 1");
  EXPECT_EQ(ready(2), "run 2: 2");
  for (std::uint64_t index = 3; index <= 9; ++index) {
    EXPECT_EQ(arrive({order(index, Exclusion::core)}), "");
    EXPECT_EQ(measured(2, index - 1),
              "report " + std::to_string(index - 1) + " ok from 2; run 2: " + std::to_string(index));
  }
  EXPECT_EQ(measured(2, 9), "report 9 ok from 2");
}

TEST_F(Gpus, MoreThanThereAreIsSaid) {
  open(2, 1);
  EXPECT_EQ(arrive({on_gpus(0, 2)}),
            "report 0 failed_setup (the job asks for 2 GPUs, this worker has 1; start the worker with more "
            "GPUs)");
}

TEST_F(Gpus, ShortJobsTravelTogetherOnlyWithTheirLike) {
  open(1, 1);
  EXPECT_EQ(arrive({on_gpus(100, 1)}), "start 1 key 0 on 0 gpu 0");
  EXPECT_EQ(ready(1), "run 1: 100");
  EXPECT_EQ(measured(1, 100, 1ms), "report 100 ok from 1");
  EXPECT_EQ(arrive({on_gpus(101, 1)}), "run 1: 101");
  EXPECT_EQ(measured(1, 101, 1ms), "report 101 ok from 1");
  EXPECT_EQ(arrive({on_gpus(0, 1), order(1, Exclusion::core), on_gpus(2, 1)}), "run 1: 0 2 leased");
}

}  // namespace
}  // namespace kernsweep::worker
