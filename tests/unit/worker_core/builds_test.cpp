// Builds: in phases of their own, as many at the same time as there are cores.
#include <gtest/gtest.h>

#include "tests/unit/worker_core/core_fixture.hpp"

namespace kernsweep::worker {
namespace {

class BuildsOfTheWorker : public CoreFixture {};

TEST_F(BuildsOfTheWorker, RunOnAllCoresBeforeTheFirstJob) {
  open(2);
  EXPECT_EQ(arrive({order_with_build(0, {7}), order_with_build(1, {8}), order_with_build(2, {9})}),
            "build 7; build 8");
  EXPECT_EQ(core->activity().waits, "3 builds are to be made");
  EXPECT_EQ(built(8), "build 9");
  EXPECT_EQ(built(7), "");
  EXPECT_EQ(built(9), "start 1 key 0 on 0; start 2 key 0 on 1");
  EXPECT_EQ(core->activity().waits, "");
}

TEST_F(BuildsOfTheWorker, AreMadeOnceForAllJobsThatNeedThem) {
  open(1);
  EXPECT_EQ(arrive({order_with_build(0, {7}), order_with_build(1, {7, 8})}), "build 7");
  EXPECT_EQ(built(7), "build 8");
  EXPECT_EQ(built(8), "start 1 key 0 on 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(arrive({order_with_build(2, {8})}), "");
  EXPECT_EQ(requests_lease(1), "grant 1");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1; run 1: 1");
  EXPECT_EQ(requests_lease(1), "grant 1");
  EXPECT_EQ(measured(1, 1), "report 1 ok from 1; run 1: 2");
}

TEST_F(BuildsOfTheWorker, NeverRunBesideAMeasurement) {
  open(2);
  EXPECT_EQ(arrive({order(0)}), "start 1 key 0 on 0");
  EXPECT_EQ(ready(1), "run 1: 0");
  EXPECT_EQ(arrive({order_with_build(1, {7}), order(2)}), "") << "what comes behind a build waits for it";
  EXPECT_EQ(requests_lease(1), "grant 1");
  EXPECT_EQ(measured(1, 0), "report 0 ok from 1; build 7");
  EXPECT_EQ(arrive({order_with_build(3, {8})}), "build 8");
  EXPECT_EQ(built(7), "");
  EXPECT_EQ(built(8), "run 1: 1; start 2 key 0 on 1");
}

TEST_F(BuildsOfTheWorker, WhatFailsCostsItsJobsAlone) {
  open(1);
  EXPECT_EQ(arrive({order_with_build(0, {7}), order_with_build(1, {8})}), "build 7");
  EXPECT_EQ(built(7, "no"), "report 0 failed_build (no); build 8");
  EXPECT_EQ(built(8), "start 1 key 0 on 0");
  EXPECT_EQ(arrive({order_with_build(2, {7})}), "report 2 failed_build (no)") << "it is not built again";
}

TEST_F(BuildsOfTheWorker, EndWithTheLastJobThatNeedsThem) {
  open(2);
  EXPECT_EQ(arrive({order_with_build(0, {7}), order_with_build(1, {8}), order_with_build(2, {8})}),
            "build 7; build 8");
  EXPECT_EQ(tell(JobsCancelled{{attempt(0), attempt(1)}}), "return 0 1; end build 7");
  EXPECT_EQ(tell(Built{7, true, ""}), "");
  EXPECT_EQ(built(8), "start 1 key 0 on 0");
  EXPECT_EQ(arrive({order_with_build(3, {7})}), "");
  EXPECT_EQ(ready(1), "run 1: 2");
  EXPECT_EQ(requests_lease(1), "grant 1");
  EXPECT_EQ(measured(1, 2), "report 2 ok from 1; build 7") << "it is restarted";
}

TEST_F(BuildsOfTheWorker, EndWhenTheWorkerStops) {
  open(1);
  EXPECT_EQ(arrive({order_with_build(0, {7})}), "build 7");
  EXPECT_EQ(tell(StopAsked{}), "return 0; end build 7");
}

}  // namespace
}  // namespace kernsweep::worker
